#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_wrong.py: do verdicts on wrong submissions name the mistake?

    judge_wrong.py BUILD [LESSON...] [--jobs N] [--write] [--rate] [--quick N]
                  [--show RATING] [--alone RATING|all]

Makes wrong submissions from each solution (mutate.py), judges them as `make try` does, twice: with
the solution at hand, as `make try` has it, and by behaviour alone, as where no right program is
like the judged one. What a verdict must say to have named the mistake is decided by the change's
class and line (expect.py), never by what the verdict claims.

With --alone, rows that have this rating by behaviour alone are judged again, by behaviour alone.
With --write, verdicts.csv and README.md's table are made anew; with --rate only what the rules of
expect.py make of what was said. Without, the stored rows are
checked: that they belong to the mutants as they are made today, the share that is named, that none
misleads, that each survivor has its reason; and --quick N judges N mutants of each lesson again,
each by the one check that caught it. Exit: 0 all holds, 1 not.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import expect
import mutate

HERE = pathlib.Path(__file__).resolve().parent
ADVICE = ["check", "cause", "reported", "explanation", "next"]
FIELDS = (["lesson", "mutant", "class", "line", "before", "after", "rating"] + ADVICE +
          ["alone", "alone_cause", "alone_line", "alone_explanation", "alone_next"])
RATINGS = ("named", "vague", "misled")
LEAST_MUTANTS = 25
NAMED_LEAST = 0.9
TIMEOUT_S = 600
TABLE = "<!-- table: judge_wrong.py BUILD --write -->"


def lessons():
    return sorted(path.stem for path in (mutate.ROOT / "solutions").glob("*.cu"))


def environment(**more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("WB_", "SIMT_"))}
    return dict(kept, WB_MODULE="module.ptx", WB_LIMIT_S="60", **more)


def compile_module(build, lesson, text, folder):
    (folder / f"{lesson}.cu").write_text(text, encoding="utf-8")
    run = subprocess.run([build / "common/simt/simtcc", "-ptx", "-ftrivial-auto-var-init=pattern",
                          f"{lesson}.cu", "-o", "module.ptx"],
                         cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False)
    return run.returncode == 0


def run_suite(build, lesson, folder, only=None, **more):
    """The record that is reported, or {}: all pass."""
    command = [build / "tests" / lesson, "--suite", "exercise"] + (["--only", only] if only else [])
    subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False,
                   env=environment(WB_RESULTS="results.jsonl", SIMT_SOURCE=f"{lesson}.cu", **more))
    results = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in results]
    return next((record for record in records if record.get("reported")), {})


def record_counts(build, lesson, folder):
    """The solution's counts, which the technique is compared with."""
    rubric = mutate.ROOT / "solutions" / f"{lesson}.rubric"
    if not rubric.exists():
        return {}
    text = (mutate.ROOT / "solutions" / f"{lesson}.cu").read_text(encoding="utf-8")
    compile_module(build, lesson, text, folder)
    run_suite(build, lesson, folder, WB_RUBRIC=str(rubric), WB_COUNTS_OUT=str(folder / "counts"))
    return {"WB_RUBRIC": str(rubric), "WB_COUNTS": str(folder / "counts")}


def run_alone(build, lesson, folder, only, as_in_try):
    return run_suite(build, lesson, folder, only, WB_COMPILER=str(build / "common/simt/simtcc"),
                     **as_in_try)


def judge(build, lesson, mutant, counts, only=None):
    """A row, or None: it does not compile. Given `only`, one check: not by behaviour alone."""
    as_in_try = dict(counts if not only else {}, SIMT_CHECK="all", SIMT_SCHEDULE="sweep:4",
                     SIMT_SWEEP_MAX_THREADS="1024")
    solution = mutate.ROOT / "solutions" / f"{lesson}.cu"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not compile_module(build, lesson, mutant.text, folder):
            return None
        alone = verdict = {} if only else run_alone(build, lesson, folder, None, as_in_try)
        only = alone.get("check", only)
        if only:
            if only == "technique":
                verdict = run_suite(build, lesson, folder, WB_RIGHT=str(solution), **as_in_try)
            else:
                verdict = run_suite(build, lesson, folder, only, WB_RIGHT=str(solution),
                                 SIMT_CHECK="all", SIMT_SCHEDULE="sweep:4",
                                 SIMT_SWEEP_MAX_THREADS="1024")
    return row_of(lesson, mutant, verdict, alone)


def row_of(lesson, mutant, verdict, alone):
    row = dict.fromkeys(FIELDS, "")
    row.update({"lesson": lesson, "mutant": mutant.name, "class": mutant.kind,
                "line": str(mutant.line), "before": mutant.before, "after": mutant.after,
                "rating": "passes", "alone": "passes"})
    if verdict:
        cause = verdict.get("finding", verdict.get("cause", ""))
        row.update({"check": verdict["check"], "cause": cause,
                    "reported": str(verdict.get("line", "")),
                    "explanation": verdict.get("explanation", ""), "next": verdict.get("hint", ""),
                    "rating": expect.rate(mutant, verdict), **columns_alone(mutant, alone)})
    return row


def columns_alone(mutant, alone):
    return {"alone": expect.rate(mutant, alone),
            "alone_cause": alone.get("finding", alone.get("cause", "")),
            "alone_line": str(alone.get("line", "")),
            "alone_explanation": alone.get("explanation", ""), "alone_next": alone.get("hint", "")}


def judge_alone(build, row, mutant):
    """The row with what is said today without the solution."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        counts = {}
        if row["check"] == "technique":
            counts = record_counts(build, row["lesson"], folder)
        compile_module(build, row["lesson"], mutant.text, folder)
        alone = run_alone(build, row["lesson"], folder, None,
                          dict(counts, SIMT_CHECK="all", SIMT_SCHEDULE="sweep:4"))
    return dict(row, **columns_alone(mutant, alone))


def judge_all_alone(build, names, ratings, n_jobs):
    made = {(lesson, m.name): m for lesson in names for m in mutate.mutants(lesson)}
    rows = [row for row in read_stored() if row["lesson"] in names and row["rating"] != "passes" and
            row["alone"] in ratings]
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        again = pool.map(
            lambda row: judge_alone(build, row, made[row["lesson"], row["mutant"]]), rows)
        for row in again:
            print(f"{row['lesson']} {row['mutant']}: alone {row['alone']}: {row['alone_cause']} "
                  f"{row['alone_line']} {row['alone_explanation']} / {row['alone_next']}",
                  file=sys.stderr, flush=True)
            yield row


def rating_of(row, mutant):
    """The rating by today's rules of what is stored."""
    record = {"cause": row["cause"], "explanation": row["explanation"], "hint": row["next"]}
    if row["reported"]:
        record["line"] = row["reported"]
    return expect.rate(mutant, record) if row["check"] else "passes"


def alone_rating_of(row, mutant):
    """The same of what is said without the solution, where it is stored."""
    if not row["alone_explanation"]:
        return row["alone"]
    record = {"cause": row["alone_cause"], "explanation": row["alone_explanation"],
              "hint": row["alone_next"]}
    if row["alone_line"]:
        record["line"] = row["alone_line"]
    return expect.rate(mutant, record)


def judge_all(build, names, n_jobs):
    rows = []
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        for lesson in names:
            folder = pathlib.Path(name) / lesson
            folder.mkdir()
            counts = record_counts(build, lesson, folder)
            made = pool.map(lambda mutant, lesson=lesson, counts=counts:
                            judge(build, lesson, mutant, counts), mutate.mutants(lesson))
            for row in filter(None, made):
                rows.append(row)
                print(f"{lesson} {row['mutant']}: {row['rating']}, alone {row['alone']}: "
                      f"{row['cause']}", file=sys.stderr, flush=True)
    return rows


def read_stored():
    path = HERE / "verdicts.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_stored(rows, judged_lessons=()):
    judged = {(row["lesson"], row["mutant"]) for row in rows}
    every = [row for row in read_stored() if row["lesson"] not in judged_lessons and
             (row["lesson"], row["mutant"]) not in judged] + rows
    every.sort(key=lambda row: (row["lesson"], int(row["line"]), row["mutant"]))
    with (HERE / "verdicts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(every)
    readme = HERE / "README.md"
    head = readme.read_text(encoding="utf-8").split(TABLE)[0]
    readme.write_text(head + TABLE + "\n\n" + "\n".join(table(every)) + "\n", encoding="utf-8")


def cells(rows, column):
    count = collections.Counter(row[column] for row in rows)
    return "/".join(str(count[rating]) for rating in RATINGS) if rows else ""


def table(rows):
    """Markdown: lesson x class, and by behaviour alone."""
    kinds = sorted({row["class"] for row in rows})
    names = sorted({row["lesson"] for row in rows})
    yield "| lesson | " + " | ".join(kinds) + " | all | by behaviour alone | pass |"
    yield "|---" * (len(kinds) + 4) + "|"
    for name in names + ["all"]:
        chosen = [row for row in rows if name in (row["lesson"], "all")]
        failing = [row for row in chosen if row["rating"] != "passes"]
        parts = [cells([row for row in failing if row["class"] == kind], "rating")
                 for kind in kinds]
        parts += [cells(failing, "rating"), cells(failing, "alone"),
                  str(len(chosen) - len(failing))]
        yield f"| {name} | " + " | ".join(parts) + " |"


def complaints(rows):
    """What of the stored rows does not hold."""
    made = {(lesson, m.name): m for lesson in lessons() for m in mutate.mutants(lesson)}
    for row in rows:
        mutant = made.get((row["lesson"], row["mutant"]))
        who = f"{row['lesson']} {row['mutant']}"
        if not mutant or mutant.after != row["after"]:
            yield f"{who}: the solution or a rule has changed: judge_wrong.py BUILD --write"
        elif rating_of(row, mutant) != row["rating"]:
            yield f"{who}: {row['rating']} is not its rating: judge_wrong.py BUILD --rate"
        if row["rating"] == "misled":
            yield f"{who}: misled by {row['cause']}: {row['explanation']} / {row['next']}"
        if row["rating"] == "passes" and not expect.reason_to_pass(row["lesson"], row["after"]):
            yield (f"{who}: passes; is it another right program (expect.py), or does the suite "
                   f"lack a check?")
    for lesson in lessons():
        mine = [row for row in rows if row["lesson"] == lesson and row["rating"] != "passes"]
        if lesson[0].isdigit() and len(mine) < LEAST_MUTANTS:
            yield f"{lesson}: {len(mine)} wrong submissions, fewer than {LEAST_MUTANTS}"
        named = sum(row["rating"] == "named" for row in mine)
        if named < NAMED_LEAST * len(mine):
            yield f"{lesson}: {named} of {len(mine)} are named, fewer than {NAMED_LEAST:.0%}"


def judge_again(build, rows, n_each, n_jobs):
    """Of every lesson `n_each` rows, spread over its classes, by one check each."""
    chosen = []
    for lesson in lessons():
        mine = [row for row in rows if row["lesson"] == lesson and
                row["rating"] != "passes" and row["check"] != "technique"]
        step = max(1, len(mine) // n_each)
        made = {m.name: m for m in mutate.mutants(lesson)}
        chosen += [(row, made[row["mutant"]]) for row in mine[::step][:n_each]
                   if row["mutant"] in made]
    def one(pair):
        row, mutant = pair
        return row, judge(build, row["lesson"], mutant, {}, row["check"])
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        for row, again in pool.map(one, chosen):
            if not again or again["rating"] != row["rating"]:
                yield (f"{row['lesson']} {row['mutant']}: stored {row['rating']}, now "
                       f"{again['rating'] + ': ' + again['explanation'] if again else 'no row'}")
    print(f"{len(chosen)} judged again")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("lessons", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rate", action="store_true")
    parser.add_argument("--alone", choices=RATINGS + ("all",))
    parser.add_argument("--quick", type=int, default=0)
    parser.add_argument("--show", choices=RATINGS + ("passes",))
    options = parser.parse_args()
    if options.write:
        names = options.lessons or lessons()
        write_stored(judge_all(options.build, names, options.jobs), names)
    if options.alone:
        ratings = RATINGS if options.alone == "all" else (options.alone,)
        for row in judge_all_alone(options.build, options.lessons or lessons(), ratings,
                                   options.jobs):
            write_stored([row])  # one by one: it takes long, and may be ended
    if options.rate:
        made = {(lesson, m.name): m for lesson in lessons() for m in mutate.mutants(lesson)}
        stored = [(row, made[row["lesson"], row["mutant"]]) for row in read_stored()]
        write_stored([dict(row, rating=rating_of(row, mutant), alone=alone_rating_of(row, mutant))
                      for row, mutant in stored])
    rows = read_stored()
    for row in rows:
        if options.show == row["rating"] and row["lesson"] in (options.lessons or lessons()):
            print(json.dumps(row, indent=1, ensure_ascii=False))
    print("\n".join(table(rows)))
    found = list(complaints(rows))
    if options.quick:
        found += judge_again(options.build, rows, options.quick, options.jobs)
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
