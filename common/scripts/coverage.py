#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make coverage`: which lines of common/ the tests run. Builds with GCC's --coverage in
build-coverage, runs the unit tests and the suites (ARGS, for ctest,
runs others) and prints a row per room; build-coverage/coverage.csv has a row per file, and
build-coverage/missed.txt the lines that no test ran.

    coverage.py            configure, build, test, report
    coverage.py --report   report on what has been run

Lines with code are counted once each, however often they were compiled (lanes/ is compiled for two
kinds of processor). Not measured: device code, what ends by a signal before it writes its counts,
and what runs behind the grader's fence, which cannot write them. Left out are the grader's longest
tests, and those of verdicts that are to come soon. Exit: 1 also when a test failed.
"""

import csv
import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("-L unit|suite -E fuzz|_(reverse|lane-serial|random_1|delayed-stores)$|^try_verdicts$|"
         "^grade_(twenty|fence|tricks|serial)$")


def run(*command):
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status:
        sys.exit(f"coverage.py: {command[0]} failed with status {status}")


def build_and_test(build):
    """Whether all tests passed."""
    jobs = os.environ.get("JOBS") or str(os.cpu_count() or 2)
    if shutil.which("gcc") is None or shutil.which("gcov") is None:
        sys.exit("coverage.py: needs gcc and its gcov. Debian/Ubuntu: apt install gcc")
    run("cmake", "-S", ".", "-B", str(build), "-DWORKBOOK_BACKEND=SIMT", "-DWORKBOOK_COVERAGE=ON",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_COMPILER=gcc")
    run("cmake", "--build", str(build), "--parallel", jobs)
    for old in build.rglob("*.gcda"):
        old.unlink()
    tests = shlex.split(os.environ.get("ARGS", "")) or shlex.split(TESTS)
    return subprocess.run(["ctest", "--test-dir", str(build), "--parallel", jobs,
                           "--output-on-failure", "--no-tests=error", *tests], cwd=ROOT,
                          check=False).returncode == 0


def counts_of(notes, folder):
    """[(file, {line: count})] of one object file, by gcov."""
    subprocess.run(["gcov", "--json-format", "--object-directory", notes.parent, notes], cwd=folder,
                   capture_output=True, check=True)
    for path in Path(folder).glob("*.gcov.json.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            report = json.load(file)
        path.unlink()
        for source in report["files"]:
            place = Path(report["current_working_directory"], source["file"]).resolve()
            yield place, {line["line_number"]: line["count"] for line in source["lines"]}


def gather(build, root=ROOT):
    """{file below common/: {line: how often it ran}}; 0 for all lines of a file that nothing
    ran."""
    lines = defaultdict(lambda: defaultdict(int))
    with tempfile.TemporaryDirectory() as folder:
        for notes in sorted(build.rglob("*.gcno")):
            for place, counts in counts_of(notes, folder):
                if (root / "common") in place.parents:
                    for line, count in counts.items():
                        lines[place.relative_to(root / "common").as_posix()][line] += count
    return lines


def room_of(name):
    return str(Path(name).parent)


def ranges(numbers):
    """'3-5 9' for [3, 4, 5, 9]."""
    out = []
    for n in sorted(numbers):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def report(build, lines):
    if not lines:
        sys.exit(f"coverage.py: nothing of common/ has been run in {build}")
    rooms = defaultdict(lambda: [0, 0, 0])
    with open(build / "coverage.csv", "w", encoding="utf-8", newline="") as table, \
            open(build / "missed.txt", "w", encoding="utf-8") as missed:
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["file", "lines", "run", "percent"])
        for name in sorted(lines):
            n, ran = len(lines[name]), sum(count > 0 for count in lines[name].values())
            rows.writerow([f"common/{name}", n, ran, f"{100 * ran / n:.1f}"])
            if ran < n:
                gaps = ranges(line for line, count in lines[name].items() if not count)
                missed.write(f"common/{name}: {gaps}\n")
            for room in (room_of(name), "all"):
                rooms[room] = [a + b for a, b in zip(rooms[room], (1, n, ran))]
    print(f"{'room':24} {'files':>5} {'lines':>7} {'run':>7}")
    for room in sorted(rooms, key=lambda room: (room == "all", room)):
        files, n, ran = rooms[room]
        print(f"{room:24} {files:5} {n:7} {100 * ran / n:6.1f} %")
    print(f"By file: {build}/coverage.csv; lines that no test ran: {build}/missed.txt")


def main():
    build = ROOT / "build-coverage"
    passed = sys.argv[1:] == ["--report"] or build_and_test(build)
    report(build, gather(build))
    if not passed:
        sys.exit("coverage.py: tests failed, as shown above; what they ran is counted all the same")


if __name__ == "__main__":
    main()
