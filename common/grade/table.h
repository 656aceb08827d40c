// SPDX-License-Identifier: MIT
/// @file table.h
/// What a class gets: grades.csv and a file of results per student.
#ifndef GRADE_TABLE_H
#define GRADE_TABLE_H

#include "grade.h"
#include "intake.h"
#include "job.h"
#include "roll.h"
#include "setup.h"

/// Reads one exercise of one student's folder (-1: no such folder) and gives it the verdict that
/// stands for it now: missing or refused, or the stored one; else none (GRADE_NOT_JUDGED, and
/// `*pending` is set).
void grade_table_look_up(const grade_class *job, const grade_student *student, int folder,
                         grade_exercise *exercise, bool *pending);

/// Writes [out]/students/<id>.json for all students, [out]/grades.csv and [out]/programs.jsonl.
grade_status grade_table_write(const grade_class *job, const grade_setup *setup,
                               const grade_roll *roll, const grade_intake *intake,
                               grade_class_result *result, grade_diag *diag);

#endif
