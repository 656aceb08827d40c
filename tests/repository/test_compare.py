#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ladder with stand-in lesson programs: table, files, exit status, and what it refuses."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "common/scripts/compare.py"
ROW = {"lesson": "01_tree", "variant": "modulo", "n": 1048576, "block": 256, "grid": 4096,
       "backend": "simt", "device": "modelled H200", "time_ms": 0.5, "time_kind": "modelled",
       "gb_per_s": 8.388608, "percent_of_peak": 0.18, "error_over_bound": 0.25, "correct": True,
       "explains": {"divergent": 0.5, "wavefronts": None},
       "counters": {"launches": 2, "branches": 7}}
FASTER = {"variant": "contiguous", "time_ms": 0.25, "gb_per_s": 16.777216}


class Compare(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.build = Path(holder.name) / "build"
        (self.build / "lessons").mkdir(parents=True)

    def program(self, name, *rows, status=0, said=""):
        path = self.build / "lessons" / name
        text = "".join(json.dumps({**ROW, "lesson": name, **row}) + "\n" for row in rows)
        path.write_text(f"#!/bin/sh\necho \"$SIMT_DEVICE $*\" >>'{self.build}/calls'\n"
                        f"echo '{said}' >&2\ncat <<'END'\n{text}END\nexit {status}\n")
        path.chmod(0o755)

    def run_compare(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--build", self.build, *arguments],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "MPLCONFIGDIR": str(self.build)})

    def test_ladder(self):
        self.program("01_tree", {}, FASTER)
        self.program("02_bank", {"variant": "sequential", "time_ms": 0.125})
        done = self.run_compare("--n", "2^20")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "2^20 = 1,048,576 elements, modelled H200, "
                                   "times modelled (not measured)")
        self.assertTrue(all(len(line) <= 80 for line in lines[:-1]), lines)
        contiguous = next(line for line in lines if "contiguous" in line)
        self.assertIn("2.00x", contiguous)
        self.assertIn("divergent 0.5", contiguous)
        sequential = next(line for line in lines if "sequential" in line)
        self.assertNotIn("2.00x", sequential)  # another lesson: no rung before
        self.assertIn("4 times faster (modelled)", done.stdout)
        self.assertNotIn("\033", done.stdout)

    def test_a_gpu_says_what_ties(self):
        measured = {"time_kind": "measured", "explains": {"divergent": None}}
        self.program("06_stride", {**measured, "times_cub": 1.504, "ties_cub": False},
                     {**measured, "variant": "vectors", "times_cub": 1.01, "ties_cub": True,
                      "ties_before": True},
                     {**measured, "variant": "cub", "times_cub": 1.0, "ties_cub": True})
        lines = self.run_compare().stdout.splitlines()
        self.assertTrue(next(line for line in lines if "modulo" in line).endswith("1.50 x CUB"))
        vectors = next(line for line in lines if "vectors" in line)
        self.assertTrue(vectors.endswith("ties ties with CUB"), vectors)
        self.assertNotIn("CUB", next(line for line in lines if "  cub" in line))

    def test_csv(self):
        self.program("01_tree", {}, {"variant": "contiguous", "time_ms": 0.25, "gb_per_s": None})
        self.run_compare()
        with open(self.build / "compare/compare.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["variant"] for row in rows], ["modulo", "contiguous"])
        self.assertEqual((rows[0]["branches"], rows[0]["time_kind"]), ("7", "modelled"))
        self.assertEqual((rows[1]["times_before"], rows[1]["gb_per_s"]), ("2.0", ""))

    def test_arguments_reach_the_programs(self):
        self.program("01_tree", {})
        self.run_compare("--n", "12345", "--device", "a100")
        self.assertEqual((self.build / "calls").read_text().strip(), "a100 --json --n 12345")

    def test_wrong_result_is_shown_and_fails(self):
        self.program("01_tree", {}, {"variant": "bad", "correct": False}, status=1)
        done = self.run_compare()
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG RESULT", done.stdout)

    def test_failing_program_does_not_stop_the_others(self):
        self.program("01_tree", status=3, said="out of luck")
        self.program("02_bank", {})
        done = self.run_compare()
        self.assertEqual(done.returncode, 1)
        self.assertIn("01_tree failed: out of luck", done.stderr)
        self.assertIn("02_bank", done.stdout)

    def test_measured_and_modelled_are_never_mixed(self):
        self.program("01_tree", {})
        self.program("02_bank", {"time_kind": "measured"})
        done = self.run_compare()
        self.assertEqual(done.returncode, 2)
        self.assertIn("different kinds", done.stderr)
        self.assertFalse((self.build / "compare/compare.csv").exists())

    def test_different_devices_are_never_mixed(self):
        self.program("01_tree", {})
        self.program("02_bank", {"device": "modelled A100"})
        self.assertEqual(self.run_compare().returncode, 2)

    def test_bad_n_is_explained(self):
        self.program("01_tree", status=2, said="--n: lots is not a count")
        done = self.run_compare("--n", "lots")
        self.assertEqual(done.returncode, 2)
        self.assertIn("lots is not a count", done.stderr)

    def test_device_on_a_real_gpu_is_refused(self):
        self.program("01_tree", {})
        (self.build / "CMakeCache.txt").write_text("WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA\n")
        self.assertEqual(self.run_compare("--device", "a100").returncode, 2)

    def test_nothing_built(self):
        self.assertEqual(self.run_compare().returncode, 2)


if __name__ == "__main__":
    unittest.main()
