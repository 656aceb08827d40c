#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regression tests of the grader as a program: honest and hostile submissions, one class of them.

    test_grade_class.py PATH/TO/grade

A stand-in compiler and a stand-in suite, both shell scripts, make every behaviour of theirs easy to
provoke; that the real ones fit is tested by test_grade_real.py.
"""

import csv
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

GRADE = None
ROOT = Path(__file__).resolve().parents[2]
NAMES = ("01_one", "02_two")

# Copies the source to the module, unless the source asks for trouble.
COMPILER = r"""#!/bin/sh
[ "$1" = --version ] && { cat "$(dirname "$0")/version" 2>/dev/null; exit; }
src=$2
[ -e "$(dirname "$0")/compiler-is-broken" ] && { echo 'no clang'; exit 1; }
case $(cat "$src") in
  *BROKEN*) echo "$src:3:7: error: expected ';' after expression"; exit 1 ;;
  *ENDLESS_COMPILE*) sleep 60 ;;
  *FLOOD*) yes 'warning: much ado' | head -c 3000000; echo "$src:9:9: error: enough"; exit 1 ;;
  *FULL_DISK*) echo "error: unable to open /secret/place: No space left on device"; exit 1 ;;
  *COMPILER_CRASH*) kill -SEGV $$ ;;
esac
echo "$4: $src $(sed -n 's/^INCLUDES //p' "$src")" > "$7"
cp "$src" "$4"
"""

SUITE = r"""#!/bin/sh
name=$(basename "$0")
record() { # check status points max
  { printf '{"exercise": "%s", "check": "%s", "status": "%s", ' "$name" "$1" "$2"
    printf '"points": %s, "max_points": %s, "reason": "%s"}\n' "$3" "$4" "$5"; } >>"$WB_RESULTS"
}
case $* in *--plan*)
  printf '{"exercise": "%s", "check": "small", "max_points": 2, "about": "small arrays", ' "$name"
  [ "$name" = 02_two ] && echo '"visibility": "hidden"}' || echo '"visibility": "shown"}'
  printf '{"exercise": "%s", "check": "large", "max_points": 3, "about": "large arrays"}\n' "$name"
  exit ;;
esac
echo "judging: $WB_SOURCE"
echo "$WB_SOURCE $WB_SEED" >>"$(dirname "$0")/../log"
case $(cat "$WB_MODULE") in
  *SOLUTION*) record small pass 2 2; record large pass 3 3; exit 0 ;;
  *HALF*) record small pass 2 2; record large fail 0 3 'n = 257: the tail is lost'; exit 1 ;;
  *SUITE_HANGS*) record small pass 2 2; sleep 60 ;;
  *SUITE_CRASHES*) record small pass 2 2; kill -KILL $$ ;;
  *NO_RECORDS*) exit 0 ;;
  *CANNOT_LOAD*) record small pass 2 2; record large error 0 3 'cannot be loaded'; exit 3 ;;
  *HIDDEN*) record small fail 0 2 'secret reason'; record large fail 0 3 x; exit 1 ;;
  *UNREADABLE*) echo '{"exercise": "01_one", "chec' >>"$WB_RESULTS"; exit 1 ;;
  *TWICE*) record small pass 2 2; record small pass 2 2; record large pass 3 3; exit 0 ;;
  *FOREIGN*) record small pass 2 2; record large pass 3 3; record extra pass 9 9; exit 0 ;;
  *PRINTS*) echo '{"exercise": "01_one", "check": "small", "status": "pass", "points": 2}'
            record small fail 0 2 no; record large fail 0 3 no; exit 0 ;;
  *BOM*) od -An -tx1 "$WB_MODULE" | grep -qE 'ef bb|0d' && s=fail || s=pass
         [ $s = pass ] && { record small pass 2 2; record large pass 3 3; exit 0; }
         record small fail 0 2; record large fail 0 3; exit 1 ;;
  *) record small fail 0 2 'not done'; record large fail 0 3 'not done'; exit 1 ;;
esac
"""


class Workplace(unittest.TestCase):
    """A folder with stand-ins, submissions and a place for results."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        for name, text in [("compiler", COMPILER)] + [("suites/" + n, SUITE) for n in NAMES]:
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        (self.root / "class").mkdir()
        (self.root / "out").mkdir()

    def grade(self, *arguments, **options):
        command = [GRADE, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
                   "--suites", self.root / "suites", "--out", self.root / "out",
                   "--compile-s", "0.4", "--suite-s", "0.4", "--names", " ".join(NAMES),
                   # the stand-ins look around, which a fence would not let them
                   "--sandbox", "limits", "--allow-unsafe", "yes", *arguments]
        return subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60, check=False, **options)

    def submit(self, student, *texts):
        """texts: bytes of 01_one.cu, 02_two.cu; None for a missing file."""
        folder = os.path.join(os.fsencode(self.root / "class"), os.fsencode(student))
        os.mkdir(folder)
        for name, text in zip(NAMES, texts):
            if text is not None:
                with open(os.path.join(folder, name.encode() + b".cu"), "wb") as file:
                    file.write(text)
        return folder

    def grade_class(self, *arguments):
        done = self.grade("--submissions", self.root / "class", *arguments)
        with open(self.root / "out/grades.csv", newline="", encoding="utf-8") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        return done, rows


class OneStudent(Workplace):
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


class OddFiles(Workplace):
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

    def test_huge(self):
        def make(path):
            with open(path, "wb") as file:
                file.truncate(100 << 20)
        self.assertIn("larger than 1 MiB", self.note(make))

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
        self.assertEqual((done.returncode, rows["bob.tar.gz"]["status"]), (3, "grader_error"))
        self.assertEqual(rows["a"]["points"], "10")

    def test_utf16_is_read_and_said(self):
        for encoding in ("utf-16-le", "utf-16-be"):
            text = ("\ufeff// \u00e9\u20ac\U0001f600\r\nSOLUTION\r\n").encode(encoding)
            row = self.hand_in({"01_one.cu": text})
            self.assertEqual(row["01_one"], "5")
            self.assertIn("was UTF-16", row["note"])
            shutil.rmtree(self.root / "class/s")


class WholeClass(Workplace):
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
        start = time.monotonic()
        self.grade_class("--jobs", "4")
        self.assertLess(time.monotonic() - start, 5)

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
                 GRADE, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
                 "--suites", self.root / "suites", "--out", self.root / "out", "--names", "01_one",
                 "--sandbox", "limits", "--allow-unsafe", "yes", "--submissions",
                 self.root / "class"], cwd=self.root, stdin=subprocess.DEVNULL,
                capture_output=True, check=False)
            if b"bwrap:" in done.stderr:
                self.skipTest(done.stderr.decode())
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"disk space" in done.stderr, status == 2)

    def test_a_killed_grader_leaves_nothing_that_runs(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            name = f"s{int(number)}"
            self.submit(name, b"ENDLESS_COMPILE", b"SOLUTION")
            with subprocess.Popen(
                    [GRADE, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
                     "--suites", self.root / "suites", "--out", self.root / "out", "--names",
                     "01_one", "--compile-s", "50", "--sandbox", "limits", "--allow-unsafe", "yes",
                     "--submissions", self.root / "class"],
                    cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL) as process:
                self.assertTrue(self.wait_for(lambda: self.running() > 0), "no compiler started")
                process.send_signal(number)
                process.wait(10)
            self.assertTrue(self.wait_for(lambda: self.running() == 0), "the compiler survived")

    def running(self):
        """How many processes run this workplace's compiler."""
        count = 0
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                count += os.fsencode(self.root / "compiler") in path.read_bytes().split(b"\0")[:3]
            except OSError:
                pass
        return count

    @staticmethod
    def wait_for(condition):
        end = time.monotonic() + 10
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        return condition()

    def test_nothing_is_left_in_the_temporary_folder(self):
        self.submit("s", b"BROKEN", b"SOLUTION")
        self.submit("t", b"SOLUTION", b"BROKEN")
        temporary = self.root / "tmp"
        temporary.mkdir()
        self.grade("--submissions", self.root / "class",
                   env={**os.environ, "TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])


class Integrity(Workplace):
    """Whose points a row holds, whatever was run before, beside it, or half-way."""

    def judged(self):
        """The files that a suite was run on since the last call."""
        log = self.root / "log"
        lines = log.read_text().split("\n")[:-1] if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(line.split()[0] for line in lines)

    def results(self, out="out"):
        """The bytes of all results."""
        folder = self.root / out
        paths = [folder / "grades.csv", *sorted((folder / "students").iterdir())]
        return {path.name: path.read_bytes() for path in paths}

    def three(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        self.submit("bob", b"HALF", b"SOLUTION")
        self.submit("eve", b"the stub", b"HALF")

    def test_two_classes_in_one_folder_do_not_mix(self):
        self.submit("zoe", b"SOLUTION", b"SOLUTION")
        self.grade_class()
        os.rename(self.root / "class", self.root / "other")
        (self.root / "class").mkdir()
        self.submit("abe", b"the stub", b"the stub")
        self.submit("zoe", b"HALF", None)
        _, rows = self.grade_class()
        self.assertEqual({name: row["points"] for name, row in rows.items()},
                         {"abe": "0", "zoe": "2"})

    def test_the_same_file_is_judged_for_each_student(self):
        self.submit("ada", b"SOLUTION", None)
        self.grade_class()
        self.submit("bob", b"SOLUTION", None)
        self.judged()
        self.grade_class()
        self.assertEqual(self.judged(), ["bob/01_one.cu"])

    def test_one_student_joins_the_table_of_the_class(self):
        self.three()
        self.grade_class()
        before = self.results()
        self.judged()
        (self.root / "class/bob/01_one.cu").write_bytes(b"SOLUTION")
        done, rows = self.grade_class("--student", "bob")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.judged(), ["bob/01_one.cu"])
        self.assertEqual({name: row["points"] for name, row in rows.items()},
                         {"ada": "10", "bob": "10", "eve": "2"})
        after = self.results()
        self.assertEqual([name for name in after if after[name] != before[name]],
                         ["grades.csv", "bob.json"])

    def test_one_exercise_joins_the_table_of_the_class(self):
        self.three()
        done, rows = self.grade_class("--exercise", "02_two")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(row["status"], row["01_one"], row["02_two"]) for row in rows.values()],
                         [("pending", "", "5"), ("pending", "", "5"), ("pending", "", "2")])
        _, rows = self.grade_class("--exercise", "01_one")
        self.assertEqual([row["points"] for row in rows.values()], ["10", "7", "2"])
        self.assertEqual(self.grade("--submissions", self.root / "class", "--exercise",
                                    "03_none").returncode, 2)

    def test_what_changed_is_judged_again_and_nothing_else(self):
        self.three()
        done, _ = self.grade_class()
        self.assertEqual(len(self.judged()), 6)
        self.assertIn(b"6 exercises judged, 0 had a verdict already", done.stdout)
        first = self.results()
        self.grade_class("--jobs", "3")
        self.assertEqual(self.judged(), [])
        self.assertEqual(self.results(), first)
        self.grade_class("--force", "yes")
        self.assertEqual(len(self.judged()), 6)
        self.assertEqual(self.results(), first)
        (self.root / "version").write_text("another compiler")
        self.grade_class()
        self.assertEqual(len(self.judged()), 6)
        (self.root / "suites/01_one").write_text(SUITE + "# changed\n")
        self.grade_class()
        self.assertEqual(self.judged(), [f"{name}/01_one.cu" for name in ("ada", "bob", "eve")])
        for more in (["--seed", "2"], ["--check", "all"], ["--schedule", "sweep:4"]):
            self.grade_class(*more)
            self.assertEqual(len(self.judged()), 6, more)

    def test_grader_errors_are_tried_again(self):
        self.submit("ada", b"SOLUTION", b"SUITE_CRASHES")
        self.grade_class()
        self.judged()
        self.grade_class()
        self.assertEqual(self.judged(), ["ada/02_two.cu"])

    def test_a_damaged_or_foreign_verdict_is_not_used(self):
        self.submit("ada", b"SOLUTION", None)
        self.submit("eve", b"the stub", None)
        self.grade_class()
        verdicts = {json.loads(path.read_text())["student"]: path
                    for path in (self.root / "out/verdicts").iterdir()}
        good = verdicts["ada"].read_text()
        for damage in (good[:-200], good.replace('"ada"', '"eve"'), "", "{}", good.replace(
                '"points":\t2', '"points":\t1', 1), verdicts["eve"].read_text()):
            self.assertNotEqual(damage, good)
            verdicts["ada"].write_text(damage)
            self.judged()
            _, rows = self.grade_class()
            self.assertEqual(self.judged(), ["ada/01_one.cu"])
            self.assertEqual((rows["ada"]["01_one"], rows["eve"]["01_one"]), ("5", "0"))
        verdicts["eve"].write_text(good)  # another one's verdict under one's own key
        _, rows = self.grade_class()
        self.assertEqual((rows["ada"]["01_one"], rows["eve"]["01_one"]), ("5", "0"))

    def start(self, *arguments):
        return subprocess.Popen(
            [GRADE, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
             "--suites", self.root / "suites", "--out", self.root / "out", "--names",
             " ".join(NAMES), "--compile-s", "0.4", "--suite-s", "0.4", "--sandbox", "limits",
             "--allow-unsafe", "yes", "--submissions",
             self.root / "class", *arguments], cwd=self.root, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_a_killed_run_goes_on_where_it_stopped(self):
        for i in range(8):
            self.submit(f"s{i}", (b"SOLUTION", b"HALF", b"BROKEN", b"stub")[i % 4], b"SOLUTION")
        self.grade_class("--jobs", "1")
        undisturbed, n_all = self.results(), len(self.judged())
        os.rename(self.root / "out", self.root / "before")
        (self.root / "out").mkdir()
        for round_number in range(3):
            with self.start("--jobs", "2") as process:
                time.sleep(0.08 + 0.07 * round_number)
                process.kill()
        self.grade_class("--jobs", "2")
        self.assertEqual(self.results(), undisturbed)
        n_with_kills = len(self.judged())
        self.assertLessEqual(n_with_kills, n_all + 3 * 2)  # what was under way, and no more

    def test_a_class_needs_a_fence(self):
        self.submit("s", b"SOLUTION", b"SOLUTION")
        for arguments in (["--allow-unsafe", "no"], ["--sandbox", "wall"],
                          ["--schedule", "random:3"]):
            done = self.grade("--submissions", self.root / "class", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotEqual(done.stderr, b"")
        done, _ = self.grade_class()
        self.assertIn(b"UNSAFE", done.stderr)

    def test_one_grader_at_a_time(self):
        self.submit("s", b"ENDLESS_COMPILE", b"ENDLESS_COMPILE")
        with self.start("--compile-s", "6") as first:
            WholeClass.wait_for(lambda: (self.root / "out/verdicts").exists())
            done = self.grade("--submissions", self.root / "class")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"another grader is at work", done.stderr)
            first.kill()

    def test_shards_put_together_are_the_single_run(self):
        for i in range(7):
            self.submit(f"s{i}", (b"SOLUTION", b"HALF", b"BROKEN")[i % 3], b"SOLUTION")
        self.grade_class()
        single = self.results()
        self.judged()
        for i in (1, 2, 3):
            (self.root / f"shard{i}").mkdir()
            done = self.grade("--submissions", self.root / "class", "--shard", f"{i}/3",
                              "--out", self.root / f"shard{i}")
            self.assertEqual(done.returncode, 0, done.stderr)
        n_judged = len(self.judged())
        self.assertEqual(n_judged, 12)  # two of 14 do not compile
        (self.root / "merged").mkdir()
        folders = ":".join(str(self.root / f"shard{i}") for i in (1, 2, 3))
        done = self.grade("--submissions", self.root / "class", "--merge", folders,
                          "--out", self.root / "merged")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.judged(), self.results("merged")), ([], single))
        for shard in ("0/3", "4/3", "x", "1", "1/3x"):
            self.assertEqual(self.grade("--submissions", self.root / "class", "--shard",
                                        shard).returncode, 2, shard)

    def test_a_key_decides_the_inputs_and_is_never_written(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        key = self.root / "key"
        seeds = []
        for text in ("correct horse battery staple", "another key that is long enough"):
            key.write_text(text)
            for _ in range(2):
                self.grade_class("--key", key, "--force", "yes")
                log = (self.root / "log").read_text().split("\n")[:-1]
                seeds.append(sorted(line.split()[1] for line in log))
                (self.root / "log").unlink()
        self.assertEqual((seeds[0], seeds[2]), (seeds[1], seeds[3]))
        self.assertEqual(len(set(seeds[0] + seeds[2])), 4)  # each key, each exercise
        for path in (self.root / "out").rglob("*.*"):
            if path.is_file():
                self.assertNotIn(b"another key", path.read_bytes())
        key.write_text("short")
        self.assertEqual(self.grade("--submissions", self.root / "class", "--key",
                                    key).returncode, 2)

    def test_roster(self):
        self.three()
        (self.root / "roster.csv").write_text(
            'name,id\r\n"Eve, E.",eve\r\nMax,max\r\n\r\nAda,ada\r\n')
        _, rows = self.grade_class("--roster", self.root / "roster.csv")
        self.assertEqual([(name, row["status"], row["points"]) for name, row in rows.items()],
                         [("eve", "judged", "2"), ("max", "missing", "0"),
                          ("ada", "judged", "10"), ("bob", "judged", "7")])
        self.assertIn("not on the roster", rows["bob"]["note"])
        for text in ("name,mail\nx,y\n", "id\nada\nada\n"):
            (self.root / "roster.csv").write_text(text)
            done = self.grade("--submissions", self.root / "class", "--roster",
                              self.root / "roster.csv")
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(b"roster.csv:", done.stderr)

    def test_nothing_is_left_behind_after_a_kill(self):
        self.submit("s", b"ENDLESS_COMPILE", b"SOLUTION")
        temporary = self.root / "tmp"
        temporary.mkdir()
        with subprocess.Popen(
                [GRADE, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
                 "--suites", self.root / "suites", "--out", self.root / "out", "--names", "01_one",
                 "--sandbox", "limits", "--allow-unsafe", "yes",
                 "--submissions", self.root / "class"], cwd=self.root, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(temporary)}) as process:
            WholeClass.wait_for(lambda: list(temporary.rglob("*.cu")))
            process.kill()
        self.assertTrue(WholeClass.wait_for(lambda: not list(temporary.iterdir())))


class OwnExercises(Workplace):
    def own(self, *texts):
        (self.root / "exercises").mkdir()
        for name, text in zip(NAMES, texts):
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
    GRADE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
