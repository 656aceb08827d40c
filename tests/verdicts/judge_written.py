#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_written.py: do verdicts name the mistakes of submissions that people wrote?

    judge_written.py BUILD [NAME...] [--jobs N] [--write] [--quick]

The programs in written/ are wrong in one place each, and built otherwise than the solutions: no
comparison with a solution helps there. The wrong line bears a comment, `// wrong: CLASS`, which is
taken out before the program is judged. CLASS is one of mutate.py's; expect.py rates the verdict.
A suite may know the mistake itself and need no line: `// wrong: CLASS: WORDS` are then the words of
its verdict that name it, chosen by hand.

With --write, written.csv is made anew. Without, it is checked: every program has its row, none
misleads, and the share that is named; with --quick those that QUICK names are judged again, each by
the check that was reported. Exit: 0 all holds, 1 not.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import re
import sys
import tempfile

import expect
import judge_wrong

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = ["name", "class", "line", "rating", "check", "cause", "reported", "explanation", "next"]
NAMED_LEAST = 0.85
# One for each way to a verdict: a fault, a race, a value, a change that was tried.
QUICK = ["00_int_compare", "01_barrier_inside", "03_half_base", "05_four_steps", "09_no_offset"]

Written = collections.namedtuple("Written", "name lesson kind line text words before",
                                 defaults=[""])


def read(path):
    lesson = next(name for name in judge_wrong.lessons() if name.startswith(path.stem[:2]))
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [(number, re.search(r"// wrong: (\w+)(?:: (.+))?", line))
             for number, line in enumerate(lines, start=1) if "// wrong: " in line]
    (number, match), = found
    lines[number - 1] = lines[number - 1][:lines[number - 1].index("//")].rstrip()
    return Written(path.stem, lesson, match.group(1), number, "\n".join(lines) + "\n",
                   match.group(2) or "")


def rate(one, record):
    said = record.get("explanation", "") + " " + record.get("hint", "")
    return "named" if one.words and one.words in said else expect.rate(one, record)


def every():
    return [read(path) for path in sorted((HERE / "written").glob("*.cu"))]


def judge(build, one, only=None):
    """Its row of written.csv."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        counts = {} if only else judge_wrong.record_counts(build, one.lesson, folder)
        if not judge_wrong.compile_module(build, one.lesson, one.text, folder):
            return dict(dict.fromkeys(FIELDS, ""), name=one.name, rating="does not compile")
        record = judge_wrong.run_alone(build, one.lesson, folder, only,
                                       dict(counts, SIMT_CHECK="all", SIMT_SCHEDULE="sweep:4"))
    return {"name": one.name, "class": one.kind, "line": str(one.line),
            "rating": rate(one, record), "check": record.get("check", ""),
            "cause": record.get("finding", record.get("cause", "")),
            "reported": str(record.get("line", "")), "explanation": record.get("explanation", ""),
            "next": record.get("hint", "")}


def read_stored():
    path = HERE / "written.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def write_stored(rows):
    with (HERE / "written.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


def complaints(rows, programs):
    for one in programs:
        row = rows.get(one.name)
        if not row or row["class"] != one.kind or row["line"] != str(one.line):
            yield f"{one.name}: judge_written.py BUILD {one.name} --write"
        elif row["rating"] not in ("named", "vague"):
            yield f"{one.name}: {row['rating']}: {row['explanation']} / {row['next']}"
    named = sum(row["rating"] == "named" for row in rows.values())
    print(f"{named} of {len(rows)} are named")
    if len(rows) != len(programs):
        yield f"{len(rows)} rows for {len(programs)} programs"
    if named < NAMED_LEAST * len(programs):
        yield f"{named} of {len(programs)} are named, fewer than {NAMED_LEAST:.0%}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    programs, rows, found = every(), read_stored(), []
    wanted = QUICK if options.quick else options.names or [one.name for one in programs]
    chosen = [one for one in programs if one.name in wanted]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.write:
            for row in pool.map(lambda one: judge(options.build, one), chosen):
                rows[row["name"]] = row
                print(f"{row['name']}: {row['rating']} ({row['class']} in line {row['line']}): "
                      f"{row['cause']} {row['reported']}: {row['explanation']} / {row['next']}",
                      file=sys.stderr, flush=True)
            write_stored({one.name: rows[one.name] for one in programs if one.name in rows})
        elif options.quick:
            again = pool.map(lambda one: judge(options.build, one, rows[one.name]["check"]), chosen)
            found += [f"{row['name']}: stored {rows[row['name']]['rating']}, now {row['rating']}: "
                      f"{row['explanation']} / {row['next']}"
                      for row in again if row["rating"] != rows[row["name"]]["rating"]]
            print(f"{len(chosen)} judged again")
    found += complaints(rows, programs)
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
