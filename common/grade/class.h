// SPDX-License-Identifier: MIT
/// @file class.h
/// Judges a folder of submissions, one folder a student, each student in a process of its own.
#ifndef GRADE_CLASS_H
#define GRADE_CLASS_H

#include "grade.h"
#include "job.h"
#include "setup.h"

/// Judges all. A submission that cannot be judged is a row that says so; only the grader's own
/// trouble (no folder, nothing to write to, another grader at work) is a failure. The table is of
/// the whole class, whatever part of it this run has judged.
grade_status grade_class_run(const grade_class *job, const grade_setup *setup,
                             grade_class_result *result, grade_diag *diag);

#endif
