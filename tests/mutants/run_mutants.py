#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that a lesson's suites can fail: kills mutants of the exercise's solution.

    run_mutants.py BUILD_DIR LESSON [--simtcc FILE] [--suite FILE] [--only NAME] [--verbose]

Five things must hold:
  - the solution passes every check of the exercise suite, with all points;
  - so does every tests/mutants/LESSON/NAME.cu, a right program that goes about it in another way;
  - the pristine stub compiles without a warning, earns no point, and is reported why;
  - every mutant fails the check it names, with a cause, and says the text it names;
  - the committed stub is what the solution gives (make_exercise --check).

A mutant is a small patch, tests/mutants/LESSON/NAME.mutant:

    // SPDX-License-Identifier: MIT
    // MUTANT: what is wrong, in one line
    // EXPECT-CHECK: name of a check that must fail
    // EXPECT: text in that check's reason or explanation (may be repeated)
    // EXPECT-LINE: text of the line that the record must name (may be left out)
    // OF: NAME.cu (the right program beside it that is changed; without it, the solution)
    // WITH: checkers (and other orders of threads, as in make try; without it, neither), or
    //       try (and small changes of the program, too; not the comparison with the solution);
    //       the check is the one that is reported
      a line of the solution (context; leading and trailing blanks do not count)
    - a line that is dropped
    + a line that stands there instead

Hunks are separated by an empty line; each must fit the program in exactly one place, so that a
mutant cannot silently go stale when the program changes.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 600  # by the clock, on a machine that does much else as well
OPTIONAL = ("EXPECT-LINE", "OF", "WITH")
AS_IN_TRY = {"SIMT_CHECK": "all", "SIMT_SCHEDULE": "sweep:4", "SIMT_SWEEP_MAX_THREADS": "1024"}


class Problem(Exception):
    """Something is not as it must be; the text says what."""


def read_mutant(path):
    """The header fields and the hunks, each a list of (sign, text)."""
    fields = {"MUTANT": [], "EXPECT-CHECK": [], "EXPECT": [], "EXPECT-LINE": [], "OF": [],
              "WITH": []}
    hunks = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("// "):
            key, _, value = line[3:].partition(": ")
            if key in fields:
                fields[key].append(value.strip())
        elif not line.strip():
            hunks.append([])
        elif line[0] in " +-":
            hunks[-1].append((line[0], line[1:].strip()))
        else:
            raise Problem(f"{path.name}: cannot read line: {line}")
    for key, values in fields.items():
        if not values and key not in OPTIONAL or len(values) > 1 and key != "EXPECT":
            raise Problem(f"{path.name}: needs one line `// {key}: ...`")
    return fields, [hunk for hunk in hunks if hunk]


def apply_hunk(lines, hunk, name):
    """Replaces the one place where the hunk's old lines stand."""
    old = [text for sign, text in hunk if sign != "+"]
    new = [text for sign, text in hunk if sign != "-"]
    stripped = [line.strip() for line in lines]
    places = [i for i in range(len(lines) - len(old) + 1) if stripped[i:i + len(old)] == old]
    if len(places) != 1:
        raise Problem(f"{name}: a hunk fits the program in {len(places)} places, not one: {old[0]}")
    return lines[:places[0]] + new + lines[places[0] + len(old):]


def mutant_text(path):
    """The header fields, and the text of the program with the mistake in it."""
    fields, hunks = read_mutant(path)
    base = path.parent / fields["OF"][0] if fields["OF"] else (
        ROOT / "solutions" / f"{path.parent.name}.cu")
    lines = base.read_text(encoding="utf-8").splitlines()
    for hunk in hunks:
        lines = apply_hunk(lines, hunk, path.name)
    return fields, "\n".join(lines) + "\n"


class Lesson:
    """One lesson's tools and places."""

    def __init__(self, options):
        self.name = options.lesson
        build = pathlib.Path(options.build_dir).resolve()
        self.suite = pathlib.Path(options.suite or build / "tests" / self.name).resolve()
        self.simtcc = pathlib.Path(options.simtcc or self.find_simtcc(build)).resolve()
        self.work = build / "tests" / "mutants" / self.name
        self.work.mkdir(parents=True, exist_ok=True)
        self.solution = ROOT / "solutions" / f"{self.name}.cu"

    @staticmethod
    def find_simtcc(build):
        for place in (build / "common/simt/simtcc", build / "bin/simtcc",
                      ROOT / "common/simt/simtcc"):
            if place.exists():
                return place
        raise Problem(f"no simtcc in {build}; name it with --simtcc")

    def compile(self, name, text):
        """Compiles source text to a module; returns its path and what the compiler said."""
        source, module = self.work / f"{name}.cu", self.work / f"{name}.ptx"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run([str(self.simtcc), "-ptx", "-ftrivial-auto-var-init=pattern",
                               str(source), "-o", str(module)],
                              capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S,
                              check=False)
        if done.returncode != 0:
            raise Problem(f"{name}: does not compile:\n{done.stdout}{done.stderr}")
        return module, done.stderr.strip()

    def judge(self, name, module, more=None):
        """Runs the exercise suite; returns its exit status, its records by check, and its text."""
        results = self.work / f"{name}.jsonl"
        results.unlink(missing_ok=True)
        environment = dict(os.environ, WB_MODULE=str(module), WB_SOURCE=f"{name}.cu",
                           WB_RESULTS=str(results), **(more or {}))
        done = subprocess.run([str(self.suite), "--suite", "exercise"], env=environment,
                              capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S,
                              check=False, cwd=self.work)
        if not results.exists():
            raise Problem(f"{name}: the suite wrote no results:\n{done.stdout}{done.stderr}")
        records = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        return done.returncode, records, done.stdout

    def plan(self):
        """The planned checks: name -> points."""
        done = subprocess.run([str(self.suite), "--suite", "exercise", "--plan"], check=True,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["check"]: row["max_points"] for row in rows}


def require_all_records(lesson, records):
    names = [record["check"] for record in records]
    if names != list(lesson.plan()):
        raise Problem(f"records {names} are not the planned checks {list(lesson.plan())}")


def check_right(lesson, name, source):
    """The solution, or another right program."""
    module, warnings = lesson.compile(name, source.read_text(encoding="utf-8"))
    if warnings:
        raise Problem(f"{name}: the compiler warns:\n{warnings}")
    status, records, text = lesson.judge(name, module)
    require_all_records(lesson, records)
    if status != 0 or any(record["status"] != "pass" for record in records):
        raise Problem(f"{name} is right, and fails:\n{text}")
    if sum(lesson.plan().values()) != 100:
        raise Problem(f"the points add up to {sum(lesson.plan().values())}, not to 100")
    return f"passes all {len(records)} checks"


def make_stub(lesson):
    done = subprocess.run([str(ROOT / "common/scripts/make_exercise"), "--stdout", lesson.name],
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise Problem(f"make_exercise fails: {done.stderr}")
    return done.stdout


def check_stub(lesson):
    module, warnings = lesson.compile("stub", make_stub(lesson))
    if warnings:
        raise Problem(f"stub: the compiler warns:\n{warnings}")
    status, records, text = lesson.judge("stub", module)
    require_all_records(lesson, records)
    passed = [record["check"] for record in records if record["status"] == "pass"]
    if status != 1 or passed:
        raise Problem(f"the untouched stub passes {passed}:\n{text}")
    untold = [r["check"] for r in records if r["cause"] != "unfilled"]
    if untold:
        raise Problem(f"the untouched stub is not reported that its blank is empty in "
                      f"{untold}:\n{text}")
    return "earns nothing and is reported why"


def check_committed_stub(lesson):
    done = subprocess.run([str(ROOT / "common/scripts/make_exercise"), "--check", lesson.name],
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise Problem(f"the committed stub is not what the solution gives: "
                      f"{done.stdout}{done.stderr}")
    return "is what the solution gives"


def all_said(record):
    """All that a student reads of a failure: what happened, why, and the next step."""
    return "\n".join((record["reason"], record.get("explanation", ""), record.get("hint", "")))


def check_mutant(lesson, path, verbose):
    fields, text = mutant_text(path)
    module, _ = lesson.compile(path.stem, text)
    source = text.splitlines()
    more = AS_IN_TRY if fields["WITH"] else None
    if fields["WITH"] == ["try"]:
        more = dict(AS_IN_TRY, WB_COMPILER=str(lesson.simtcc), WB_JOBS="2",
                    SIMT_SOURCE=f"{path.stem}.cu")
    status, records, text = lesson.judge(path.stem, module, more)
    if verbose:
        print(text)
    require_all_records(lesson, records)
    record = next((r for r in records if r["check"] == fields["EXPECT-CHECK"][0]), None)
    if record is None:
        raise Problem(f"there is no check {fields['EXPECT-CHECK'][0]}")
    if record["status"] == "error":
        raise Problem(f"{record['check']} could not be judged: {record['reason']}")
    if status != 1 or record["status"] != "fail":
        failed = [r["check"] for r in records if r["status"] != "pass"]
        raise Problem(f"survives {record['check']} ({fields['MUTANT'][0]}); fails "
                      f"{failed or 'nothing'}")
    if fields["WITH"] == ["try"] and not record.get("reported"):
        reported = next(r["check"] for r in records if r.get("reported"))
        raise Problem(f"{record['check']} fails, but the verdict is on {reported}")
    for wanted in fields["EXPECT"]:
        if wanted not in all_said(record):
            raise Problem(f"{record['check']} fails, but does not say "
                          f"\"{wanted}\":\n{all_said(record)}")
    line = source[record["line"] - 1] if record.get("line") else ""
    if fields["EXPECT-LINE"] and fields["EXPECT-LINE"][0] not in line:
        raise Problem(f"{record['check']} fails, but names line {record.get('line')}: {line}")
    return f"killed by {record['check']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build_dir")
    parser.add_argument("lesson")
    parser.add_argument("--simtcc", help="default: the one in BUILD_DIR")
    parser.add_argument("--suite", help="default: BUILD_DIR/tests/LESSON")
    parser.add_argument("--only", help="one mutant alone, by its file name without .mutant")
    parser.add_argument("--verbose", action="store_true", help="print what the suite said")
    options = parser.parse_args()
    lesson = Lesson(options)
    folder = ROOT / "tests/mutants" / lesson.name
    mutants = sorted(folder.glob("*.mutant"))
    tasks = [("solution", lambda: check_right(lesson, "solution", lesson.solution)),
             ("stub", lambda: check_stub(lesson)),
             ("committed stub", lambda: check_committed_stub(lesson))]
    tasks += [(path.stem, lambda path=path: check_right(lesson, path.stem, path))
              for path in sorted(folder.glob("*.cu"))]
    if options.only:
        mutants = [path for path in mutants if path.stem == options.only]
        tasks = []
    tasks += [(path.stem, lambda path=path: check_mutant(lesson, path, options.verbose))
              for path in mutants]
    failures = 0
    for name, task in tasks:
        try:
            print(f"ok    {lesson.name} {name}: {task()}", flush=True)
        except (Problem, OSError, subprocess.SubprocessError, json.JSONDecodeError) as problem:
            failures += 1
            print(f"FAIL  {lesson.name} {name}: {problem}", flush=True)
    if not options.only and len(mutants) < 6:
        failures += 1
        print(f"FAIL  {lesson.name}: {len(mutants)} mutants; six at least are asked for")
    print(f"{lesson.name}: {len(tasks) - failures} of {len(tasks)} as they must be")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"run_mutants: {problem}")
