#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hands back what the grader has judged: the class's page, final points, other programs' forms.

    hand_back.py --out DIR [--policy FILE] [--format F] [--student NAME] [--to FILE]
    hand_back.py --own RESULTS.json --format F [--to FILE]

Of a class it always writes report.html, final.csv and similar.csv into DIR, and gives its
grades.csv the column `similar`, which costs no points. Forms: junit, gradescope,
prairielearn, moodle, canvas, nbgrader; gradescope and prairielearn are about one student, and
without --student they are written for each, into a folder of that name.

Exit: 0 done (junit: and all checks passed), 1 junit: a check failed, 2 wrong use, 3 a result is
missing or could not be given.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from handback import formats, policy, report, results, similarity  # noqa: E402

FORMS = ("junit", "gradescope", "prairielearn", "moodle", "canvas", "nbgrader")
EXIT_FAILED, EXIT_USAGE, EXIT_NO_RESULT = 1, 2, 3


def final_csv(graded):
    rows = []
    for row in graded:
        final = "" if row.final is None else formats.number(row.final)
        rows.append([row.student.name, row.student.status, row.student.points,
                     formats.number(row.weighted), row.late_days, final,
                     formats.number(row.final_max), "; ".join(row.reasons)])
    return formats.table(["student", "status", "points", "weighted", "late_days", "final",
                          "final_max", "reasons"], rows)


def write_similar(folder, likenesses):
    """similar.csv, and the column of grades.csv."""
    results.write(folder / "similar.csv", formats.table(
        ["exercise", "student", "other", "text", "tokens", "code", "alike"], likenesses))
    header, rows = results.read_table(folder / "grades.csv")
    if "similar" not in header:
        header = header[:-1] + ["similar", header[-1]]
        rows = [row[:-1] + ["", row[-1]] for row in rows]
    at = header.index("similar")
    for row in rows:
        row[at] = similarity.cell(results.unguarded(row[0]), likenesses)
    results.write(folder / "grades.csv", formats.table(header, rows))


def write_single(graded, form, folder, to):
    """Forms about one student."""
    writer = getattr(formats, form)
    if to and len(graded) != 1:
        raise results.NoResults(f"--to is for one student: name it with --student ({form})")
    for row in graded:
        path = Path(to) if to else folder / form / f"{row.student.id}.json"
        results.write(path, writer(row))
    print(f"Written: {to or folder / form}")


def write_form(graded, arguments, folder, chosen):
    form = arguments.format
    if form in ("gradescope", "prairielearn"):
        write_single(graded, form, folder, arguments.to)
        return
    others = []
    if form == "junit":
        text = formats.junit(graded)
    elif form == "moodle":
        text, others = formats.moodle(graded)
    else:
        written = getattr(formats, form)(graded, chosen.assignment)
        text, others = written if isinstance(written, tuple) else (written, [])
    path = Path(arguments.to or folder / (form + (".xml" if form == "junit" else ".csv")))
    results.write(path, text)
    print(f"Written: {path}")
    for line in formats.before_importing(form, chosen.assignment):
        print(line, file=sys.stderr)
    if others:
        print(f"Not in it, since their names are not the platform's: {', '.join(others[:5])}"
              f"{' ...' if len(others) > 5 else ''}", file=sys.stderr)


def status_of(graded, form):
    if any(row.student.grader_error for row in graded):
        return EXIT_NO_RESULT
    checks = [check for row in graded for one in row.student.exercises for check in one.checks]
    if form == "junit" and (not checks or any(check.status != "pass" for check in checks)):
        return EXIT_FAILED
    return 0


def hand_back(arguments):
    own = arguments.own is not None
    members = results.read_own(arguments.own) if own else results.read_class(arguments.out)
    folder = Path(arguments.own).parent if own else Path(arguments.out)
    chosen = policy.read(arguments.policy, members)
    graded = [policy.apply(chosen, student) for student in members.students]
    if not own:
        results.write(folder / "final.csv", final_csv(graded))
        pairs = similarity.of_class(folder)
        results.write(folder / "report.html",
                      report.page(members, graded, similarity.section(pairs)))
        write_similar(folder, similarity.strongest(pairs))
        print(f"The class: {folder / 'report.html'}; final points: {folder / 'final.csv'}")
    if arguments.student:
        graded = [row for row in graded if row.student.name == arguments.student]
        if not graded:
            raise results.NoResults(f"there is no student '{arguments.student}' in grades.csv")
    if arguments.format:
        write_form(graded, arguments, folder, chosen)
    return status_of(graded, arguments.format)


def main():
    parser = argparse.ArgumentParser(description="Hands back what the grader has judged.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", help="the grader's folder of a class")
    what.add_argument("--own", help="results.json of one's own exercises")
    parser.add_argument("--policy", help="weights, late work, overrides (handback/policy.py)")
    parser.add_argument("--format", choices=FORMS)
    parser.add_argument("--student", help="this student only")
    parser.add_argument("--to", help="where the form is written")
    arguments = parser.parse_args()
    try:
        return hand_back(arguments)
    except policy.PolicyError as error:
        print(f"hand_back: {error}", file=sys.stderr)
        return EXIT_USAGE
    except results.NoResults as error:
        print(f"hand_back: {error}", file=sys.stderr)
        return EXIT_NO_RESULT


if __name__ == "__main__":
    sys.exit(main())
