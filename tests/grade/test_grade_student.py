#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regression tests of the grader as a program: the submissions of one student, honest and hostile.

    test_grade_student.py PATH/TO/grade
"""

import json
import os
import shutil
import socket
from pathlib import Path

import workplace

ROOT = Path(__file__).resolve().parents[2]


class OneStudent(workplace.Workplace):
    def judge(self, text):
        self.submit("s", text, b"SOLUTION")
        done, rows = self.grade_class()
        return done, rows["s"]

    def test_solution_gets_full_points(self):
        done, row = self.judge(b"SOLUTION")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((row["status"], row["points"], row["max_points"]), ("judged", "10", "10"))

    def test_partial_credit(self):
        _, row = self.judge(b"HALF")
        self.assertEqual((row["points"], row["01_one"], row["02_two"]), ("7", "2", "5"))

    def test_stub_gets_nothing_and_is_judged(self):
        _, row = self.judge(b"the stub")
        self.assertEqual((row["status"], row["01_one"]), ("judged", "0"))

    def test_does_not_compile(self):
        done, row = self.judge(b"BROKEN")
        self.assertEqual((done.returncode, row["status"], row["01_one"]), (0, "judged", "0"))
        self.assertIn("expected ';'", row["note"])

    def test_endless_compile_is_stopped(self):
        _, row = self.judge(b"ENDLESS_COMPILE")
        self.assertEqual(row["01_one"], "0")
        self.assertIn("stopped after", row["note"])

    def test_a_compiler_that_was_killed_for_its_time_is_no_grader_error(self):
        done, row = self.judge(b"BUSY_COMPILE")
        self.assertEqual((done.returncode, row["status"], row["01_one"]), (0, "judged", "0"))
        self.assertIn("stopped after", row["note"])

    def test_a_wrapper_takes_the_end_of_its_compiler_for_a_crash(self):
        for text, words in ((b"BUSY_COMPILE WRAPPED", "stopped after"),
                            (b"WRAPPED", "clang breaks down")):
            _, row = self.judge(text)
            self.assertEqual((row["status"], row["01_one"]), ("judged", "0"))
            self.assertIn(words, row["note"])
            shutil.rmtree(self.root / "class/s")

    def test_a_crash_of_the_compiler_costs_no_points(self):
        done, row = self.judge(b"COMPILER_CRASH")
        self.assertEqual((done.returncode, row["status"], row["01_one"]), (3, "grader_error", ""))
        self.assertIn("without an error in the submission's own text", row["note"])

    def test_an_error_elsewhere_costs_no_points_and_is_not_shown(self):
        done, row = self.judge(b"FULL_DISK")
        self.assertEqual((done.returncode, row["status"], row["01_one"]), (3, "grader_error", ""))
        self.assertNotIn("/secret/place", row["note"])

    def test_flood_of_diagnostics(self):
        _, row = self.judge(b"FLOOD")
        self.assertEqual(row["01_one"], "0")
        self.assertLess(len(row["note"]), 3000)

    def test_a_compiler_that_does_not_work_costs_nobody_points(self):
        (self.root / "compiler-is-broken").touch()
        self.submit("s", b"SOLUTION", b"BROKEN")
        done, rows = self.grade_class()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((rows["s"]["status"], rows["s"]["points"]), ("grader_error", ""))
        self.assertIn("the compiler does not work: no clang", rows["s"]["note"])

    def test_others_work_may_not_be_included(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        for name, path in [("bob", self.root / "class/ada/01_one.cu"),
                           ("dots", self.root / "suites/../class/ada/../ada/01_one.cu"),
                           ("solution", ROOT / "solutions/01_shared_tree.cu"),
                           ("tests", ROOT / "common/../tests/01_shared_tree.c")]:
            self.submit(name, b"INCLUDES " + os.fsencode(path) + b"\nSOLUTION", b"SOLUTION")
        self.submit("honest", b"INCLUDES /usr/include/math.h "
                    + os.fsencode(ROOT / "common/simt/include/cuda_runtime.h")
                    + b"\nSOLUTION", b"SOLUTION")
        done, rows = self.grade_class()
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("bob", "dots", "solution", "tests"):
            self.assertEqual((rows[name]["01_one"], rows[name]["02_two"]), ("0", "5"), name)
            self.assertIn("a submission may not", rows[name]["note"])
        self.assertEqual((rows["honest"]["points"], rows["ada"]["points"]), ("10", "10"))

    def assert_grader_error(self, text):
        done, row = self.judge(text)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((row["status"], row["points"], row["01_one"]), ("grader_error", "", ""))
        self.assertEqual(row["02_two"], "5")

    def test_judge_that_breaks_down(self):
        self.assert_grader_error(b"CANNOT_LOAD")

    def test_records_that_cannot_be_read(self):
        self.assert_grader_error(b"UNREADABLE")

    def test_suite_that_hangs(self):
        self.assert_grader_error(b"SUITE_HANGS")

    def test_suite_that_crashes(self):
        self.assert_grader_error(b"SUITE_CRASHES")

    def test_suite_without_records(self):
        self.assert_grader_error(b"NO_RECORDS")

    def test_duplicate_record(self):
        self.assert_grader_error(b"TWICE")

    def test_unplanned_record(self):
        self.assert_grader_error(b"FOREIGN")

    def test_output_is_no_verdict(self):
        _, row = self.judge(b"PRINTS")
        self.assertEqual(row["01_one"], "0")

    def test_byte_order_mark_and_crlf_are_harmless(self):
        _, row = self.judge(b"\xef\xbb\xbfBOM\r\nline\r\n")
        self.assertEqual(row["01_one"], "5")


class OddFiles(workplace.Workplace):
    def note(self, make):
        folder = self.submit("s", None, b"SOLUTION")
        make(os.path.join(folder, b"01_one.cu"))
        done, rows = self.grade_class()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((rows["s"]["01_one"], rows["s"]["02_two"]), ("0", "5"))
        return rows["s"]["note"]

    def test_missing(self):
        self.assertIn("there is no 01_one.cu", self.note(lambda path: None))

    def test_empty(self):
        self.assertIn("is empty", self.note(lambda path: open(path, "w").close()))

    def test_symlink(self):
        secret = self.root / "secret"
        secret.write_text("SOLUTION")
        self.assertIn("is a link", self.note(lambda path: os.symlink(secret, path)))

    def test_fifo(self):
        self.assertIn("not a regular file", self.note(os.mkfifo))

    def test_folder(self):
        self.assertIn("not a regular file", self.note(os.mkdir))

    def test_socket(self):
        def make(path):
            with socket.socket(socket.AF_UNIX) as door:
                os.chdir(os.path.dirname(path))  # its name may be longer than a socket's can
                try:
                    door.bind(os.path.basename(path))
                finally:
                    os.chdir("/")
        self.assertIn("not a regular file", self.note(make))

    def test_a_link_to_itself(self):
        self.assertIn("is a link", self.note(lambda path: os.symlink(b"01_one.cu", path)))

    def test_folders_without_end(self):
        def make(path):
            place = os.path.dirname(path)
            os.symlink(".", os.path.join(place, b"loop"))
            folder = os.open(place, os.O_RDONLY)
            for _ in range(500):  # longer than a path can be
                os.mkdir(10 * "d", dir_fd=folder)
                deeper = os.open(10 * "d", os.O_RDONLY, dir_fd=folder)
                os.close(folder)
                folder = deeper
            os.close(folder)
        self.assertIn("there is no 01_one.cu", self.note(make))

    def test_huge(self):
        def make(path):
            with open(path, "wb") as file:
                file.truncate(100 << 20)
        self.assertIn("larger than 1 MiB", self.note(make))

    def test_utf32_is_not_text(self):
        def make(path):
            with open(path, "wb") as file:
                file.write("\ufeffSOLUTION".encode("utf-32-le"))
        self.assertIn("not text", self.note(make))

    def test_nul_bytes(self):
        def make(path):
            with open(path, "wb") as file:
                file.write(b"SOLUTION\0")
        self.assertIn("not text", self.note(make))

    def hand_in(self, paths):
        """One student with these files instead of 01_one.cu; its row."""
        folder = self.submit("s", None, b"SOLUTION")
        for path, text in paths.items():
            place = Path(os.fsdecode(folder)) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
        return self.grade_class()[1]["s"]

    def test_names_that_are_nearly_right_are_taken_with_a_note(self):
        for path in ("exercises/01_one.cu", "01_one.CU", "01_One.cu", "01_one (1).cu",
                     "01_one(12).cu", "01_one-2.cu", "01_one - Copy.cu", "01_one.cu.txt",
                     "Ada_1234_assignsubmission_file_/work/01_one.cu"):
            with self.subTest(path):
                row = self.hand_in({path: b"SOLUTION", ".git/01_one.cu": b"the stub",
                                    "__MACOSX/01_one.cu": b"the stub"})
                self.assertEqual((row["01_one"], row["02_two"]), ("5", "5"))
                self.assertIn(f"taken from {path}", row["note"])
                shutil.rmtree(self.root / "class/s")

    def test_other_names_are_not_taken(self):
        for path in ("01_one_old.cu", "01_onecu", "01_one.cu.bak", "a/b/c/d/01_one.cu",
                     "(1).cu", ".cu"):
            with self.subTest(path):
                row = self.hand_in({path: b"SOLUTION"})
                self.assertEqual((row["status"], row["01_one"]), ("judged", "0"))
                self.assertIn("there is no 01_one.cu", row["note"])
                shutil.rmtree(self.root / "class/s")

    def test_the_exact_name_wins(self):
        row = self.hand_in({"01_one (1).cu": b"the stub", "deeper/01_one.cu": b"SOLUTION"})
        self.assertEqual(row["01_one"], "5")

    def test_what_is_not_clear_is_no_zero(self):
        for paths in ({"a/01_one.cu": b"SOLUTION", "b/01_one.cu": b"the stub"},
                      {"01_one (1).cu": b"SOLUTION", "01_one (2).cu": b"the stub"},
                      {"homework.ZIP": b"PK"}):
            with self.subTest(paths):
                row = self.hand_in(paths)
                self.assertEqual((row["status"], row["points"], row["01_one"]),
                                 ("grader_error", "", ""))
                self.assertRegex(row["note"], "several files could be meant: .*; and |has not been")
                shutil.rmtree(self.root / "class/s")

    def test_a_student_who_is_an_archive_has_a_row(self):
        self.submit("a", b"SOLUTION", b"SOLUTION")
        (self.root / "class/bob.tar.gz").write_bytes(b"x")
        done, rows = self.grade_class()
        bob = next(row for name, row in rows.items() if name.startswith("bob"))
        self.assertEqual((done.returncode, bob["status"]), (3, "grader_error"))
        self.assertEqual(rows["a"]["points"], "10")

    def test_utf16_is_read_and_said(self):
        for encoding in ("utf-16-le", "utf-16-be"):
            text = ("\ufeff// \u00e9\u20ac\U0001f600\r\nSOLUTION\r\n").encode(encoding)
            row = self.hand_in({"01_one.cu": text})
            self.assertEqual(row["01_one"], "5")
            self.assertIn("was UTF-16", row["note"])
            shutil.rmtree(self.root / "class/s")


class OwnExercises(workplace.Workplace):
    def own(self, *texts):
        (self.root / "exercises").mkdir()
        for name, text in zip(workplace.NAMES, texts):
            if text is not None:
                (self.root / "exercises" / f"{name}.cu").write_bytes(text)
        done = self.grade()
        return done, json.loads((self.root / "out/results.json").read_text())

    def test_table_and_json(self):
        done, result = self.own(b"SOLUTION", b"HALF")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((result["points"], result["max_points"]), (7, 10))
        self.assertEqual(result["grader_errors"], 0)
        self.assertIn(b"the tail is lost", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.decode().splitlines()
                            if not line.startswith("Results:")))

    def test_missing_exercise(self):
        _, result = self.own(b"SOLUTION", None)
        self.assertEqual(result["exercises"][1]["state"], "missing")
        self.assertEqual(result["points"], 5)

    def test_try_shows_the_suites_words_and_fails(self):
        (self.root / "mine.cu").write_bytes(b"HALF")
        done = self.grade("--try", "01_one", "--source", "mine.cu")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"judging: mine.cu", done.stdout)
        (self.root / "mine.cu").write_bytes(b"SOLUTION")
        self.assertEqual(self.grade("--try", "01_one", "--source", "mine.cu").returncode, 0)
        (self.root / "mine.cu").write_bytes(b"BROKEN")
        done = self.grade("--try", "01_one", "--source", "mine.cu")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"expected ';'", done.stdout)
        self.assertEqual(self.grade("--try", "01_one", "--source", "none.cu").returncode, 2)

    def test_try_ends_with_3_when_the_judge_breaks_down(self):
        for text in (b"CANNOT_LOAD", b"NO_RECORDS", b"UNREADABLE", b"SUITE_CRASHES"):
            (self.root / "mine.cu").write_bytes(text)
            done = self.grade("--try", "01_one", "--source", "mine.cu")
            self.assertEqual(done.returncode, 3, text)
        self.assertIn(b"ERROR: mine.cu", done.stdout)

    def test_wrong_use(self):
        for arguments in (["--nonsense", "1"], ["--jobs"], ["--seed", "x"], ["--names", "09_none"],
                          ["--compiler", "/nonexistent"]):
            done = self.grade(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotEqual(done.stderr, b"")


if __name__ == "__main__":
    workplace.main()
