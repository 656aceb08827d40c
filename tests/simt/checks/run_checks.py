#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the corpus of wrong and mended programs, runs it under every schedule, and judges the
checkers.

    run_checks.py --compiler COMPILER --work DIR [--only REGEX]... [--verbose]
                  [--store FILE.csv | --compare FILE.csv]

COMPILER is simtcc or simt-nvcc. A wrong program must give exactly the findings that it names (kind
and lines), a mended one none and the right result. --store writes what each wrong program computes
under each schedule, --compare looks whether it still does. --only runs some of the cases. Programs
are built again only when something they are made of has changed. Exit status: 0 all as it must be,
1 not.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common/scripts"))
import provenance  # noqa: E402
from cases import HERE, SCHEDULES, CaseError, batch_source, judge, kinds, read_cases

CASES_A_PROGRAM = 14
MIN_PAIRS, MIN_PAIRS_A_KIND = 60, 2
NOT_OF_A_PROGRAM = {"race_unwatched"} # what a checker says about itself
TIMEOUT_S = 120
RESULT = re.compile(r"^result: (\w+)$", re.MULTILINE)


def is_current(program, text, sources):
    source = program.with_suffix(".cu")
    if not program.exists() or not source.exists() or source.read_text("utf-8") != text:
        return False
    made = program.stat().st_mtime
    return all(path.stat().st_mtime < made for path in sources)


def build(compiler, work, number, cases):
    """One program of several cases; returns its path. RuntimeError: what the compiler said."""
    program = work / f"{compiler.name}_{number}"
    text = batch_source(cases)
    library = compiler.parent / "libsimt.a"
    sources = [case.path for case in cases] + [HERE / "case.h", compiler]
    if is_current(program, text, sources + ([library] if library.exists() else [])):
        return program
    program.with_suffix(".cu").write_text(text, encoding="utf-8")
    only_ptx = ["-arch=compute_75"] if "nvcc" in compiler.name else []
    command = [str(compiler), *only_ptx, "-std=c++17", "-w", f"-I{HERE}",
               str(program.with_suffix(".cu")), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return program


def run(program, case, version, schedule):
    """One run: (findings, result, exit status, standard error)."""
    report = program.with_name(f"{case.name}.{version}.{schedule.replace(':', '_')}.json")
    report.unlink(missing_ok=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SIMT_")}
    environment.update(SIMT_CHECK="all", SIMT_SCHEDULE=schedule, SIMT_REPORT=str(report),
                       SIMT_MAX_WARP_INSTRUCTIONS="20000000")
    try:
        done = subprocess.run([str(program), f"{case.name}/{version}"], env=environment,
                              timeout=TIMEOUT_S, capture_output=True, text=True, errors="replace",
                              check=False)
    except subprocess.TimeoutExpired:
        return [], "timeout", 124, ""
    try:
        findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    except (OSError, ValueError, KeyError) as error:
        return [], "no report", done.returncode, f"{error!r}\n{done.stderr}"
    report.unlink()
    result = RESULT.search(done.stdout)
    return findings, result[1] if result else "nothing", done.returncode, done.stderr


def status_complaint(findings, result, status):
    """A program that would have ended with 0 ends with 86 when errors are found."""
    errors = any(kinds()[f["kind"]][1] == "error" for f in findings)
    expected = 1 if result != "right" else 86 if errors else 0
    return [] if status == expected else [f"exit status {status}, not {expected}"]


def check_coverage(cases):
    """Complaints about the corpus as a whole."""
    counts = dict.fromkeys(kinds(), 0)
    for case in cases:
        for kind in {expected.kind for expected in case.finds}:
            counts[kind] += 1
    complaints = [f"only {n} pairs show {kind}" for kind, n in counts.items()
                  if n < MIN_PAIRS_A_KIND and kind not in NOT_OF_A_PROGRAM]
    if len(cases) < MIN_PAIRS:
        complaints.append(f"only {len(cases)} pairs")
    return complaints


def judge_run(program, case, version, schedule, strict):
    findings, result, status, text = run(program, case, version, schedule)
    complaints = judge(case, version, schedule, findings, result, strict and schedule == "lockstep")
    complaints += status_complaint(findings, result, status)
    return {"case": case, "version": version, "schedule": schedule, "result": result,
            "complaints": complaints, "stderr": text}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def build_all(options, cases):
    """[(program, its cases)]"""
    options.work.mkdir(parents=True, exist_ok=True)
    groups = [cases[i:i + CASES_A_PROGRAM] for i in range(0, len(cases), CASES_A_PROGRAM)]
    names = [f"some_{i}" if options.only else str(i) for i in range(len(groups))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = pool.map(
            lambda pair: build(options.compiler.resolve(), options.work.resolve(), *pair),
            zip(names, groups))
        return list(zip(programs, groups))


def run_all(programs, strict):
    jobs = [(program, case, version, schedule, strict) for program, group in programs
            for case in group for version in ("wrong", "mended") for schedule in case.schedules]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: judge_run(*job), jobs))


# ---- what is stored: one row a pair, one column a schedule ---------------------------------------

def table(runs):
    rows = {}
    for run_ in runs:
        case = run_["case"]
        if run_["version"] == "mended":
            continue
        found = sorted({expected.kind for expected in case.finds})
        row = rows.setdefault(case.name, {
            "program": case.name, "finds": " ".join(found),
            "checkers": " ".join(sorted({kinds()[kind][0] for kind in found})),
            "severity": "error" if any(kinds()[kind][1] == "error" for kind in found) else "note",
            **dict.fromkeys(SCHEDULES, "-"), "about": case.description})
        if run_["schedule"] in row:
            row[run_["schedule"]] = run_["result"]
    return list(rows.values())


def store(path, rows, compiler):
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# device: the software GPU\n# toolkit: {compiler}\n"
                   "# command: tests/simt/checks/run_checks.py --compiler simtcc --work DIR "
                   "--store FILE\n"
                   "# method: what every wrong program prints under each schedule, all checkers "
                   "on; "
                   "`-`: the program is run in a sweep\n# key: program\n")
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def compare(path, rows, whole, compiler):
    """Complaints: rows that are no longer what is stored."""
    lines = path.read_text("utf-8").splitlines()
    if f"# toolkit: {compiler}" not in lines:
        print(f"{path.name} was made with another compiler than {compiler}: what wrong programs "
              f"print "
              "is not compared, what must be found is")
        return []
    stored = {row["program"]: row for row in csv.DictReader(l for l in lines if l[0] != "#")}
    complaints = [f"{row['program']}: {path.name} holds {stored.get(row['program'])}, "
                  f"this run gives {row}" for row in rows if stored.get(row["program"]) != row]
    gone = stored.keys() - {row["program"] for row in rows} if whole else ()
    return complaints + [f"{name}: in {path.name}, but no such pair" for name in sorted(gone)]


def main():
    options = parse_arguments()
    by_nvcc = "nvcc" in options.compiler.name
    try:
        cases = read_cases(only=options.only)
        complaints = [] if options.only else check_coverage(cases)
        runs = run_all(build_all(options, cases), not by_nvcc)
    except (CaseError, RuntimeError) as error:
        sys.exit(str(error))
    for run_ in runs:
        where = f"{run_['case'].name}, {run_['version']}, {run_['schedule']}"
        complaints += [f"{where}: {complaint}" for complaint in run_["complaints"]]
        if run_["complaints"] and options.verbose:
            complaints.append(run_["stderr"])
    if options.compare:
        complaints += compare(options.compare, table(runs), not options.only,
                              provenance.clang_of(options.compiler))
    if options.store:
        store(options.store, table(runs), provenance.clang_of(options.compiler))
    print("\n".join(complaints))
    print(f"{len(cases)} pairs, {len(runs)} runs, {len(complaints)} complaints")
    return 1 if complaints or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
