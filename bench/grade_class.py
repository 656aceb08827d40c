#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long the grader takes for a class, and whether a run that was killed gives the same.

    bench/grade_class.py BUILD_DIR [--students N] [--jobs J] [--to FILE]

Makes a class of N students (300), each of whom hands in about nine of fourteen exercises:
solutions, other right programs, mutants, serial kernels, untouched stubs, texts that do not
compile. Grades it once undisturbed with J jobs (2), and once with another number of jobs, killed by
SIGKILL after a third and after two thirds of the verdicts, and run again. Every file of results
must be the same, times aside.

Prints a JSON object with what it took: seconds, processor seconds, the grader's memory after a
tenth of the class and at its end, the machine and its load. Exit: 0 the same, 1 they differ.
"""

import argparse
import datetime
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/mutants"))
import run_mutants  # noqa: E402

HANDED_IN = ("solution", None, "mutant", None, "right", None, "mutant", "serial", "mutant", None,
             "stub", None, "mutant", "broken")
TIMES = {"times.csv", ".lock"}


def texts_of(name):
    """{kind: [text]} of one exercise."""
    def read(paths):
        return [path.read_text(encoding="utf-8") for path in sorted(paths)]
    solution = (ROOT / f"solutions/{name}.cu").read_text(encoding="utf-8")
    mutants = sorted((ROOT / f"tests/mutants/{name}").glob("*.mutant"))
    stub = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", name], check=True,
                          capture_output=True, text=True).stdout
    right = read((ROOT / f"tests/mutants/{name}").glob("*.cu"))
    right += read((ROOT / "tests/grade/honest").glob(f"{name}.*.cu"))
    return {"solution": [solution], "stub": [stub], "right": right or [solution],
            "mutant": [run_mutants.mutant_text(path)[1] for path in mutants],
            "serial": read((ROOT / "tests/grade/serial").glob(f"{name}.*.cu")) or [stub],
            "broken": [solution.replace("{", "(", 1), ""]}


def hand_in(folder, n_students):
    """Writes the class; returns the number of files."""
    names = sorted(path.stem for path in (ROOT / "solutions").glob("[0-9]*.cu"))
    texts = {name: texts_of(name) for name in names}
    n_files = 0
    for student in range(n_students):
        place = folder / f"student{student:03}"
        place.mkdir(parents=True)
        for index, name in enumerate(names):
            kind = HANDED_IN[(3 * student + index) % len(HANDED_IN)]
            if kind:
                some = texts[name][kind]
                # A line of its own: no two students' files are the same, nothing is judged once.
                text = some[(student // 3 + index) % len(some)] + f"// {place.name}\n"
                (place / f"{name}.cu").write_text(text, encoding="utf-8")
                n_files += 1
    return n_files


def memory_kib(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def n_verdicts(out):
    folder = out / "verdicts"
    return sum(name.endswith(".json") for name in os.listdir(folder)) if folder.exists() else 0


class Run:
    """One call of the grader."""

    def __init__(self, arguments, folder, out, jobs):
        out.mkdir(exist_ok=True)
        self.out = out
        self.command = [Path(arguments.build) / "common/grade/grade", "--build", arguments.build,
                        "--submissions", folder, "--out", out, "--check", "all", "--schedule",
                        "sweep:4", "--jobs", str(jobs)]

    def start(self):
        return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def whole(self, n_files):
        """Seconds, processor seconds, memory after a tenth and at the end."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = self.start()
        memory = {"early": 0, "late": 0}

        def watch():
            while process.poll() is None:
                now = memory_kib(process.pid)
                if n_verdicts(self.out) <= n_files // 10:
                    memory["early"] = max(memory["early"], now)
                memory["late"] = max(memory["late"], now)
                time.sleep(1)
        watcher = threading.Thread(target=watch)
        watcher.start()
        status = process.wait()
        watcher.join()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if status != 0:
            raise SystemExit(f"the grader ended with status {status}")
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"seconds": round(time.monotonic() - start, 1), "cpu_seconds": round(cpu_s, 1),
                "memory_early_kib": memory["early"], "memory_late_kib": memory["late"]}

    def killed(self, n_files):
        """Killed twice, then to the end."""
        at = []
        for part in (1, 2):
            process = self.start()
            while process.poll() is None and n_verdicts(self.out) < part * n_files // 3:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            at.append(n_verdicts(self.out))
        self.whole(n_files)
        return at


def contents(out):
    """{path: bytes} of all results, times aside."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if not path.is_file() or name in TIMES:
            continue
        data = path.read_bytes()
        if name.startswith("verdicts/") and name.endswith(".json"):
            verdict = json.loads(data)
            verdict.pop("cpu_s", None)
            data = json.dumps(verdict, sort_keys=True).encode()
        found[name] = data
    return found


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.processor())
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                            capture_output=True, text=True, check=False).stdout.strip()
    return {"processor": model, "cores": os.cpu_count(), "commit": commit,
            "load_before": round(os.getloadavg()[0], 1),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


def main():
    parser = argparse.ArgumentParser(description="Benchmark of the grader on a class.")
    parser.add_argument("build")
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--to")
    arguments = parser.parse_args()
    arguments.build = str(Path(arguments.build).resolve())
    report = machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        n_files = hand_in(folder / "class", arguments.students)
        report.update(students=arguments.students, programs=n_files, jobs=arguments.jobs)
        first = Run(arguments, folder / "class", folder / "first", arguments.jobs)
        second = Run(arguments, folder / "class", folder / "second", arguments.jobs + 1)
        report.update(first.whole(n_files))
        report["killed_at"] = second.killed(n_files)
        one, other = contents(first.out), contents(second.out)
        differ = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
        report.update(files=len(one), same=not differ)
    report["load_after"] = round(os.getloadavg()[0], 1)
    text = json.dumps(report, indent=2)
    print(text)
    if arguments.to:
        Path(arguments.to).write_text(text + "\n", encoding="utf-8")
    for key in differ[:10]:
        print(f"differs: {key}", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
