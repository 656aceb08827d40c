#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ladder with stand-in lesson programs: table, files, exit status, and what it refuses."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import unittest.mock
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "common/scripts"
SCRIPT = SCRIPTS / "compare.py"
sys.path.insert(0, str(SCRIPTS))
import compare  # noqa: E402
import compare_page  # noqa: E402
import compare_rows  # noqa: E402
import compare_text  # noqa: E402

ROW = {"lesson": "01_tree", "variant": "modulo", "input": "float", "n": 1048576, "block": 256,
       "grid": 4096, "backend": "simt", "device": "modelled X1", "time_ms": 0.5,
       "time_kind": "modelled", "gb_per_s": 8.388608, "percent_of_peak": 0.18,
       "error_over_bound": 0.25, "correct": True,
       "explains": {"divergent": 0.5, "wavefronts": None},
       "counters": {"launches": 2, "branches": 7}}
FASTER = {"variant": "contiguous", "time_ms": 0.25, "gb_per_s": 16.777216,
          "explains": {"divergent": 0.25, "wavefronts": None}}


class Programs(unittest.TestCase):
    """Stand-in lesson programs in a build folder."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.build = Path(holder.name) / "build"
        (self.build / "lessons").mkdir(parents=True)

    def program(self, name, *rows, status=0, said="", about='{"taught": "Less is more."}'):
        path = self.build / "lessons" / name
        text = "".join(json.dumps({**ROW, "lesson": name, **row}) + "\n" for row in rows)
        path.write_text(f"#!/bin/sh\n[ \"$1\" = --list ] && {{ echo '{about}'; exit 0; }}\n"
                        f"echo \"$SIMT_DEVICE $*\" >>'{self.build}/calls'\n"
                        f"echo '{said}' >&2\ncat <<'END'\n{text}END\nexit {status}\n")
        path.chmod(0o755)

    def run_compare(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--build", self.build, *arguments],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "MPLCONFIGDIR": str(self.build)})


class Compare(Programs):
    def test_one_screen_shows_what_each_step_gained(self):
        self.program("01_tree", {}, {"variant": "slower", "time_ms": 0.75}, FASTER)
        self.program("02_bank", {"variant": "sequential", "time_ms": 0.125})
        done = self.run_compare("--n", "2^20")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "2^20 = 1,048,576 elements")
        self.assertIn("software GPU estimates", lines[1])
        self.assertTrue(all(len(line) <= 80 for line in lines if str(self.build) not in line))
        place = next(i for i, line in enumerate(lines) if "modulo -> contiguous" in line)
        self.assertIn("2.00x", lines[place])
        self.assertEqual(lines[place + 1], "   Less is more.  divergent 0.5 -> 0.25")
        self.assertNotIn("slower", done.stdout)
        self.assertIn("modulo -> sequential, modelled: 4.00x", lines)
        self.assertIn("largest step, modelled: lesson 01, 2.00x", lines)
        self.assertNotIn("\033", done.stdout)

    def test_every_variant(self):
        self.program("01_tree", {}, FASTER)
        self.program("02_bank", {"variant": "sequential", "time_ms": 0.125})
        lines = self.run_compare("--all").stdout.splitlines()
        contiguous = next(line for line in lines if "contiguous" in line)
        self.assertIn("2.00x", contiguous)
        self.assertTrue(contiguous.endswith("0.25"), contiguous)
        sequential = next(line for line in lines if "  sequential" in line)
        self.assertNotIn("2.00x", sequential)  # another lesson: no variant before

    def test_one_lesson_shows_all_of_it_and_writes_nothing(self):
        self.program("01_tree", {}, {"variant": "slower", "time_ms": 0.75}, FASTER)
        self.program("02_bank", {"variant": "sequential", "time_ms": 0.125})
        done = self.run_compare("--lesson", "01_tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("slower", done.stdout)
        self.assertNotIn("sequential", done.stdout)
        self.assertFalse((self.build / "compare/index.html").exists())
        missing = self.run_compare("--lesson", "03_none")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("03_none", missing.stderr)

    def test_a_variant_shows_the_lessons_that_have_one(self):
        self.program("01_tree", {}, FASTER, about='{"variants": {"modulo": "", "contiguous": ""}}')
        self.program("02_bank", {"variant": "padded"}, about='{"variants": {"padded": ""}}')
        done = self.run_compare("--variant", "padded")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("  padded ", done.stdout)
        self.assertNotIn("contiguous", done.stdout)
        self.assertFalse((self.build / "compare/compare.csv").exists())
        done = self.run_compare("--variant", "contigous")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no lesson has a variant 'contigous'; did you mean 'contiguous', of lesson "
                      "01?", done.stderr)
        done = self.run_compare("--lesson", "02_bank", "--variant", "contiguous")
        self.assertIn("did you mean 'padded', of lesson 02?", done.stderr)

    def test_none_to_count_is_not_the_next_number_and_not_zero(self):
        counts = {"adds": None, "barriers": 17}
        self.program("09_scan", {"explains": {"adds": 8.0, "barriers": 17}},
                     {"variant": "ints", "explains": counts},
                     {"variant": "none", "explains": {**counts, "adds": 0}})
        lines = self.run_compare("--all").stdout.splitlines()
        for variant, wanted in ("modulo", "8"), ("ints", "-"), ("none", "0"):
            line = next(line for line in lines if line.startswith(f"  {variant} "))
            self.assertEqual(line.split()[-1], wanted, line)

    def test_what_does_another_task_does_not_compete(self):
        quick = {"time_ms": 0.01}
        self.program("01_tree", {}, FASTER, {"variant": "ints", "input": "int", **quick},
                     {"variant": "grouped", "group": "rows", **quick},
                     {"variant": "cub", **quick},
                     {"variant": "stuck", "demonstration": True, **quick})
        self.assertIn("modulo -> contiguous", self.run_compare().stdout)

    def test_a_lesson_that_says_nothing_of_itself(self):
        self.program("01_tree", {}, FASTER, about="what?")
        done = self.run_compare()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("   divergent 0.5 -> 0.25", done.stdout)

    def test_a_gpu_says_what_ties(self):
        measured = {"time_kind": "measured", "explains": {"divergent": None}}
        self.program("06_stride", {**measured, "times_cub": 1.504, "ties_cub": False},
                     {**measured, "variant": "vectors", "times_cub": 1.01, "ties_cub": True,
                      "ties_before": True},
                     {**measured, "variant": "cub", "times_cub": 1.0, "ties_cub": True})
        lines = self.run_compare("--all").stdout.splitlines()
        self.assertTrue(next(line for line in lines if "modulo" in line).endswith("1.50 x CUB"))
        vectors = next(line for line in lines if "vectors" in line)
        self.assertIn(" ties ", vectors)
        self.assertTrue(vectors.endswith("ties with CUB"), vectors)
        self.assertNotIn("CUB", next(line for line in lines if "  cub" in line))

    def test_csv_has_one_value_per_cell(self):
        self.program("01_tree", {}, {"variant": "contiguous", "time_ms": 0.25, "gb_per_s": None})
        self.run_compare()
        with open(self.build / "compare/compare.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["variant"] for row in rows], ["modulo", "contiguous"])
        self.assertEqual((rows[0]["branches"], rows[0]["time_kind"]), ("7", "modelled"))
        self.assertEqual((rows[1]["times_before"], rows[1]["gb_per_s"]), ("2.0", ""))
        self.assertEqual((rows[0]["label_1"], rows[0]["value_1"]), ("divergent", "0.5"))
        self.assertEqual((rows[0]["label_2"], rows[0]["value_2"]), ("wavefronts", ""))
        for row in rows:
            self.assertFalse([cell for cell in row.values() if cell.startswith(("{", "["))])

    def test_a_row_that_cannot_be_judged_has_no_time_and_says_so(self):
        self.program("01_tree", {"basis": "exact"}, {"variant": "waits", "basis": "not judged",
                                                     "time_ms": None, "gb_per_s": None})
        done = self.run_compare("--all")
        line = next(line for line in done.stdout.splitlines() if line.startswith("  waits"))
        self.assertIn("no time", line)
        self.assertIn("no time: its blocks wait for each other, which the model cannot judge",
                      done.stdout)
        self.assertEqual(self.bases(), ["exact", "not judged"]) # as the program says, row by row
        self.program("01_tree", {"basis": "sampled"}, {"variant": "waits", "basis": "not run",
                                                       "time_ms": None, "gb_per_s": None})
        self.assertIn("no time: its blocks wait", self.run_compare("--all").stdout)
        self.assertEqual(self.bases(), ["sampled", "not run"])
        self.program("01_tree", {})
        self.assertNotIn("no time:", self.run_compare("--all").stdout)

    def test_a_row_beyond_the_model_has_another_reason(self):
        self.program("01_tree", {"basis": "exact"}, {"variant": "folds", "basis": "not modelled",
                                                     "time_ms": None, "gb_per_s": None})
        said = self.run_compare("--all").stdout
        line = next(line for line in said.splitlines() if line.startswith("  folds"))
        self.assertRegex(line, r"folds +beyond ")
        self.assertIn("beyond: its blocks use each other's shared memory", said)
        self.assertNotIn("no time", said)

    def test_large_sizes_are_sampled_and_the_rest_is_whole(self):
        self.program("01_tree", {})
        for options, sampled in ((["--n", "2^26"], True), (["--n", "2^22"], False), ([], False),
                                 (["--n", "5M"], True), (["--n", "2^26", "--exact"], False)):
            self.calls().unlink(missing_ok=True)
            self.run_compare(*options)
            self.assertEqual("--sample" in self.calls().read_text(), sampled, options)

    def calls(self):
        return self.build / "calls"

    def test_sampled_rows_say_how_much_was_run_and_verified(self):
        self.program("01_tree", {"blocks_run_percent": 2.5, "verified_n": 2 ** 18},
                     {"variant": "whole", "blocks_run_percent": 100, "verified_n": ROW["n"]})
        said = self.run_compare().stdout
        self.assertIn("In 1 of 2 variants 2.5 to 2.5 % of the blocks stand for all", said)
        self.assertIn("verified at n = 2^18", said.replace("\n", " "))
        self.program("01_tree", {})
        self.assertNotIn("stand for all", self.run_compare().stdout)

    def test_counts_are_read_as_the_programs_read_them(self):
        for text, value in (("2^26", 2 ** 26), ("1_000", 1000), ("3M", 3 << 20), ("1e6", 10 ** 6),
                            ("64", 64), ("none", 0), ("-1", 0)):
            self.assertEqual(compare.count_of(text), value, text)

    def bases(self):
        with open(self.build / "compare/compare.csv", newline="", encoding="utf-8") as file:
            return [row["basis"] for row in csv.DictReader(file)]

    def test_where_a_models_numbers_come_from(self):
        self.program("01_tree", {"device": "modelled A100"})
        self.assertIn("never compared with a real one", " ".join(self.run_compare().stdout.split()))
        self.program("01_tree", {"device": "modelled X1"})
        self.assertNotIn("Its model:", self.run_compare().stdout)

    def test_csv_reads_back(self):
        rows = compare_rows.compare_rungs([dict(ROW), {**ROW, **FASTER}])
        path = self.build / "there and back.csv"
        compare_rows.write_csv(path, rows)
        again = compare_rows.read_csv(path)
        for row, other in zip(rows, again, strict=True):
            for name in compare_rows.COLUMNS:
                if name[:5] not in ("label", "value", "store"):
                    self.assertEqual(other[name], row.get(name), name)
        self.assertEqual(again[0]["explains"], ROW["explains"])

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
        self.assertIn("02 modulo", done.stdout)

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


class Stored(unittest.TestCase):
    """What was measured on a GPU, beside what is modelled."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def store(self, *rows):
        lines = [{"provenance": {"device": "NVIDIA X1", "date": "2026-01-02"}},
                 *({"lesson": "01_tree", "variant": "modulo", "parameter": None, "block": 256,
                    "n": 1048576, "time_ms": 1.0, "gb_per_s": 50.0, "ceiling_gb_per_s": 200.0,
                    "correct": True, **row} for row in rows)]
        (self.folder / "x1-sweep.jsonl").write_text("".join(json.dumps(line) + "\n"
                                                            for line in lines))
        return compare_rows.stored_for("modelled X1", self.folder)

    def test_which_device(self):
        self.store({})
        self.assertEqual(compare_rows.stored_for("modelled X1", self.folder).device, "NVIDIA X1")
        self.assertEqual(compare_rows.stored_for("NVIDIA X1", self.folder).date, "2026-01-02")
        self.assertEqual(compare_rows.stored_for("NVIDIA X1 80GB HBM3", self.folder).name, "X1")
        self.assertIsNone(compare_rows.stored_for("modelled X10", self.folder))
        self.assertIsNone(compare_rows.stored_for("modelled 1", self.folder))

    def test_nearest_size_of_the_same_block_and_a_right_result(self):
        stored = self.store({"time_ms": 1.0}, {"n": 1 << 21, "time_ms": 2.0},
                            {"n": 1 << 21, "block": 512, "time_ms": 3.0},
                            {"n": 1500000, "time_ms": 4.0, "correct": False},
                            {"n": 1500000, "time_ms": 5.0, "parameter": 4})
        for n, time_ms in ((1, 1.0), (1 << 20, 1.0), (1500000, 2.0), (1 << 30, 2.0)):
            self.assertEqual(stored.nearest({**ROW, "n": n})["time_ms"], time_ms)
        self.assertIsNone(stored.nearest({**ROW, "variant": "other"}))
        self.assertIsNone(stored.nearest({**ROW, "n": 0}))

    def test_a_measurement_is_of_as_many_gpus(self):
        stored = self.store({"time_ms": 1.0}, {"devices": 4, "time_ms": 2.0})
        for devices, time_ms in ((None, 1.0), (1, 1.0), (4, 2.0)):
            self.assertEqual(stored.nearest({**ROW, "devices": devices})["time_ms"], time_ms)
        self.assertIsNone(stored.nearest({**ROW, "devices": 2}))

    def test_a_lesson_gets_as_many_gpus_as_it_was_measured_on(self):
        stored = self.store({"time_ms": 1.0}, {"devices": 2, "time_ms": 2.0})
        asks = {"devices": 4}
        self.assertEqual(compare.gpus_for("01_tree", asks, stored), 2)
        self.assertEqual(compare.gpus_for("02_other", asks, stored), 4)
        self.assertEqual(compare.gpus_for("01_tree", asks, None), 4)
        self.assertEqual(compare.gpus_for("01_tree", {}, stored), 1)
        with unittest.mock.patch.dict(os.environ, {"SIMT_DEVICES": "4"}):
            self.assertEqual(compare.gpus_for("01_tree", asks, stored), 4)

    def test_the_default_device_is_the_software_gpus(self):
        devices = (SCRIPTS.parent / "simt/profile/devices.def").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"devices/(\w+)\.def", devices)[1], compare.DEFAULT_DEVICE)

    def test_later_rows_take_the_place_of_those_on_as_many_gpus(self):
        self.store({"time_ms": 1.0}, {"devices": 2, "time_ms": 2.0})
        lines = [{"provenance": {"device": "NVIDIA X1", "date": "2026-03-04"}},
                 {**ROW, "devices": 2, "parameter": None, "time_ms": 3.0, "correct": True}]
        (self.folder / "x1-01-sweep.jsonl").write_text("".join(json.dumps(line) + "\n"
                                                               for line in lines))
        stored = compare_rows.stored_for("modelled X1", self.folder)
        self.assertEqual(stored.nearest(ROW)["time_ms"], 1.0)
        self.assertEqual(stored.nearest({**ROW, "devices": 2})["time_ms"], 3.0)

    def test_later_lessons_have_a_file_of_their_own(self):
        self.store({"time_ms": 1.0})
        lines = [{"provenance": {"device": "NVIDIA X1", "date": "2026-03-04"}},
                 {**ROW, "lesson": "12_bins", "parameter": None, "time_ms": 2.0, "correct": True},
                 {**ROW, "parameter": None, "time_ms": 3.0, "correct": True}]
        (self.folder / "x1-12-sweep.jsonl").write_text("".join(json.dumps(line) + "\n"
                                                               for line in lines))
        stored = compare_rows.stored_for("modelled X1", self.folder)
        self.assertEqual((stored.name, stored.date), ("X1", "2026-01-02"))
        self.assertEqual(stored.nearest({**ROW, "lesson": "12_bins"})["time_ms"], 2.0)
        self.assertEqual(stored.nearest(ROW)["time_ms"], 3.0)  # the later one counts

    def rows(self, here, there):
        stored = self.store({"time_ms": there[0]}, {"variant": "contiguous", "time_ms": there[1]})
        rows = [{**ROW, "time_ms": here[0]}, {**ROW, **FASTER, "time_ms": here[1]}]
        return compare_rows.compare_rungs(rows, stored), stored

    def test_a_step_that_points_the_other_way_is_marked(self):
        for here, there, marked in (((1, 2), (2, 1), True), ((2, 1), (1, 2), True),
                                    ((1, 2), (1, 2), False), ((2, 1), (2, 1), False),
                                    ((1, 2), (1.05, 1), False)):  # a tie contradicts nothing
            rows, stored = self.rows(here, there)
            self.assertEqual([row["disagrees"] for row in rows], [False, marked])
            text = "\n".join(compare_text.every_variant(rows, stored, {}, compare_text.Style()))
            self.assertEqual("x!" in text, marked, text)
            self.assertEqual("the other way" in text, marked)
            self.assertEqual(">!</span>" in compare_page.page(rows, stored, {}), marked)

    def test_the_best_is_the_best_that_was_measured(self):
        rows, _ = self.rows((2, 1), (1, 2))
        self.assertEqual([row["variant"] for row in next(compare_rows.steps(rows))],
                         ["modulo", "modulo"])
        newer = {**rows[1], "variant": "newer", "time_ms": 0.5, "stored": None}
        self.assertEqual(next(compare_rows.steps([*rows, newer]))[1]["variant"], "modulo")
        rows[1]["stored"] = None  # not measured: then the model decides
        self.assertEqual(next(compare_rows.steps(rows))[1]["variant"], "contiguous")

    def test_both_columns_say_what_they_are(self):
        rows, stored = self.rows((3, 1), (4, 2))
        text = "\n".join(compare_text.screen(rows, stored, {}, compare_text.Style()))
        self.assertIn("X1: measured on an NVIDIA X1, 2026-01-02", text)
        self.assertIn("modelled: what an X1 would take", text)
        line = next(line for line in text.splitlines() if line.startswith("01"))
        self.assertEqual(line.split()[4:6], ["2.00x", "3.00x"])
        self.assertTrue(line.endswith("####............  25.0 %"), line)
        rows[0]["stored"]["n"] = 1 << 12
        self.assertIn("at n = 2^12, 2^20", compare_text.head(rows, stored)[2])

    def test_the_page_stands_alone(self):
        rows, stored = self.rows((3, 1), (4, 2))
        rows[0]["variant"] = "<b>&modulo"
        text = compare_page.page(rows, stored, {"01_tree": {"title": "a < b", "variants": {}}})
        self.assertIn("&lt;b&gt;&amp;modulo", text)
        self.assertIn("a &lt; b", text)
        self.assertNotIn("http", text)
        self.assertNotIn("src=", text)

    def test_the_page_says_what_bounds_each_row(self):
        rows, stored = self.rows((3, 1), (4, 2))
        self.assertNotIn("bound by", compare_page.page(rows, stored, {})) # a GPU does not say
        rows[0]["bound"], rows[1]["bound"] = "dram", None # the second was not judged
        text = compare_page.page(rows, stored, {})
        self.assertEqual(text.count("bound by"), 1)
        self.assertIn('title="It moves data as fast as the memory does: the limit of a reduction.">'
                      'DRAM</td>', text)
        self.assertIn('<td title="">-</td>', text)
        for row in text.split("<tbody>")[2].split("</tbody>")[0].splitlines()[1:]:
            self.assertEqual(row.count("<td"), text.split("<table>")[2].split("</thead>")[0].count(
                "<th "), row)

    def test_a_wrong_result_is_shown_everywhere(self):
        rows, stored = self.rows((3, 1), (4, 2))
        for wrong in range(2):
            rows[0]["correct"], rows[1]["correct"] = wrong != 0, wrong != 1
            for view in (compare_text.screen, compare_text.every_variant):
                text = "\n".join(view(rows, stored, {}, compare_text.Style()))
                self.assertEqual(text.count("WRONG RESULT"), 1, text)
            self.assertEqual(compare_page.page(rows, stored, {}).count("wrong result"), 1)


class TimeLeft(unittest.TestCase):
    def progress(self, before=None):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "durations.json"
            if before is not None:
                path.write_text(before)
            return compare.Progress(io.StringIO(), ["a", "b", "c"], path)

    def test_of_the_lessons_to_come(self):
        progress = self.progress('{"a": 1, "b": 2, "c": 4}')
        self.assertIsNone(progress.left_s(progress.start))
        progress.took = {"a": 2.0}  # twice as slow as the last time
        self.assertAlmostEqual(progress.left_s(progress.start + 2), 12.0)
        self.assertAlmostEqual(progress.left_s(progress.start + 3), 11.0)
        self.assertEqual(progress.left_s(progress.start + 1000), 0.0)

    def test_of_a_first_run_and_of_a_broken_file(self):
        for before in (None, "no", "[1]", '{"a": "x"}', '{"a": 1}'):
            progress = self.progress(before)
            progress.took = {"a": 2.0}
            self.assertAlmostEqual(progress.left_s(progress.start + 2), 4.0)


class Interrupted(Programs):
    """Ctrl-C: what was done is shown, nothing half is written."""

    def test_shows_what_there_is(self):
        self.program("01_tree", {}, FASTER)
        slow = self.build / "lessons/02_bank"
        slow.write_text(f"#!/bin/sh\n[ \"$1\" = --list ] && exit\n: >'{self.build}/slow'\n"
                        "exec sleep 60\n")
        slow.chmod(0o755)
        with subprocess.Popen([sys.executable, "-B", SCRIPT, "--build", self.build],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not (self.build / "slow").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("modulo -> contiguous", out)
        self.assertIn("2 variants were run, and no file was written", err)
        self.assertFalse((self.build / "compare/compare.csv").exists())


class Terminal(Programs):
    """What a terminal shows; colours are sequences that end in m."""

    COLOUR = re.compile(r"\033\[[0-9;]*m")

    def shown(self, columns=80, interrupt_at=None, **environment):
        """(exit status, text) of a run on a terminal of its own; Ctrl-C once a file is there."""
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update({"TERM": "xterm", **environment})
            os.execv(sys.executable, [sys.executable, "-B", str(SCRIPT), "--build",
                                      str(self.build)])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        text = b""
        while True:
            if interrupt_at and interrupt_at.exists():
                os.write(terminal, b"\x03")
                interrupt_at = None
            if not select.select([terminal], [], [], 0.05)[0]:
                continue
            try:
                part = os.read(terminal, 65536)
            except OSError: # how Linux says that the other end is closed
                part = b""
            if not part:
                break
            text += part
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        return status, text.decode()

    def test_colours_only_where_they_are_wanted(self):
        self.program("01_tree", {}, FASTER)
        self.assertRegex(self.shown()[1], self.COLOUR)
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            status, text = self.shown(**environment)
            self.assertEqual(status, 0, text)
            self.assertIn("modulo -> contiguous", text)
            self.assertNotRegex(text, self.COLOUR)
        self.assertNotIn("\033", self.shown(TERM="dumb")[1])

    def test_progress_stays_on_its_line_however_narrow(self):
        self.program("01_tree_with_a_name_that_is_longer_than_most", {}, FASTER)
        for columns in (30, 50, 80):
            text = self.shown(columns=columns)[1]
            lines = re.findall(r"\r\033\[K([^\r\n\033]+)", text)
            self.assertTrue([line for line in lines if " s" in line], text)
            for line in lines[:-1]: # after the last one comes the table
                self.assertLess(len(line), columns)

    def test_control_c(self):
        self.program("01_tree", {}, FASTER)
        slow = self.build / "lessons/02_bank"
        slow.write_text(f"#!/bin/sh\n[ \"$1\" = --list ] && exit\n: >'{self.build}/slow'\n"
                        "exec sleep 60\n")
        slow.chmod(0o755)
        status, text = self.shown(interrupt_at=self.build / "slow")
        self.assertEqual(status, 130, text)
        self.assertIn("modulo -> contiguous", text)
        self.assertIn("2 variants were run, and no file was written", text)
        self.assertNotIn("Traceback", text)


if __name__ == "__main__":
    unittest.main()
