# SPDX-License-Identifier: MIT
"""From points to final points: weights, late work, overrides. One file says it all:

    # Reduction, winter 2026
    assignment Reduction (4711)        # what learning platforms call it
    weight * 1                         # every exercise ...
    weight 00_naive_atomic 0           # ... but this one, which does not count
    out_of 100                         # the scale; without it, weighted points
    late 10 5                          # 10 % less per begun day, for 5 days; then nothing
    grace 2                            # hours after the deadline that cost nothing
    handed_in ada 1.5                  # days after the deadline
    handed_in_from late.csv            # the same as CSV: student,days
    override ada 03_upper_half 80 the machine of the laboratory was down
    override "Bob O'Neil_77" total 55 agreed on 2026-11-20
    excuse eve 05_shuffle ill, certificate seen

An override and an excuse need a reason, which is handed back. Names are the folders' names, quoted
where they have blanks. A word that is not known, a student or an exercise that is not there, or two
lines that say different things are errors: PolicyError names file, line and what to write instead.
"""

import csv
import math
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from . import results


class PolicyError(Exception):
    pass


@dataclass
class Policy:
    assignment: str = "Reduction workbook"
    weights: dict = field(default_factory=dict)    # exercise or "*" -> weight
    out_of: float = 0.0                            # 0: weighted points
    late_percent: float = 0.0
    late_days: float = math.inf
    grace_hours: float = 0.0
    handed_in: dict = field(default_factory=dict)  # student -> days after the deadline
    overrides: dict = field(default_factory=dict)  # (student, exercise or "total") -> (points, why)
    excuses: dict = field(default_factory=dict)    # (student, exercise) -> why

    def weight(self, exercise):
        return self.weights.get(exercise, self.weights.get("*", 1.0))


@dataclass
class Graded:
    student: results.Student
    weighted: float  # before lateness and overrides of the total, on the final scale
    final: float     # None: a verdict is missing
    final_max: float
    late_days: float = 0.0
    reasons: list = field(default_factory=list)


class _Reader:
    """One file's lines, and the class they are about."""

    def __init__(self, path, members):
        self.path, self.policy, self.seen = Path(path), Policy(), {}
        self.students = {student.name for student in members.students}
        self.exercises = [exercise.name for exercise in members.students[0].exercises]
        self.limits = {exercise.name: exercise.max_points
                       for exercise in members.students[0].exercises}
        self.line = 0

    def fail(self, text):
        raise PolicyError(f"{self.path}:{self.line}: {text}")

    def number(self, word, what, least=0.0, most=1e6):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            self.fail(f"'{word}' is no {what}: a number from {least:g} to {most:g} is needed")
        return value

    def student(self, name):
        if name not in self.students:
            near = [one for one in self.students if one.lower().startswith(name.lower()[:3])]
            self.fail(f"there is no student '{name}' in grades.csv" +
                      (f"; did you mean '{sorted(near)[0]}'?" if near and name else ""))
        return name

    def exercise(self, name, *others):
        if name not in self.exercises and name not in others:
            known = ", ".join([*self.exercises, *others])
            self.fail(f"there is no exercise '{name}': one of {known}")
        return name

    def once(self, *key):
        if key in self.seen:
            self.fail(f"line {self.seen[key]} has said that already; keep one of the two")
        self.seen[key] = self.line

    def reason(self, words):
        if not words:
            self.fail("a reason is needed after the points: it is handed back to the student")
        return " ".join(words)

    # One method per word of the file; `rest` are the words behind it.

    def do_assignment(self, *rest):
        self.once("assignment")
        self.policy.assignment = self.reason(rest)

    def do_weight(self, name, value):
        self.once("weight", self.exercise(name, "*"))
        self.policy.weights[name] = self.number(value, "weight")

    def do_out_of(self, value):
        self.once("out_of")
        self.policy.out_of = self.number(value, "scale", 0.001)

    def do_late(self, percent, days="inf"):
        self.once("late")
        self.policy.late_percent = self.number(percent, "percentage", 0, 100)
        self.policy.late_days = self.number(days, "number of days", 0, math.inf)

    def do_grace(self, hours):
        self.once("grace")
        self.policy.grace_hours = self.number(hours, "number of hours")

    def do_handed_in(self, student, days):
        self.once("handed_in", self.student(student))
        self.policy.handed_in[student] = self.number(days, "number of days", -1e6)

    def do_handed_in_from(self, name):
        self.once("handed_in_from")
        path = self.path.parent / name
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                rows = list(csv.DictReader(file))
        except OSError as error:
            self.fail(f"cannot read {path}: {error.strerror}")
        if not rows or not {"student", "days"} <= set(rows[0]):
            self.fail(f"{path} needs the columns student and days in its first line")
        for row in rows:
            self.do_handed_in(row["student"], row["days"])

    def do_override(self, student, exercise, points, *why):
        self.once("override", self.student(student), self.exercise(exercise, "total"))
        value = self.number(points, "number of points", 0, self.limits.get(exercise, 1e6))
        self.policy.overrides[student, exercise] = (value, self.reason(why))

    def do_excuse(self, student, exercise, *why):
        self.once("override", self.student(student), self.exercise(exercise))
        self.policy.excuses[student, exercise] = self.reason(why)

    def read(self):
        words = sorted(name[3:] for name in dir(self) if name.startswith("do_"))
        try:
            lines = self.path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise PolicyError(f"cannot read the policy {self.path}: {error}") from error
        for self.line, text in enumerate(lines, 1):
            try:
                parts = shlex.split(text, comments=True)
            except ValueError as error:
                self.fail(f"{error}; put quotes around names with blanks or apostrophes")
            if not parts:
                continue
            if parts[0] not in words:
                self.fail(f"'{parts[0]}' is not known: one of {', '.join(words)}")
            try:
                getattr(self, "do_" + parts[0])(*parts[1:])
            except TypeError:
                self.fail(f"'{parts[0]}' has too few or too many words behind it; the head of "
                          "handback/policy.py and the instructor's page show each line")
        return self.policy


def read(path, members):
    """The policy of a file, checked against the class; without a file, one that changes nothing."""
    return _Reader(path, members).read() if path else Policy()


def _late_factor(policy, student, row):
    days = policy.handed_in.get(student.name, 0.0) - policy.grace_hours / 24
    row.late_days = max(0, math.ceil(days - 1e-9))
    if row.late_days == 0 or (policy.late_percent == 0 and math.isinf(policy.late_days)):
        return 1.0
    if row.late_days > policy.late_days:
        row.reasons.append(f"handed in {row.late_days} days late: counts no more")
        return 0.0
    factor = max(0.0, 1 - policy.late_percent / 100 * row.late_days)
    row.reasons.append(f"handed in {row.late_days} day{'s' if row.late_days > 1 else ''} late: "
                       f"{100 * factor:g} % count")
    return factor


def apply(policy, student):
    """Final points of one student. A verdict that is missing leaves them open, unless an override
    or an excuse stands for it."""
    earned = most = 0.0
    still_open = False
    row = Graded(student, 0.0, None, 0.0)
    for exercise in student.exercises:
        key, weight = (student.name, exercise.name), policy.weight(exercise.name)
        if key in policy.excuses:
            row.reasons.append(f"{exercise.name} does not count: {policy.excuses[key]}")
            continue
        points = exercise.points
        if key in policy.overrides:
            points, why = policy.overrides[key]
            before = "no verdict" if exercise.grader_error else exercise.points
            row.reasons.append(f"{exercise.name}: {points:g} instead of {before}: {why}")
        elif exercise.grader_error and weight > 0:
            still_open = True
        earned += weight * points
        most += weight * exercise.max_points
    scale = policy.out_of / most if policy.out_of and most else 1.0
    row.final_max = policy.out_of or most
    row.weighted = earned * scale
    if not still_open:
        row.final = row.weighted * _late_factor(policy, student, row)
    total = policy.overrides.get((student.name, "total"))
    if total:
        row.reasons.append(f"{total[0]:g} points in all: {total[1]}")
        row.final = total[0]
    return row
