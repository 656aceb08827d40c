#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sweep, the store of measurements and the profile, with stand-ins for programs and for ncu: what
they write, what they refuse, and that an interrupted sweep loses nothing."""

import csv
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "common/scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))
import profile_reasons  # noqa: E402

# A lesson program: a row a size and variant, as slow as the file `delay` says; size 8192 is wrong or
# fails if the file `mistake` says so. Every call is written down.
PROGRAM = """#!{python}
import json, sys, time
from pathlib import Path
here, name = Path({folder!r}), Path(sys.argv[0]).name
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
        row = dict(lesson=name, variant=variant, n=n, block=int(options["--block"]), grid=1,
                   backend="cuda", device="NVIDIA Test", time_ms=ms, time_p10_ms=ms * 0.99,
                   time_p90_ms=ms * 1.01, time_kind="measured", repeats=20, regime="cold", batch=3,
                   ceiling="read", ceiling_gb_per_s=20.0, percent_of_peak=1.0,
                   gb_per_s=4e-6 * n / ms, times_cub=0.5, ties_cub=False, correct=not wrong,
                   error_over_bound=0.5, message="bad" if wrong else None, explains={{}}, counters={{}})
        if options["--variant"] == "contention":
            row["parameter"] = 4
        print(json.dumps(row), flush=True)
    print(f"slow not run: one run of n = {{n}} would take about 900 ms", file=sys.stderr)
sys.exit(status)
"""

SMI = """#!/bin/sh
case $* in
  *driver_version*) echo 'NVIDIA Test, 580.1, 700 W' ;;
  *clocks*) echo '1980 MHz, 1980 MHz, 3201 MHz, 3201 MHz' ;;
esac
"""
NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n"


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
        self.environment = {**os.environ, "PATH": f"{self.here}/bin:{os.environ['PATH']}",
                            "MPLCONFIGDIR": str(self.here)}

    def write(self, name, text):
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def program(self, name):
        self.write(f"build/lessons/{name}",
                   PROGRAM.format(python=sys.executable, folder=str(self.here)))

    def script(self, name, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPTS / name, *map(str, arguments)],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False, env=self.environment)

    def sweep(self, *arguments):
        return self.script("sweep.py", "--build", self.build, "--out", self.out, "--sizes", "12..14",
                           "--no-plots", *arguments)

    def table(self):
        with open(self.out / "sweep.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def calls(self):
        calls = (self.here / "calls").read_text().splitlines()
        (self.here / "calls").unlink()
        return calls


class Sweep(Machine):
    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_plots(self):
        self.script("sweep.py", "--build", self.build, "--out", self.out, "--sizes", "12..14")
        drawn = {path.name for path in self.out.glob("*.svg")}
        # The stand-ins' variants are in no other figure.
        self.assertEqual(drawn, {"contention.svg", "bandwidth.svg", "launches.svg"})

    def test_all_sizes_and_contention(self):
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["00_naive_atomic 4096,8192,16384 256 all",
                                        "00_naive_atomic 16384 256 contention",
                                        "06_grid_stride 4096,8192,16384 256 all"])
        self.assertEqual(len(self.table()), 2 * 3 * 3 + 1)
        self.assertIn("would take about 900 ms", done.stdout)
        about = json.loads((self.out / "sweep.jsonl").read_text().splitlines()[0])["provenance"]
        self.assertEqual((about["device"], about["driver"], about["toolkit"]),
                         ("NVIDIA Test", "580.1", "CUDA 13.0"))
        self.assertIn("1980 MHz", about["clocks"])

    def test_lessons_1_to_5_also_with_other_blocks(self):
        self.program("03_upper_half")
        self.sweep("--lessons", "3")
        self.assertEqual(self.calls(), ["03_upper_half 4096,8192,16384 256 all",
                                        "03_upper_half 16384 128 all", "03_upper_half 16384 512 all",
                                        "03_upper_half 16384 1024 all"])

    def test_what_is_done_is_not_done_again(self):
        self.sweep()
        self.calls()
        self.sweep()
        self.assertFalse((self.here / "calls").exists())
        self.assertEqual(len(self.table()), 19)
        self.sweep("--fresh")
        self.assertEqual(len(self.calls()), 3)

    def test_other_programs_begin_a_new_file(self):
        self.sweep()
        self.calls()
        with open(self.build / "lessons/06_grid_stride", "a", encoding="utf-8") as file:
            file.write("# built anew\n")
        self.sweep()
        self.assertEqual(len(self.calls()), 3)
        self.assertEqual(len(list(self.out.glob("sweep-before-*.jsonl"))), 1)

    def test_interrupted_it_keeps_its_rows_and_goes_on(self):
        (self.here / "delay").write_text("0.3")
        process = subprocess.Popen(
            [sys.executable, "-B", SCRIPTS / "sweep.py", "--build", self.build, "--out", self.out,
             "--sizes", "12..14", "--no-plots"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment)
        store = self.out / "sweep.jsonl"
        while not (store.exists() and "done" in store.read_text()):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("goes on from here", said)
        kept = len(self.table())
        self.assertTrue(3 <= kept < 19, kept)
        with open(store, "a", encoding="utf-8") as file:
            file.write('{"lesson": "cut of')  # as a power cut leaves it
        (self.here / "delay").unlink()
        self.calls()
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(" 4096,", self.calls()[0])  # the first size is not run again
        keys = [(r["lesson"], r["variant"], r["parameter"], r["n"]) for r in self.table()]
        self.assertEqual(len(keys), 19)
        self.assertEqual(len(set(keys)), 19)

    def test_a_wrong_result_fails_and_is_named(self):
        (self.here / "mistake").write_text("wrong")
        done = self.sweep()
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG: 06_grid_stride/fast: bad", done.stderr)

    def test_a_failing_program_keeps_what_it_had_and_the_others_run(self):
        (self.here / "mistake").write_text("fails")
        done = self.sweep()
        self.assertEqual(done.returncode, 1)
        self.assertIn("00_naive_atomic failed: out of memory", done.stderr)
        self.assertEqual({r["n"] for r in self.table() if r["lesson"] == "06_grid_stride"}, {"4096"})
        (self.here / "mistake").unlink()
        self.calls()
        self.assertEqual(self.sweep().returncode, 0)
        # which of the last size's variants had run before the failure, nobody knows: again
        self.assertIn("06_grid_stride 4096,8192,16384 256 all", self.calls())
        self.assertEqual(len(self.table()), 19)

    def test_bad_wishes_are_refused(self):
        for wish in (["--sizes", "10..31"], ["--sizes", "14..10"], ["--sizes", "x"],
                     ["--lessons", "77"]):
            self.assertEqual(self.sweep(*wish).returncode, 2, wish)


class Store(Machine):
    def store(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "figures/store_measured.py", *arguments],
                              capture_output=True, text=True, check=False)

    def stored(self, change=None, about=None):
        """Stores a sweep in which `change` was done to every row; (what happened, folder)."""
        self.sweep()
        lines = [json.loads(line) for line in
                 (self.out / "sweep.jsonl").read_text().splitlines()]
        lines[0]["provenance"] |= {"commit": "0123456789ab"} | (about or {})
        if about and "clocks" in about:
            lines = [line for line in lines if "clocks" not in line]
        for line in lines[1:]:
            if "lesson" in line:
                line.update(change or {})
        path, data = self.here / "measured.jsonl", self.here / "data"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        data.mkdir(exist_ok=True)
        return self.store("--gpu", "test", str(path), "--data", str(data)), data

    def test_a_good_sweep_is_stored_and_passes_the_check(self):
        done, data = self.stored()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (data / "test-sweep.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 1 + 19)
        self.assertEqual(json.loads(lines[0])["provenance"]["key"],
                         "lesson/variant/parameter/n/block")
        self.assertEqual(self.store("--check", str(data)).returncode, 0)

    def test_what_is_not_as_it_must_be_is_not_stored(self):
        cases = [({"time_kind": "modelled"}, "not measured"), ({"correct": False}, "not verified"),
                 ({"regime": "warm"}, "regime"), ({"gb_per_s": 9.0}, "do not fit"),
                 ({"time_p10_ms": 1e9}, "between p10 and p90"),
                 ({"ceiling_gb_per_s": 1.0}, "faster than the ceiling"),
                 ({"lesson": "77_unknown"}, "no lesson"), ({"grid": None}, "no sensible grid"),
                 ({"times_cub": float("nan")}, "no sensible times_cub"),
                 ({"device": "another"}, "different devices")]
        for change, complaint in cases:
            done, data = self.stored(change)
            self.assertEqual(done.returncode, 1, change)
            self.assertIn(complaint, done.stderr)
            self.assertEqual(list(data.iterdir()), [], change)

    def test_provenance_must_be_whole(self):
        for field in ("device", "driver", "toolkit", "date", "commit", "clocks", "command"):
            change = {"device": None} if field == "device" else None
            done, data = self.stored(change, {field: "unknown" if field != "date" else "today"})
            self.assertEqual(done.returncode, 1, field)
            self.assertEqual(list(data.iterdir()), [], field)

    def test_the_chapters_rows_are_renewed_and_others_kept(self):
        _, data = self.stored()
        rows = [json.loads(line) for line in (data / "test-sweep.jsonl").read_text().splitlines()]
        old = [rows[0], *[row for row in rows[1:]
                          if row["n"] == 4096 and row["lesson"][:2] == "06"][:1]]
        old[1] = {**old[1], "time_ms": old[1]["time_ms"] * 1.005}
        kept = {**old[1], "n": 1000, "gb_per_s": 4e-6 * 1000 / old[1]["time_ms"]}
        (data / "test-lessons.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in [*old, kept]))
        done, data = self.stored()
        self.assertEqual(done.returncode, 0, done.stderr)
        new = [json.loads(line) for line in
               (data / "test-lessons.jsonl").read_text().splitlines()][1:]
        self.assertEqual(sorted((row["n"], row["variant"]) for row in new),
                         [(1000, old[1]["variant"]), (4096, "cub"), (4096, "fast"), (4096, "slow")])
        renewed = next(r for r in new if r["n"] == 4096 and r["variant"] == old[1]["variant"])
        self.assertNotEqual(renewed["time_ms"], old[1]["time_ms"])

    def test_a_stored_file_that_was_spoilt_is_found(self):
        _, data = self.stored()
        path = data / "test-sweep.jsonl"
        lines = path.read_text().splitlines()
        for spoilt, complaint in (([*lines, lines[-1]], "the same run twice"), (lines[:1], "no rows"),
                                  (lines[1:], "provenance object"), ([*lines, "{"], "JSON lines")):
            path.write_text("\n".join(spoilt) + "\n")
            done = self.store("--check", str(data))
            self.assertEqual(done.returncode, 1)
            self.assertIn(complaint, done.stdout)


# ncu as profile.py calls it: runs the program, and leaves a table with the kernels of row 1.
NCU = """#!{python}
import csv, re, subprocess, sys
words = sys.argv[1:]
log, metrics = words[words.index("--log-file") + 1], words[words.index("--metrics") + 1].split(",")
program = words[words.index("--metrics") + 2:]
subprocess.run(program, check=True)
out = open(log, "w", newline="")
print("==PROF== Connected", file=out)
table = csv.writer(out, quoting=csv.QUOTE_ALL)
table.writerow(["ID", "Kernel Name", "Grid Size", *metrics])
table.writerow(["", "", "block", *["inst" for _ in metrics]])
table.writerow(["0", "profiled_row_follows()", "(1, 1, 1)", *["7" for _ in metrics]])
for kernel, count in (("1", "{first}"), ("2", "100")):
    table.writerow([kernel, "vectors", "(128, 1, 1)",
                    *["1,343 (BAR: 1,032; SHFL: 5,160)" if "opcode" in name else count
                      for name in metrics]])
"""
PROFILED = """#!/bin/sh
echo '{"variant": "vectors", "row": 1}'
"""


class Profile(Machine):
    def setUp(self):
        super().setUp()
        self.write("build/lessons/06_grid_stride", PROFILED)

    def profile(self, *arguments):
        return self.script("profile.py", "--build", self.build, "--simt-build", self.here / "none",
                           "--lesson", "06_grid_stride", "--variant", "vectors", *arguments)

    def ncu(self, first="8,093"):
        self.write("bin/ncu", NCU.format(python=sys.executable, first=first))

    def test_both_gpus_side_by_side(self):
        self.ncu()
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {line[2:32].strip(): line[32:].split() for line in done.stdout.splitlines()}
        self.assertEqual(lines["kernel launches"], ["2", "2", "1.000"])
        self.assertEqual(lines["barriers (warps at them)"][1], "2,064")  # of both kernels
        self.assertEqual(lines["global load requests"][:2], ["8,193", "8,193"])

    def test_without_ncu_the_counters_stand_alone(self):
        if shutil.which("ncu") or Path("/usr/local/cuda/bin/ncu").exists():
            self.skipTest("this machine has ncu")
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ncu was not found", done.stderr)
        self.assertIn("8,193", done.stdout)

    def test_counters_that_may_not_be_read(self):
        self.write("bin/ncu", "#!/bin/sh\necho 'ERR_NVGPUCTRPERM: no' >&2\nexit 1\n")
        done = self.profile()
        self.assertEqual(done.returncode, 2)
        self.assertIn("administrator", done.stderr)

    def test_a_gpu_without_a_metric(self):
        self.ncu(first="n/a")
        done = self.profile()
        self.assertEqual(done.returncode, 2)
        self.assertIn("on this GPU", done.stderr)

    def test_unknown_variants_and_sizes(self):
        self.ncu()
        self.assertEqual(self.profile("--variant", "vektors").returncode, 2)
        self.assertEqual(self.profile("--n", "2^19").returncode, 2)
        self.assertEqual(self.profile("--n", "lots").returncode, 2)

    def check(self, *rows):
        path = self.write("ncu.csv", "# device: x\n" + "lesson,variant,n,block,quantity,software,"
                          "gpu,ratio,reason\n" + "".join(row + "\n" for row in rows))
        return self.script("profile.py", "--check", path)

    def test_ratios_need_reasons(self):
        equal = "06_grid_stride,vectors,1048576,256,shuffles,100,100,1.0000,"
        self.assertEqual(self.check(equal).returncode, 0)
        done = self.check(equal, "06_grid_stride,vectors,1048576,256,moon phases,100,90,0.9000,")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no reason", done.stdout)
        done = self.check("06_grid_stride,vectors,1048576,256,shuffles,100,100,0.9000,")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ratio", done.stdout)
        done = self.check(equal + "invented")
        self.assertEqual(done.returncode, 1)

    def test_reasons_have_a_direction(self):
        for metric, pattern, way, text in profile_reasons.REASONS:
            self.assertIn(way, ("more", "fewer", "any"), metric)
            self.assertGreater(len(text), 20, pattern)


if __name__ == "__main__":
    unittest.main()
