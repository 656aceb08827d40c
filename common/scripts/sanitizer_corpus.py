#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compute-sanitizer on the corpus of wrong and mended programs, beside our own checkers.

    sanitizer_corpus.py run --out RUN.csv [--work DIR] [--jobs N] [--seconds N] [--only NAME]
                         [--wrong TOOL...] [--no-mended]
                                                         on a machine with a GPU
    sanitizer_corpus.py merge RUN.csv...                 anywhere: writes the stored table

`run` builds the corpus with nvcc and runs every wrong program once under each of the four tools,
and the mended ones together; what is written says, for each program, which tool found how much.
`merge` puts it beside what ours find (figures/data/checks-corpus.csv) into
figures/data/h200-sanitizer-corpus.csv.

A program that does not end on a GPU (some wait for ever) is stopped after a while: `hangs`. What is
not begun within --seconds is left out; several runs (--wrong: these tools only for the wrong
programs) may be merged, later ones before earlier ones, and `merge` refuses when something is still
missing.
"""

import argparse
import csv
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "figures" / "data"
sys.path.insert(0, str(ROOT / "tests" / "simt" / "checks"))

from cases import HERE, batch_source, read_cases  # noqa: E402

# --padding: else one array ends where the next one begins, and an access just behind it is in
# bounds.
TOOLS = {"memcheck": ["--leak-check", "full", "--padding", "256"],
         "racecheck": ["--racecheck-report", "all"],
         "initcheck": [], "synccheck": []}
CASES_A_PROGRAM = 10
TIMEOUT_S = 15
RUN_COLUMNS = ("program", "version", "tool", "errors", "warnings", "infos", "result", "first")
STORED = ("program", "finds", "ours", "theirs", "tools", "kinds", "mended", "result", "verdict")

ERRORS = re.compile(r"^========= ERROR SUMMARY: (\d+) error", re.MULTILINE)
HAZARDS = re.compile(r"^========= RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, (\d+) "
                     r"warnings?\)",
                     re.MULTILINE)
LEAKS = re.compile(r"^========= LEAK SUMMARY: \d+ bytes leaked in ([1-9]\d*) alloc", re.MULTILINE)
MESSAGE = re.compile(r"^========= (?!COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|LEAK "
                     r"SUMMARY|  )(\S.*)$",
                     re.MULTILINE)
RESULT = re.compile(r"^result: (\w+)$", re.MULTILINE)
KERNEL = re.compile(r"\b(\w+)_mended::")


def build(work, number, cases):
    program = work / f"corpus_{number}"
    program.with_suffix(".cu").write_text(batch_source(cases), encoding="utf-8")
    command = ["nvcc", "-std=c++17", "-w", "-O3", "-lineinfo", "-arch=native", f"-I{HERE}",
               str(program.with_suffix(".cu")), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return program


def execute(command):
    """(what it printed, whether it came to an end); the whole process group is stopped if it does
    not."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as process:
        try:
            return process.communicate(timeout=TIMEOUT_S)[0], True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0] or "", False


def count(pattern, text, group=1):
    match = pattern.search(text)
    return int(match[group]) if match else 0


def row_of(program, version, tool, text, ended):
    result = RESULT.search(text)
    messages = [m for m in MESSAGE.findall(text) if not m.startswith(("Leaked", "Target"))]
    errors = count(HAZARDS, text) if tool == "racecheck" else count(ERRORS, text)
    first = messages[0] if messages else ""
    if LEAKS.search(text) and not first:
        first = "Leaked memory"
    return {"program": program, "version": version, "tool": tool, "errors": errors,
            "warnings": count(HAZARDS, text, 2) if tool == "racecheck" else 0,
            "infos": text.count("========= Info:"),
            "result": "hangs" if not ended else result[1] if result else "nothing",
            "first": first[:160]}


def run_wrong(job):
    program, case, tool = job
    text, ended = execute(["compute-sanitizer", "--tool", tool, *TOOLS[tool], str(program),
                           f"{case.name}/wrong"])
    return [row_of(case.name, "wrong", tool, text, ended)]


def run_mended(job):
    """All mended programs of one file at once; a finding is traced to its program by the kernel's
    name."""
    program, cases, tool = job
    text, ended = execute(["compute-sanitizer", "--tool", tool, *TOOLS[tool], str(program)] +
                          [f"{case.name}/mended" for case in cases])
    named, total = set(KERNEL.findall(text)), row_of("-", "mended", tool, text, ended)
    n = total["errors"] + total["warnings"]
    rows = [dict(total, program=case.name, errors=int(case.name in named and n > 0), warnings=0,
                 result="-", first=total["first"] if case.name in named else "") for case in cases]
    if n and not named or not ended:
        print(f"mended programs, {tool}: {n} findings of no kernel; ended: {ended}\n{text[-2000:]}")
    return rows


def may_hang(job):
    return job[0] is run_wrong and any(expected.kind == "deadlock" for expected in job[1][1].finds)


def run(options):
    begin = time.monotonic()
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    cases = read_cases(only=options.only)
    groups = [cases[i:i + CASES_A_PROGRAM] for i in range(0, len(cases), CASES_A_PROGRAM)]
    with ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(lambda pair: build(work, *pair), enumerate(groups)))
        print(f"built after {time.monotonic() - begin:.0f} s", flush=True)
        jobs = [(run_mended, (program, group, tool)) for tool in TOOLS if not options.no_mended
                for program, group in zip(programs, groups)]
        jobs += [(run_wrong, (program, case, tool)) for tool in options.wrong
                 for program, group in zip(programs, groups) for case in group]
        jobs.sort(key=may_hang) # last: what spins takes the GPU's time from all others

        def begin_in_time(job):
            return job[0](job[1]) if time.monotonic() - begin < options.seconds else []

        rows = [row for rows in pool.map(begin_in_time, jobs) for row in rows]
    with options.out.open("w", encoding="utf-8", newline="") as file:
        file.write("".join(f"# {line}\n" for line in provenance()))
        writer = csv.DictWriter(file, RUN_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} rows after {time.monotonic() - begin:.0f} s")


def said_by(command, pattern):
    try:
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return "unknown"
    match = re.search(pattern, text)
    return match[1].strip() if match else "unknown"


def provenance():
    query = ["nvidia-smi", "--format=csv,noheader"]
    return [f"device: {said_by(query + ['--query-gpu=name'], '(.+)')}",
            f"driver: {said_by(query + ['--query-gpu=driver_version'], '(.+)')}",
            f"toolkit: CUDA {said_by(['nvcc', '--version'], 'release ([0-9.]+)')}, "
            f"compute-sanitizer {said_by(['compute-sanitizer', '--version'], 'ersion ([0-9.]+)')}",
            f"date: {time.strftime('%Y-%m-%d')}",
            "method: tests/simt/checks built by nvcc -O3 -lineinfo; each wrong program once under "
            "each tool, options: " + "; ".join(f"{tool} {' '.join(words)}".strip()
                                               for tool, words in TOOLS.items()),
            "command: common/scripts/sanitizer_corpus.py run --out FILE"]


# ---- beside ours ---------------------------------------------------------------------------------

def read_csv(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line[2:] for line in lines if line.startswith("#")]
    return comments, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def merged(ours, theirs):
    """One row a program: found by it, by us, by both, by neither."""
    rows = []
    for row in ours:
        mine = [t for t in theirs if t["program"] == row["program"]]
        wrong = [t for t in mine if t["version"] == "wrong"]
        loud = [t for t in wrong if int(t["errors"]) + int(t["warnings"]) > 0]
        alarms = [t["tool"] for t in mine if t["version"] == "mended" and int(t["errors"]) > 0]
        results = sorted({t["result"] for t in wrong})
        counts = [f"{t['tool']} {t['errors']}+{t['warnings']}" for t in loud]
        rows.append({
            "program": row["program"], "finds": row["finds"], "ours": row["severity"],
            "theirs": "error" if any(int(t["errors"]) for t in loud) else "warning" if loud
            else "-",
            "tools": " ".join(counts), "kinds": "; ".join(dict.fromkeys(t["first"] for t in loud)),
            "mended": " ".join(alarms) or "-", "result": " ".join(results),
            "verdict": "both" if loud else "ours only"})
    return rows


def merge(options):
    latest, comments = {}, []
    for path in options.runs:
        comments, rows = read_csv(path)
        for row in rows:
            key = row["program"], row["version"], row["tool"]
            # A run that has ended says more than a stopped one.
            if row["result"] != "hangs" or key not in latest:
                latest[key] = row
    theirs = list(latest.values())
    _, ours = read_csv(DATA / "checks-corpus.csv")
    rows = merged(ours, theirs)
    missing = sorted({row["program"] for row in ours for version in ("wrong", "mended")
                      for tool in TOOLS
                      if (row["program"], version, tool) not in latest})
    if missing:
        sys.exit(f"there are no rows of: {', '.join(missing)}")
    path = DATA / "h200-sanitizer-corpus.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("".join(f"# {line}\n" for line in comments))
        file.write("# note: tools = errors + warnings of each; kinds = the first message of each; "
                   "ours = what the software GPU finds in the same program (checks-corpus.csv); "
                   "result = on the GPU, under the tools; verdict = found by both or by ours "
                   f"only. {options.note}\n# key: program\n")
        writer = csv.DictWriter(file, STORED, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path.relative_to(ROOT)}: {len(rows)} programs, "
          f"{sum(row['verdict'] == 'both' for row in rows)} found by compute-sanitizer too")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--work", type=Path, default=Path("build-sanitizer"))
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    one.add_argument("--no-mended", action="store_true", help="the wrong programs only")
    one.add_argument("--only", action="append", default=[], help="programs by name")
    one.add_argument("--seconds", type=float, default=3600)
    one.add_argument("--wrong", nargs="*", choices=list(TOOLS), default=list(TOOLS), metavar="TOOL")
    two = commands.add_parser("merge")
    two.add_argument("runs", type=Path, nargs="+")
    two.add_argument("--note", default="", help="what else is to be known about the runs")
    options = parser.parse_args()
    return (run if options.command == "run" else merge)(options)


if __name__ == "__main__":
    sys.exit(main())
