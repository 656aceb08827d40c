// SPDX-License-Identifier: MIT
/// @file feedback.h
/// What a student gets back: one page and one text file, without anything of another student or of
/// the machine. Of a hidden check they show the verdict and not the reason.
#ifndef GRADE_FEEDBACK_H
#define GRADE_FEEDBACK_H

#include "report.h"

/// Writes [out]/feedback/<id>.html and .txt; the folder exists.
grade_status grade_feedback_write(const char *out, const char *id,
                                  const grade_submission *submission, grade_diag *diag);

#endif
