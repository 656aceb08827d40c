#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regression tests of the grader as a program: a class in one run, and what a run leaves behind.

    test_grade_class.py PATH/TO/grade
"""

import json
import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

import workplace


class WholeClass(workplace.Workplace):
    ODD_NAMES = [b"-rf", b"two\nlines", b'quo"te\'s', b"caf\xe9", b"=cmd|calc", b"a b",
                 b"$(touch x)", b"%s%n", "Ωmega".encode(), b"..almost"]

    def test_odd_names_are_opaque(self):
        for name in self.ODD_NAMES:
            self.submit(name, b"SOLUTION", b"SOLUTION")
        done, rows = self.grade_class()
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = {"-rf": "'-rf", "=cmd|calc": "'=cmd|calc"}
        expected = {"two\\nlines", 'quo"te\'s', "caf\\xe9", "a b", "$(touch x)", "%s%n", "Ωmega",
                    *shown.values()}
        self.assertEqual(set(rows), expected)  # ..almost begins with a dot: hidden
        self.assertTrue(all(row["points"] == "10" for row in rows.values()))
        self.assertFalse((self.root / "x").exists())

    def test_one_bad_submission_stops_nobody(self):
        self.submit("a", b"SUITE_CRASHES", b"ENDLESS_COMPILE")
        self.submit("b", b"SOLUTION", b"SOLUTION")
        os.symlink(self.root / "class/b", self.root / "class/link")
        (self.root / "class/README.txt").write_text("not a submission")
        done, rows = self.grade_class("--jobs", "2")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(sorted(rows), ["a", "b", "link"])
        self.assertEqual(rows["b"]["points"], "10")
        self.assertEqual(rows["link"]["points"], "0")
        self.assertIn("links are not followed", rows["link"]["note"])

    def test_results_json_of_each_student(self):
        self.submit("ada", b"HALF", b"SOLUTION")
        self.grade_class()
        result = json.loads((self.root / "out/students/ada.json").read_text())
        self.assertEqual(result["student"], "ada")
        self.assertEqual((result["points"], result["max_points"]), (7, 10))
        check = result["exercises"][0]["checks"][1]
        self.assertEqual((check["status"], check["reason"]), ("fail", "n = 257: the tail is lost"))

    def test_feedback_for_each_student(self):
        self.submit("a<b>&", b"HALF", b"HIDDEN")
        self.submit("zoe", b"SOLUTION", b"SOLUTION")
        self.grade_class()
        pages = {path.name: path.read_text() for path in (self.root / "out/feedback").iterdir()}
        self.assertEqual(sorted(name.split(".")[-1] for name in pages),
                         ["html", "html", "txt", "txt"])
        page = next(text for name, text in pages.items() if name.startswith("a_b") and
                    name.endswith(".html"))
        self.assertIn("<h1>a&lt;b&gt;&amp;: 2 of 10 points</h1>", page)
        self.assertIn("n = 257: the tail is lost", page)
        self.assertNotIn("secret reason", page)
        self.assertIn("not shown", page)
        self.assertNotIn("zoe", page)
        self.assertTrue(all(str(self.root) not in text for text in pages.values()))

    def test_one_student_only(self):
        self.submit("a", b"SOLUTION", b"SOLUTION")
        self.submit("b", b"SOLUTION", b"SOLUTION")
        _, rows = self.grade_class("--student", "b")
        self.assertEqual([rows[name]["status"] for name in ("a", "b")], ["pending", "judged"])

    def test_students_are_judged_side_by_side(self):
        for i in range(4):
            self.submit(f"s{i}", b"ENDLESS_COMPILE", b"SOLUTION")
        with self.start("--jobs", "4", "--compile-s", "500") as process:
            self.assertTrue(self.wait_for(lambda: self.running() == 4), "not four at a time")
            process.kill()

    def test_a_student_has_so_much_processor_time_and_no_more(self):
        self.submit("busy", b"BUSY", b"SOLUTION")
        self.submit("quick", b"SOLUTION", b"SOLUTION")
        for limit, points, status in (("1", "5", "refused"), ("100", "10", "judged")):
            _, rows = self.grade_class("--student-s", limit, "--suite-s", "30")
            self.assertEqual((rows["busy"]["points"], rows["quick"]["points"]), (points, "10"))
            result = json.loads((self.root / "out/students/busy.json").read_text())
            self.assertEqual(result["exercises"][1]["state"], status)

    def test_stale_results_are_not_reused(self):
        folder = self.submit("s", b"SOLUTION", b"SOLUTION")
        self.grade_class()
        os.chmod(os.path.join(folder, b"01_one.cu"), 0o644)
        with open(os.path.join(folder, b"01_one.cu"), "wb") as file:
            file.write(b"SUITE_CRASHES")
        _, rows = self.grade_class()
        self.assertEqual(rows["s"]["status"], "grader_error")

    def test_nothing_to_judge(self):
        done = self.grade("--submissions", self.root / "class")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no folders", done.stderr)
        done = self.grade("--submissions", self.root / "nowhere")
        self.assertEqual(done.returncode, 2)

    def test_results_that_cannot_be_written(self):
        self.submit("s", b"SOLUTION", b"SOLUTION")
        done = self.grade("--submissions", self.root / "class", "--out", "/proc/nowhere")
        self.assertEqual(done.returncode, 2)

    @unittest.skipUnless(shutil.which("bwrap"), "no bubblewrap to make a small disk with")
    def test_a_full_disk_is_said_before_anything_is_judged(self):
        self.submit("s", b"SOLUTION", b"SOLUTION")
        for size, status in (("1048576", 2), ("1073741824", 0)):
            done = subprocess.run(
                ["bwrap", "--dev-bind", "/", "/", "--size", size, "--tmpfs", self.root / "out",
                 *self.command("--names", "01_one", "--submissions", self.root / "class")],
                cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if b"bwrap:" in done.stderr:
                self.skipTest(done.stderr.decode())
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"disk space" in done.stderr, status == 2)

    def test_a_killed_grader_leaves_nothing_that_runs(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            name = f"s{int(number)}"
            self.submit(name, b"ENDLESS_COMPILE", b"SOLUTION")
            with self.start("--names", "01_one", "--compile-s", "500") as process:
                self.assertTrue(self.wait_for(lambda: self.running() > 0), "no compiler started")
                process.send_signal(number)
                process.wait()
            self.assertTrue(self.wait_for(lambda: self.running() == 0), "the compiler survived")

    def running(self):
        """How many processes run this workplace's compiler."""
        count = 0
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                count += os.fsencode(self.root / "compiler") in path.read_bytes().split(b"\0")[:2]
            except OSError:
                pass
        return count

    def test_nothing_is_left_in_the_temporary_folder(self):
        self.submit("s", b"BROKEN", b"SOLUTION")
        self.submit("t", b"SOLUTION", b"BROKEN")
        temporary = self.root / "tmp"
        temporary.mkdir()
        self.grade("--submissions", self.root / "class",
                   env={**os.environ, "TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])


if __name__ == "__main__":
    workplace.main()
