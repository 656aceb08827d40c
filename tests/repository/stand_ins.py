# SPDX-License-Identifier: MIT
"""A build folder for a GPU, with stand-ins for lesson programs, nvidia-smi and nvcc; for the tests
of what measures and stores."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "common/scripts"
LESSONS = sorted(path.name for path in (ROOT / "lessons").iterdir() if path.is_dir())

# A lesson program: a row a size and variant, as slow as the file `delay` says; size 8192 is wrong
# or fails if the file `mistake` says so. Every call is written down.
PROGRAM = """#!{python}
import json, sys, time
from pathlib import Path
here, name, lesson = Path({folder!r}), Path(sys.argv[0]).name, {lesson!r}
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
(here / "calls").open("a").write(f"{{name}} {{options['--n']}} {{options['--block']}} "
                                 f"{{options['--variant']}}\\n")
mistake = (here / "mistake").read_text() if (here / "mistake").exists() else ""
status = 0
for n in map(int, options["--n"].split(",")):
    if (here / "delay").exists():
        time.sleep(float((here / "delay").read_text()))
    if mistake == "fails" and n == 8192:
        sys.exit("out of memory")
    names = ["float_slots"] if options["--variant"] == "contention" else ["slow", "fast", "cub"]
    for at, variant in enumerate(names):
        ms = n / 1e6 / (at + 1)
        wrong = mistake == "wrong" and n == 8192 and variant == "fast"
        status |= wrong
        row = dict(lesson=lesson, variant=variant, n=n, block=int(options["--block"]), grid=1,
                   backend="cuda", device="NVIDIA Test", time_ms=ms, time_p10_ms=ms * 0.99,
                   time_p90_ms=ms * 1.01, time_kind="measured", repeats=20, regime="cold", batch=3,
                   ceiling="read", ceiling_gb_per_s=20.0, percent_of_peak=1.0,
                   gb_per_s=4e-6 * n / ms, times_cub=0.5, ties_cub=False, correct=not wrong,
                   error_over_bound=0.5, message="bad" if wrong else None, explains={{}},
                   counters={{}})
        if options["--variant"] == "contention":
            row["parameter"] = 4
        print(json.dumps(row), flush=True)
    print(f"slow not run: one run of n = {{n}} would take about 900 ms", file=sys.stderr)
sys.exit(status)
"""

SMI = """#!/bin/sh
case $* in
  "-i 1 "*driver_version*) echo 'NVIDIA Second, 580.1, 700 W' ;;
  *driver_version*) echo 'NVIDIA Test, 580.1, 700 W' ;;
  *clocks*) echo '1980 MHz, 1980 MHz, 3201 MHz, 3201 MHz' ;;
esac
"""
NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n"


def python_that_draws():
    """The Python that has matplotlib: this one, or the system's, as the workbook looks for it."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import matplotlib"], capture_output=True,
                          check=False).returncode == 0:
            return python
    raise RuntimeError("no Python here has matplotlib; make setup installs it")


class Machine(unittest.TestCase):
    """A build folder for a GPU with stand-in programs, and a stand-in nvidia-smi."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.here = Path(holder.name)
        self.build, self.out = self.here / "build", self.here / "out"
        self.write("bin/nvidia-smi", SMI)
        self.write("bin/nvcc", NVCC)
        self.write("build/CMakeCache.txt", "WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA\n"
                   f"WORKBOOK_NVCC:FILEPATH={self.here}/bin/nvcc\n")
        for name in ("00_naive_atomic", "06_grid_stride"):
            self.program(name)
        self.program("contention", "bench", lesson="00_naive_atomic")
        self.environment = {**os.environ, "PATH": f"{self.here}/bin:{os.environ['PATH']}",
                            "MPLCONFIGDIR": str(self.here)}

    def write(self, name, text):
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def program(self, name, folder="lessons", lesson=None):
        self.write(f"build/{folder}/{name}", PROGRAM.format(
            python=sys.executable, folder=str(self.here), lesson=lesson or name))

    def script(self, name, *arguments, python=sys.executable):
        return subprocess.run([python, "-B", SCRIPTS / name, *map(str, arguments)],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False, env=self.environment)

    def sweep(self, *arguments):
        return self.script("sweep.py", "--build", self.build, "--out", self.out, "--sizes",
                           "12..14",
                           "--no-plots", *arguments)

    def table(self):
        with open(self.out / "sweep.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def calls(self):
        calls = (self.here / "calls").read_text().splitlines()
        (self.here / "calls").unlink()
        return calls
