// SPDX-License-Identifier: MIT
/// @file compared.h
/// What is kept of each program so that programs can be compared (handback/similarity.py):
/// [out]/programs.jsonl, a line for each, with the source and the compiled instructions.
#ifndef GRADE_COMPARED_H
#define GRADE_COMPARED_H

#include <stdio.h>

#include "grade.h"
#include "setup.h"

/// The student's name in the row of the solution.
#define GRADE_COMPARED_SOLUTION "solutions/"

/// The instructions of [work]/module.ptx without places in the source, malloc'ed; NULL: there are
/// none, or too many to be worth it.
char *grade_compared_instructions(const char *work);

typedef struct grade_compared grade_compared;

/// Begins [out]/programs.jsonl; it replaces the one before when it is ended.
grade_status grade_compared_begin(grade_compared **list, const char *out, grade_diag *diag);

/// `ptx` may be NULL.
void grade_compared_add(grade_compared *list, const char *student, const char *exercise,
                        const char *source, const char *ptx);

/// The solution of a planned exercise, if there is one.
void grade_compared_add_solution(grade_compared *list, const grade_setup *setup,
                                 const grade_exercise *plan);

/// Frees `list` in any case. Not `keep`: the file before stays.
grade_status grade_compared_end(grade_compared *list, bool keep, grade_diag *diag);

#endif
