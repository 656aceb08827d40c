# SPDX-License-Identifier: MIT
"""What the grader has written, read back: the class of a folder of results, or one's own exercises.

A result that is not there, or that cannot be read, is an error and never a pass: see NoResults.
"""

import csv
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


class NoResults(Exception):
    """There is nothing that could be handed back; the text says why, and what to do."""


@dataclass
class Check:
    name: str
    status: str  # "pass", "fail", "grader_error"
    points: int
    max_points: int
    about: str = ""
    reason: str = ""
    explanation: str = ""
    hint: str = ""
    visibility: str = "shown"  # "shown", "hidden", "after_due"

    @property
    def shown(self):
        """What a student may read of a check that did not pass."""
        if self.status == "pass":
            return ""
        if self.visibility != "shown":
            return "Why is not shown for this check."
        parts = [self.reason]
        parts += [f"Likely cause: {self.explanation}"] if self.explanation else []
        parts += [f"Hint: {self.hint}"] if self.hint else []
        return "\n".join(part for part in parts if part)


@dataclass
class Exercise:
    name: str
    state: str  # "judged", "missing", "refused", "not_compiled", "grader_error"
    points: int
    max_points: int
    grader_error: bool
    message: str
    checks: list
    cpu_s: float = 0.0


@dataclass
class Student:
    name: str  # as the grader shows it
    id: str    # for names of files
    status: str
    exercises: list
    note: str = ""

    @property
    def grader_error(self):
        return any(exercise.grader_error for exercise in self.exercises)

    @property
    def points(self):
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self):
        return sum(exercise.max_points for exercise in self.exercises)


@dataclass
class Class:
    students: list
    remarks: list = field(default_factory=list)  # (student, path, what) of the intake


def _read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise NoResults(f"{path}: {error.strerror}; run make grade first") from error
    except ValueError as error:
        raise NoResults(f"{path}: no results ({error}); run make grade again") from error


def _exercise(data, path):
    try:
        keys = Check.__dataclass_fields__
        checks = [Check(name=one["check"], **{key: one[key] for key in keys
                                              if key in one and key != "name"})
                  for one in data["checks"]]
        return Exercise(name=data["exercise"], state=data["state"], points=data["points"],
                        max_points=data["max_points"], grader_error=data["grader_error"],
                        message=data["message"], checks=checks)
    except (KeyError, TypeError) as error:
        raise NoResults(f"{path}: results without {error}; run make grade again") from error


def _rows(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise NoResults(f"{path}: {error.strerror}; run make grade first") from error


def read_table(path):
    """A CSV as its header and its rows."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file))
            return header, rows
    except (OSError, ValueError) as error:
        raise NoResults(f"{path}: {error}; run make grade first") from error


def unguarded(cell):
    """A cell as it was before a leading apostrophe kept a spreadsheet from computing it."""
    return cell[1:] if len(cell) > 1 and cell[0] == "'" and cell[1] in "=+-@\t\r" else cell


def read_class(out):
    """The class whose results are in `out`, in the order of its table."""
    out = Path(out)
    rows = _rows(out / "grades.csv")
    found = {}
    for path in sorted((out / "students").glob("*.json")):
        data = _read_json(path)
        found[data.get("student")] = (path, data)
    times = {}
    if (out / "times.csv").exists():
        times = {(row["student"], row["exercise"]): float(row["cpu_s"])
                 for row in _rows(out / "times.csv")}
    students = []
    for row in rows:
        name = unguarded(row["student"])
        if name not in found:
            raise NoResults(f"{out}: no results of '{name}', who is in grades.csv; "
                            "run make grade again")
        path, data = found[name]
        student = Student(name=name, id=data.get("id", ""), status=row["status"], note=row["note"],
                          exercises=[_exercise(one, path) for one in data["exercises"]])
        for exercise in student.exercises:
            exercise.cpu_s = times.get((row["student"], exercise.name), 0.0)
        students.append(student)
    if not students:
        raise NoResults(f"{out}/grades.csv has no students; run make grade again")
    remarks = []
    if (out / "intake.csv").exists():
        remarks = [tuple(row.values()) for row in _rows(out / "intake.csv")]
    return Class(students, remarks)


def read_own(path):
    """One's own exercises, as a class of one."""
    data = _read_json(path)
    exercises = [_exercise(one, path) for one in data.get("exercises", [])]
    if not exercises:
        raise NoResults(f"{path}: no exercise has been judged")
    return Class([Student(name="", id="own", status="judged", exercises=exercises)])


def write(path, text):
    """Writes a file whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
