// SPDX-License-Identifier: MIT
/// @file judge.h
/// Judges one exercise: plan, copy, compile the device side, run the trusted suite, read records.
#ifndef GRADE_JUDGE_H
#define GRADE_JUDGE_H

#include "grade.h"
#include "setup.h"

/// Asks the suite `name` for its plan, and works out what its verdicts depend on (plan->judge).
/// GRADE_NOT_STARTED when there is no such suite.
grade_status grade_judge_plan(const grade_setup *setup, const char *name, grade_exercise *plan,
                              grade_diag *diag);

/// Judges `text` [size_bytes], known to people as `shown`. `exercise` holds the plan and gets the
/// verdicts. Whatever happens is in `exercise`; this never fails.
void grade_judge_text(const grade_setup *setup, grade_exercise *exercise, const char *shown,
                      const char *text, size_t size_bytes);

/// Judges NN_name.cu of a folder (see grade_source_read). `label` stands before the file's name
/// where people read it, e.g. "exercises/".
void grade_judge_folder(const grade_setup *setup, grade_exercise *exercise, int folder,
                        const char *label);

#endif
