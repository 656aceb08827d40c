#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes every synchronisation out of the lessons' correct programs and solutions, one at a time,
and asks the checkers.

    remove_syncs.py BUILD_DIR [--only REGEX]... [--write FILE.csv | --compare FILE.csv] [--jobs N]

A removal replaces one call of __syncthreads(), __syncwarp(), a fence or a group's or a wave's
sync() by nothing, in the text of the lessons' programs, their .cuh, solutions/*.cu, or a shared
header of device code. Lesson programs are built and run as they are, solutions are judged by
their suites; first with all checkers, then without under every hostile schedule, to see whether
the removal can change a result at all.

  - The programs as they are must give no finding and right results under every schedule; in
    variants that are wrong on purpose something must be found.
  - A removal that no checker finds must be explained in remove_syncs.json ("why nothing is found"),
    and nothing that is found may be explained there.

--write stores one row per removal; --compare, which is quicker, checks that the checkers still
find what is stored. Exit status: 0 all holds, 1 not.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common/scripts"))
import provenance as origin  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXPLAINED = HERE / "remove_syncs.json"
HEADERS = ("common/workbook/block_reduce.h",)
CALL = re.compile(r"(?<![\w.>])(?:__syncthreads|__syncwarp|__threadfence(?:_block|_system)?)\s*\("
                  r"|\b\w+(?:\.|->)sync\s*\(|\bwave(?:<\w+>)?::sync\s*\(")
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
FUNCTION = re.compile(r"^(?:  )?(?:template <[^\n]*> )?(?:static|extern|__global__|__device__)\b"
                      r"(?:[^\n(]*?\b__launch_bounds__\(\w+\)\s*)?[^\n(]*?(\w+)\(", re.MULTILINE)
SCHEDULES = ("lockstep", "reverse", "lane-serial", "delayed-stores", "random:1", "random:2",
             "random:3")
COLUMNS = ("program", "file", "function", "number", "call", "found_by", "kinds", "wrong_under",
           "why")
TIMEOUT_S = 300
# (elements, block): several warps per block and several blocks; the smallest and a large block.
RUNS = ((20000, 256), (4099, 64))


class Site:
    """One call of a synchronisation in one file."""

    def __init__(self, path, text, match, end):
        self.path, self.file = path, path.relative_to(ROOT).as_posix()
        self.begin, self.end = match.start(), end
        self.call = re.sub(r"\s+", "", text[self.begin:end])
        self.number = 0 # of this call in this function, from 1
        before = list(FUNCTION.finditer(text, 0, self.begin))
        self.function = before[-1][1] if before else "-"
        self.mutant = text[:self.begin] + "((void)0)" + text[end:]

    @property
    def name(self):
        return f"{self.file} {self.function} {self.call} {self.number}"


def sites_of(path):
    """Every synchronisation in a file, in order; comments and strings do not count."""
    text = path.read_text(encoding="utf-8")
    code = NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    found, counts = [], {}
    for match in CALL.finditer(code):
        site = Site(path, text, match, closing(code, match.end()))
        key = site.function, site.call
        counts[key] = site.number = counts.get(key, 0) + 1
        found.append(site)
    return found


def closing(code, at):
    """The place after the parenthesis that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return at


def execute(command, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SIMT_", "WB_"))}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", check=False, timeout=TIMEOUT_S,
                          env={**clean, **environment})


class Unit:
    """A program as a student sees it, that can be built with one file changed, and be judged."""

    def __init__(self, build, path):
        self.build, self.path = build, path
        self.simtcc = build / "common/simt/simtcc"
        self.library = build / "common/simt/libsimt.a"

    def write(self, work, site):
        """`site`: what is taken out, or None. The compiler meets the changed file first."""
        for source in [self.path] + self.own_headers() + [ROOT / header for header in HEADERS]:
            changed = site and site.path == source
            text = site.mutant if changed else source.read_text(encoding="utf-8")
            (work / source.name).write_text(text, encoding="utf-8")

    def compile(self, work, site, extra):
        """With what is written."""
        self.execute(site, [self.simtcc, "-w", f"-I{work}", f"-I{ROOT / 'common/workbook'}",
                            "-DWORKBOOK_SIMT", work / self.path.name] + extra)

    def execute(self, site, command):
        """One step of the build."""
        done = execute(command, SIMTCC_LIBRARY=str(self.library))
        if done.returncode:
            what = site.name if site else "as it is"
            raise RuntimeError(f"{self.name}: {what}: does not compile\n{done.stderr}")

    def device_code(self, work, site):
        """The path of its PTX."""
        self.compile(work, site, ["-ptx", "-o", work / "module.ptx"])
        return work / "module.ptx"

    def own_headers(self):
        return sorted(self.path.parent.glob("*.cuh")) if self.is_lesson else []

    def findings(self, report):
        try:
            return json.loads(report.read_text(encoding="utf-8"))["findings"]
        except (OSError, ValueError, KeyError):
            return [] # a run refused its arguments, or launched nothing
        finally:
            report.unlink(missing_ok=True)


class Lesson(Unit):
    """A lesson's program; it verifies its own results."""

    is_lesson = True

    def __init__(self, build, path):
        super().__init__(build, path)
        self.lock = Lock()
        self.host = None # its object: host code, which no removal changes, and its own PTX

    @property
    def name(self):
        return f"lessons/{self.path.parent.name}"

    def make(self, work, site):
        self.write(work, site)
        with self.lock:
            if not self.host:
                self.compile(work, site, ["-O1", "-c", "-o", work / "host.o"])
                self.host = (work / "host.o").read_bytes()
        (work / "program.o").write_bytes(self.host)
        module = self.device_code(work, site)
        module.write_bytes(module.read_bytes() + b"\0")
        self.execute(site, ["objcopy", "--update-section", f".nv_fatbin={module}",
                            work / "program.o"])
        self.execute(site, ["c++", work / "program.o", self.build / "common/workbook/libworkbook.a",
                            self.library, "-lm", "-lpthread", "-o", work / "program"])

    def wrong_on_purpose(self):
        text = self.path.read_text("utf-8")
        return re.findall(r'\.name = "(\w+)"[^{}]*\.on_request = true', text)

    def run(self, work, check, schedule, variant="all", runs=RUNS):
        """(findings, right?)"""
        found, right = [], True
        for n, block in runs:
            report = work / "report.json"
            done = execute([work / "program", "--n", n, "--block", block, "--repeat", 1, "--json",
                            "--variant", variant], SIMT_CHECK=check, SIMT_SCHEDULE=schedule,
                           SIMT_REPORT=str(report), SIMT_MAX_WARP_INSTRUCTIONS="5000000")
            rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            right &= done.returncode in (0, 86) and bool(rows)
            right &= all(row["correct"] for row in rows)
            found += self.findings(report)
        return found, right


def checkers_of_kinds():
    """{kind of finding: whose it is}"""
    definitions = (ROOT / "common/simt/findings/findings.def").read_text("utf-8")
    rows = re.findall(r"^SIMT_FINDING\((\w+), (\w+),", definitions, re.MULTILINE)
    return {kind: checker.lower() for kind, checker in rows}


def findings_of(records):
    """What the checkers found, by a suite's records (it runs each check in a process of its own, so
    that there is no report of the whole)."""
    checkers = checkers_of_kinds()
    return [{"checker": checkers[kind], "kind": kind} for record in records
            for kind in record.get("findings", ())]


def is_right(record):
    """Whether a suite's check met no wrong result. That a kernel takes too many or too few
    barriers, or loads, is not one: a schedule alone may do that, and a removal does."""
    return record["status"] != "error" and not record.get("wrong_results", False)


class Solution(Unit):
    """A solution; the lesson's suite judges it."""

    is_lesson = False

    @property
    def name(self):
        return f"solutions/{self.path.stem}"

    def make(self, work, site):
        self.write(work, site)
        self.device_code(work, site)

    def wrong_on_purpose(self):
        return []

    def run(self, work, check, schedule, variant=None, runs=None):
        del variant, runs # as for lessons; a suite has its own
        results = work / "results.jsonl"
        results.unlink(missing_ok=True)
        done = execute([self.build / "tests" / self.path.stem, "--suite", "exercise"],
                       WB_MODULE=str(work / "module.ptx"), WB_SOURCE=self.path.name,
                       WB_RESULTS=str(results), SIMT_CHECK=check, SIMT_SCHEDULE=schedule,
                       CK_DEFAULT_TIMEOUT="120", SIMT_MAX_WARP_INSTRUCTIONS="5000000")
        lines = results.read_text("utf-8").splitlines() if results.exists() else []
        records = [json.loads(line) for line in lines]
        if not records:
            raise RuntimeError(f"{self.name}: the suite says nothing\n{done.stdout}{done.stderr}")
        return findings_of(records), all(map(is_right, records))


def units(build, only):
    folders = sorted(ROOT.glob("lessons/[0-9][0-9]_*"))
    every = [Lesson(build, folder / f"{folder.name[3:]}.cu") for folder in folders]
    every += [Solution(build, path) for path in sorted(ROOT.glob("solutions/*.cu"))]
    chosen = [unit for unit in every
              if not only or any(re.search(word, unit.name) for word in only)]
    for unit in chosen:
        if not unit.is_lesson and not (build / "tests" / unit.path.stem).exists():
            sys.exit(f"{unit.name}: its suite is not built (cmake --build {build} --target judge)")
    return chosen


def headers_of(unit):
    """The shared device headers that a unit includes, at once or through its own headers."""
    texts = [path.read_text("utf-8") for path in [unit.path] + unit.own_headers()]
    included = set(re.findall(r'#include "(\w+\.h)"', "\n".join(texts)))
    return [ROOT / header for header in HEADERS if Path(header).name in included]


def removals(unit):
    """Every synchronisation the unit uses."""
    paths = [unit.path] + headers_of(unit) + unit.own_headers()
    return [site for path in paths for site in sites_of(path)]


def try_removal(unit, site, work, stored):
    """One row of the table. `stored`: what is stored of each removal; then this one is only shown
    to the checkers, and no further once they have found what is stored."""
    unit.make(work, site)
    row = {"program": unit.name, "file": site.file, "function": site.function,
           "number": site.number, "call": site.call}
    found = unit.run(work, "all", "lockstep", runs=RUNS[:1])[0] if stored else []
    if not found or names(found, "checker") != stored.get(key_of(row)):
        found, _ = unit.run(work, "all", "lockstep")
    wrong = [] if stored else [s for s in SCHEDULES if not unit.run(work, "none", s)[1]]
    return {**row, "found_by": names(found, "checker"), "kinds": names(found, "kind"),
            "wrong_under": " ".join(wrong), "why": ""}


def key_of(row):
    return tuple(str(row[k]) for k in ("program", "file", "function", "call", "number"))


def names(found, key):
    return " ".join(sorted({finding[key] for finding in found}))


def try_as_it_is(unit, work, quick):
    """Complaints about a whole program: under no schedule may anything be found in it. `quick`:
    suites, which take long, under two schedules only."""
    complaints = []
    unit.make(work, None)
    for schedule in SCHEDULES if unit.is_lesson or not quick else ("lockstep", "random:1"):
        found, right = unit.run(work, "all", schedule)
        if found or not right:
            complaints.append(f"{unit.name} as it is, {schedule}: finds "
                              f"{names(found, 'kind') or 'nothing'}, "
                              f"result {'right' if right else 'wrong'}")
    for variant in unit.wrong_on_purpose():
        if not unit.run(work, "all", "lockstep", variant)[0]:
            complaints.append(f"{unit.name}: nothing is found in {variant}, wrong on purpose")
    return complaints


def do_job(unit, site, work, stored):
    """(row or None, complaints)"""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        if site:
            return try_removal(unit, site, work, stored), []
        return None, try_as_it_is(unit, work, bool(stored))
    finally:
        shutil.rmtree(work)


def explain(rows, reasons):
    """Fills in why nothing is found; complaints about explanations missing or out of date."""
    complaints = []
    for row in rows:
        name = f"{row['program']}: {row['file']} {row['function']} {row['call']} {row['number']}"
        row["why"] = reasons.get(name, "")
        if row["kinds"] and row["why"]:
            complaints.append(f"{name}: is found, but explained as not found")
        elif not row["kinds"] and row["wrong_under"]:
            complaints.append(f"{name}: not found, and wrong under {row['wrong_under']}")
        elif not row["kinds"] and not row["why"]:
            complaints.append(f"{name}: not found by any checker, and not explained")
    return complaints


def stale(every, reasons):
    """Complaints about explanations of removals that `every` unit together does not have."""
    there = {f"{unit.name}: {site.name}" for unit in every for site in removals(unit)}
    return [f"explained, but there is no such removal: {name}"
            for name in sorted(reasons.keys() - there)]


def provenance(compiler):
    runs = ", ".join(f"n = {n} in blocks of {block}" for n, block in RUNS)
    return ["# device: the software GPU", f"# toolkit: {compiler}",
            "# command: tests/simt/checks/remove_syncs.py build --write FILE",
            f"# method: one synchronisation taken out at a time; lessons run with {runs}; "
            f"solutions "
            "judged by their suites; checkers under lockstep, then results under each schedule "
            "without checkers",
            "# key: program/file/function/call/number"]


def write(path, rows, compiler):
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\n".join(provenance(compiler)) + "\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_stored(path):
    """{key of a removal: who finds it}"""
    lines = path.read_text("utf-8").splitlines()
    return {key_of(row): row["found_by"]
            for row in csv.DictReader(line for line in lines if not line.startswith("#"))}


def compare(path, rows, compiler):
    """Complaints: rows of this run whose finding is not the stored one. With another compiler
    another checker may be first to find it: then it must be found at all."""
    same_compiler = f"# toolkit: {compiler}" in path.read_text("utf-8").splitlines()
    stored = read_stored(path)
    complaints = []
    for row in rows:
        name, found_by = key_of(row), row["found_by"]
        if name not in stored:
            complaints.append(f"{' '.join(name)}: not stored yet")
        elif stored[name] != found_by and (same_compiler or bool(stored[name]) != bool(found_by)):
            complaints.append(f"{' '.join(name)}: was found by {stored[name] or 'no checker'}, "
                              f"is by {found_by or 'no checker'}")
    return complaints


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", action="append", default=[], help="programs by name")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=Path, help="default: BUILD_DIR/tests/simt/remove_syncs")
    return parser.parse_args()


def main():
    options = parse_arguments()
    build = options.build.resolve()
    work = (options.work or build / "tests/simt/remove_syncs").resolve()
    jobs = [(unit, site) for unit in units(build, options.only) for site in [None] + removals(unit)]
    stored = read_stored(options.compare) if options.compare else None
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda job: do_job(*job[1], work / str(job[0]), stored),
                             enumerate(jobs)))
    rows = [row for row, _ in done if row]
    complaints = [complaint for _, found in done for complaint in found]
    reasons = json.loads(EXPLAINED.read_text("utf-8"))
    complaints += explain(rows, reasons) + stale(units(build, []), reasons)
    if options.compare:
        complaints += compare(options.compare, rows, origin.clang_of(build / "common/simt/simtcc"))
    if options.write:
        write(options.write, rows, origin.clang_of(build / "common/simt/simtcc"))
    for complaint in complaints:
        print(complaint)
    n_found, n_wrong = (sum(bool(row[key]) for row in rows) for key in ("kinds", "wrong_under"))
    print(f"{len(jobs) - len(rows)} programs; {len(rows)} removals, {n_found} found by the checkers"
          + ("" if options.compare else f", {n_wrong} give a wrong result under some schedule")
          + f"; {len(complaints)} complaints")
    return 1 if complaints or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
