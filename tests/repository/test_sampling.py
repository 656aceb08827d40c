#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Some blocks of a launch in place of all: what the programs say of it, how far it may be off, and
the stored numbers about it.

    test_sampling.py BUILD
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/scripts"))
import blind_report  # noqa: E402
import sampling  # noqa: E402

BUILD = Path(sys.argv.pop()) if len(sys.argv) > 1 else ROOT / "build"
STORED = ROOT / "figures/data/simt-sampling.csv"


def program(lesson, *options):
    return subprocess.run([BUILD / "lessons" / lesson, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", check=False)


def rows(lesson, *options):
    done = program(lesson, "--json", "--sample", *options)
    assert done.returncode == 0, done.stderr
    return {row["variant"]: row for row in map(json.loads, done.stdout.splitlines())}


class Programs(unittest.TestCase):
    def test_a_lesson_is_as_the_whole_is(self):
        arguments = argparse.Namespace(build=BUILD, n="2^20", lesson=["05"])
        found = sampling.measure(arguments)
        self.assertGreater(len(found), 5)
        self.assertEqual(sampling.judge(found), [])

    def test_rows_say_what_was_run_and_where_it_was_verified(self):
        found = rows("06_grid_stride", "--n", "2^20")
        some, whole, none = found["butterfly"], found["last_block"], found["adaptive"]
        self.assertLess(some["blocks_run_percent"], 50)
        self.assertEqual((some["basis"], some["verified_n"], some["n"]), ("sampled", 2**18, 2**20))
        self.assertEqual((whole["blocks_run_percent"], whole["verified_n"]), (100, 2**20)) # tickets
        self.assertEqual((none["basis"], none["verified_n"]), ("not run", 2**18))
        self.assertIsNone(none["time_ms"])
        self.assertTrue(all(row["correct"] for row in found.values()))

    def test_without_it_nothing_is_left_out(self):
        done = program("05_shuffle", "--json", "--n", "2^18", "--variant", "redux")
        row = json.loads(done.stdout)
        self.assertNotIn("verified_n", row)
        self.assertIn(row["basis"], ("exact", "sampled"))

    def test_checks_need_every_block(self):
        done = program("05_shuffle", "--sample", "--check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--sample is for counters and modelled times", done.stderr)


class Judging(unittest.TestCase):
    def pair(self, **changes):
        whole = {"lesson": "01_tree", "variant": "modulo", "n": 4, "time_ms": 1.0,
                 "counters": {"branches": 100, "global_atomic_max_degree": 8, "fences": 0}}
        sampled = {**whole, "blocks_run_percent": 5.0, **changes}
        return [sampling.compare(whole, sampled)]

    def test_what_is_off_by_more_than_the_limit_is_named(self):
        self.assertEqual(sampling.judge(self.pair(time_ms=1.019)), [])
        self.assertIn("the time is off by 2.1 %", sampling.judge(self.pair(time_ms=1.021))[0])
        off = {"branches": 97, "global_atomic_max_degree": 8, "fences": 0}
        self.assertIn("branches is off by 3.0 %", sampling.judge(self.pair(counters=off))[0])
        off = {"branches": 100, "global_atomic_max_degree": 8, "fences": 1}
        self.assertIn("fences is off by inf %", sampling.judge(self.pair(counters=off))[0])

    def test_largest_counts_are_not_compared(self):
        of_sample = {"branches": 100, "global_atomic_max_degree": 4, "fences": 0}
        self.assertEqual(sampling.judge(self.pair(counters=of_sample)), [])

    def test_running_all_blocks_proves_nothing(self):
        self.assertIn("nothing was sampled", sampling.judge(self.pair(blocks_run_percent=100.0))[0])


class Stored(unittest.TestCase):
    def test_the_stored_rows_keep_the_limit(self):
        stored = sampling.read(STORED)
        self.assertEqual(sampling.judge(stored), [])
        lessons = {row["lesson"] for row in stored}
        folders = {path.name for path in (ROOT / "lessons").glob("[0-9][0-9]_*")}
        self.assertLessEqual(lessons, folders)
        self.assertGreaterEqual(len(lessons), 11)

    def test_no_step_of_a_stored_ladder_goes_the_other_way_than_the_gpu(self):
        for path in (*blind_report.LADDERS.values(), blind_report.LADDER_CALIBRATED):
            clear, wrong = blind_report.directions(path)
            self.assertGreater(clear, 40, path)
            self.assertEqual(wrong, [], path)

    def test_a_step_the_other_way_is_named(self):
        with open(blind_report.LADDERS["2^22"], newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        row = next(row for row in table if row["variant"] == "spread_32")
        row["time_ms"] = "1000"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "compare.csv"
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(table[0]))
                writer.writeheader()
                writer.writerows(table)
            self.assertEqual(blind_report.directions(path)[1], ["00 spread_32"])


if __name__ == "__main__":
    unittest.main()
