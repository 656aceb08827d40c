#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes with every exercise: its questions have answers, its kernels run without launch code,
its challenge is met by a right program and not by the solution; and what is asked and shown.

    test_practice.py BUILD_DIR
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
CHALLENGES = Path(__file__).resolve().parent / "challenges"
# Right programs of another form than the solution's, which also meet their challenge.
MUTANTS = {"12_many_bins": "match.cu", "14_portable": "by_halves.cu"}

os.environ["BUILD"] = str(BUILD)
os.environ.pop("WORKBOOK_PROGRESS", None)
spec = importlib.util.spec_from_file_location("practice", ROOT / "common/scripts/practice.py")
practice = importlib.util.module_from_spec(spec)
spec.loader.exec_module(practice)

LESSONS = sorted(path.parent.name for path in ROOT.glob("lessons/*/practice.json"))


def challenge_met(lesson):
    """A right program that meets the lesson's challenge."""
    if lesson in MUTANTS:
        return ROOT / "tests/mutants" / lesson / MUTANTS[lesson]
    return CHALLENGES / f"{lesson}.cu"


class Data(unittest.TestCase):
    def test_every_lesson(self):
        self.assertEqual(LESSONS, sorted(path.stem for path in ROOT.glob("solutions/[01]*_*.cu")
                                         if (ROOT / "lessons" / path.stem).is_dir()))
        for lesson in LESSONS:
            with self.subTest(lesson=lesson):
                data = practice.read_practice(lesson)
                self.assertEqual(len(data["learnt"]), 2)
                self.assertTrue(all(0 < len(line) <= 80 for line in data["learnt"]))
                self.assertIn(len(data["questions"]), (2, 3))
                names = [question["id"] for question in data["questions"]]
                self.assertEqual(len(set(names)), len(names))

    def test_names_of_code_are_marked(self):
        for lesson in LESSONS:
            for question in practice.read_practice(lesson)["questions"]:
                words = re.sub(r"`[^`]+`", "", question["ask"])
                self.assertNotRegex(words, r"`|\w_\w|\(\)", (lesson, question["id"]))

    def test_answers_are_counted(self):
        for lesson in LESSONS:
            for question in practice.read_practice(lesson)["questions"]:
                with self.subTest(lesson=lesson, question=question["id"]):
                    answer = practice.right_answer(lesson, question)
                    self.assertGreaterEqual(answer, 0)
                    self.assertEqual(answer, int(answer))
                    self.assertIn("{answer}", question["because"])

    def test_kernels_run(self):
        for lesson in LESSONS:
            with self.subTest(lesson=lesson):
                data = practice.read_practice(lesson)
                costs = practice.run_kernels(ROOT / f"solutions/{lesson}.cu", data)
                self.assertGreater(costs["modelled_ms"], 0)
                self.assertGreater(costs["warp_instructions"], 0)
                for counter in data["compare"]:
                    self.assertIn(counter, costs)

    def test_tables(self):
        for lesson in LESSONS: # 10's fastest variant has no modelled time
            with self.subTest(lesson=lesson):
                data = practice.read_practice(lesson)
                words = (lesson, data["fastest"], data["n"], data["block"])
                table = list(practice.cost_table(data, {data["fastest"]:
                                                        practice.run_variant(*words)}))
                self.assertLessEqual(max(len(line) for line in table), practice.WIDTH)
                self.assertRegex("\n".join(table), r"modelled time, us +([0-9.]+|-)\n")

    def test_costs_are_kept_until_something_changes(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(practice, "BUILD", Path(folder)):
            counted = []
            def count():
                counted.append(None)
                return {"n": len(counted)}
            def costs():
                return practice.kept_costs("01_shared_tree", "x", program, count)["n"]
            program, built = Path(folder) / "program", Path(folder) / ".built-judge"
            self.assertEqual((costs(), costs()), (1, 2)) # no build is known
            built.touch()
            self.assertEqual((costs(), costs()), (3, 3))
            program.touch()
            self.assertEqual((costs(), costs()), (4, 4))
            os.utime(built, (1, 1))
            self.assertEqual((costs(), costs()), (5, 5))
            next((Path(folder) / "try").iterdir()).write_text("{", encoding="utf-8")
            self.assertEqual((costs(), costs()), (6, 6))

    def test_challenges(self):
        judged = 0
        for lesson in LESSONS:
            data = practice.read_practice(lesson)
            if "challenge" not in data:
                continue
            for source, meets in ((ROOT / f"solutions/{lesson}.cu", False),
                                  (challenge_met(lesson), True)):
                with self.subTest(source=str(source)):
                    costs = practice.run_kernels(source, data)
                    counted = {**costs, "n": data["n"]}
                    value = practice.value_of(data["challenge"]["count"], counted)
                    self.assertEqual(value <= data["challenge"]["at_most"], meets)
            judged += 1
            with tempfile.TemporaryDirectory() as folder, self.subTest(lesson=lesson):
                module = Path(folder) / "module.ptx"
                practice.compile_module(challenge_met(lesson), module)
                done = subprocess.run([BUILD / "tests" / lesson, "--module", module],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(judged, len(list(CHALLENGES.glob("*.cu"))) + len(MUTANTS))


class Launch(unittest.TestCase):
    """The program run_kernel, with one module of two kernels."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        source = Path(cls.folder.name) / "k.cu"
        source.write_text("#include <cuda_runtime.h>\n"
                          'extern "C" __global__ void add(const unsigned *a, unsigned *b, '
                          "unsigned n) {\n  unsigned i = threadIdx.x;\n"
                          "  if (a[i] == n) atomicAdd(b, a[i]);\n}\n", encoding="utf-8")
        cls.module = Path(cls.folder.name) / "k.ptx"
        practice.compile_module(source, cls.module)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def launch(self, *words):
        return subprocess.run([BUILD / "common/tutor/run_kernel", self.module, *words],
                              capture_output=True, text=True, check=False)

    def test_counts(self):
        done = self.launch("add", "1", "32", "0", "a=zero:unsigned:32", "b=zero:unsigned:1",
                           "unsigned:0")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertIsNone(found["fault"])
        self.assertEqual(found["launches"][0]["counters"]["threads"], 32)

    def test_sums_before(self):
        # offsets[i] = i where all counts are 1: lane 3 alone holds 3.
        ones = ["add", "1", "32", "0", "a=zero:unsigned:32", "b=zero:unsigned:1", "unsigned:0"]
        done = self.launch(*ones, "--", "add", "1", "1", "0", "c=sums:b", "b", "unsigned:0")
        found = json.loads(done.stdout)
        self.assertEqual([launch["counters"]["global_atomic_lanes"] for launch in
                          found["launches"]], [32, 1])

    def test_fault(self):
        done = self.launch("add", "1", "32", "0", "a=zero:unsigned:31", "b=zero:unsigned:1",
                           "unsigned:0")
        self.assertEqual(done.returncode, 1)
        fault = json.loads(done.stdout)["fault"]
        self.assertEqual((fault["kind"], fault["kernel"]), ("out_of_bounds", "add"))

    def test_wrong_words(self):
        right = ["add", "1", "32", "0", "a=zero:unsigned:32", "b=zero:unsigned:1", "unsigned:0"]
        for at, word in ((0, "sub"), (1, "x"), (2, "-1"), (3, ""), (4, "a=zero:unsigned:"),
                         (4, "a=zero:int:1"), (4, "a=ones:float:1"), (4, "a"), (4, "a=sums:z"),
                         (4, "a=zero:float:99999999999"), (5, "a=zero:unsigned:1"),
                         (6, "unsigned:x"), (6, "word:1"), (6, "float:")):
            with self.subTest(word=word):
                words = list(right)
                words[at] = word
                done = self.launch(*words)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertTrue(done.stderr.startswith("run_kernel: "), done.stderr)
        self.assertEqual(self.launch(*right[:-1]).returncode, 2)
        self.assertEqual(self.launch().returncode, 2)
        self.assertEqual(self.launch("--steps", "7", *right).returncode, 0)
        for words in (["--steps", "x", *right], ["--step-by-step", *right], ["--trace"]):
            self.assertEqual(self.launch(*words).returncode, 2, words)


class Asking(unittest.TestCase):
    QUESTION = {"id": "q", "ask": "How many?", "variant": "modulo", "n": 4096, "block": 256,
                "count": "block_barriers / blocks", "because": "It is {answer}."}

    def ask(self, typed):
        out, notes = io.StringIO(), []
        with mock.patch.object(sys, "stdin", io.StringIO(typed)), \
                mock.patch.object(practice, "note", lambda *words: notes.append(words)), \
                contextlib.redirect_stdout(out):
            more = practice.ask("01_shared_tree", self.QUESTION)
        return more, notes, out.getvalue()

    def test_answers(self):
        day = practice.today()
        for typed, notes, said in (("9\n", [("question", "01_shared_tree/q", f"right {day}")],
                                    "right, it is 9"),
                                   ("x\n 9.0\n", [("question", "01_shared_tree/q",
                                                   f"right {day}")], "That is no number."),
                                   ("8\n", [("question", "01_shared_tree/q", f"wrong {day}")],
                                    "no, it is 9"),
                                   ("\n", [], "pass it over"), ("", [], "How many?")):
            with self.subTest(typed=typed):
                more, found, out = self.ask(typed)
                self.assertEqual(found, notes)
                self.assertIn(said, out)
                self.assertEqual(more, typed != "")

    def test_what_comes_back(self):
        facts = {("lesson", "01_shared_tree"): "9 of 9 passed 2026-01-01",
                 ("lesson", "02_bank_conflicts"): "3 of 9 open 2026-01-01",
                 ("question", "01_shared_tree/barriers"): "right 2026-01-01",
                 ("question", "01_shared_tree/words"): "wrong 2026-01-02"}

        def ids(day):
            return [question["id"] for _, question in practice.to_review(facts, day)]
        self.assertEqual(ids("2026-01-03"), ["words", "launches"])
        self.assertEqual(ids("2026-01-02"), ["launches", "barriers"])
        facts["lesson", "01_shared_tree"] = "8 of 9 open 2026-01-01"
        self.assertEqual(ids("2026-01-03"), [])

    def test_whether_anything_is_due(self):
        passed = {("lesson", "01_shared_tree"): "9 of 9 passed 2026-01-01"}
        for facts, status, said in ((passed, 0, ""), ({}, 3, "Nothing to review")):
            out = io.StringIO()
            with mock.patch.object(practice, "read_progress", lambda f=facts: f), \
                    contextlib.redirect_stdout(out):
                self.assertEqual(practice.due(), status)
            self.assertIn(said, out.getvalue())

    def test_arithmetic(self):
        names = {"a": 6, "b": 4}
        for text, value in (("a / b", 1.5), ("a // b * 2 - 1", 1), ("round(a / b) + b", 6)):
            self.assertEqual(practice.value_of(text, names), value)
        for text in ("__import__('os')", "a.b", "a if b else 1", "'x'"):
            with self.assertRaises((ValueError, KeyError)):
                practice.value_of(text, names)

    def test_notes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "progress.txt"
            environment = {**os.environ, "WORKBOOK_PROGRESS": str(path)}

            def note(*words):
                return subprocess.run([BUILD / "workbook", "note", *words], env=environment,
                                      capture_output=True, check=False).returncode
            self.assertEqual(note("question", "a/b", "right 2026-01-01"), 0)
            self.assertEqual(note("question", "a/b", "wrong 2026-01-02"), 0)
            self.assertEqual(path.read_text(encoding="utf-8").splitlines()[-1],
                             "question a/b wrong 2026-01-02")
            for words in (("lesson", "01_a", "9 of 9 passed 2026-01-01"), ("a b", "c", "d"),
                          ("a", "b\nlesson", "c"), ("", "b", "c")):
                self.assertEqual(note(*words), 2)


class Command(unittest.TestCase):
    """practice.py as make runs it, on a solution in place of the exercise."""

    def run_command(self, lesson, source, progress, *words):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for name in ("common", "lessons", "solutions"):
                (copy / name).symlink_to(ROOT / name)
            (copy / "exercises").mkdir()
            (copy / "exercises" / f"{lesson}.cu").write_text(source, encoding="utf-8")
            (copy / "exercises/progress.txt").write_text(progress, encoding="utf-8")
            code = ("import sys; sys.argv = sys.argv[1:]; "
                    "import practice, pathlib; "
                    "practice.ROOT = pathlib.Path.cwd(); sys.exit(practice.main())")
            done = subprocess.run([sys.executable, "-B", "-c", code, "practice.py", *words],
                                  cwd=copy, env={**os.environ, "PYTHONPATH":
                                                 str(ROOT / "common/scripts")},
                                  capture_output=True, text=True, check=False)
            return done, (copy / "exercises/progress.txt").read_text(encoding="utf-8")

    def test_after_and_challenge(self):
        lesson = "01_shared_tree"
        passed = f"version 1\nlesson {lesson} 9 of 9 passed 2026-01-01\n"
        solution = (ROOT / f"solutions/{lesson}.cu").read_text(encoding="utf-8")
        better = challenge_met(lesson).read_text(encoding="utf-8")
        done, _ = self.run_command(lesson, solution, passed, "after", lesson)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"block_barriers +2,304 +2,304")
        self.assertRegex(done.stdout, r"modelled time, us")
        self.assertIn("not met yet", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        done, _ = self.run_command(lesson, solution, passed, "challenge", lesson)
        self.assertEqual(done.returncode, 1)
        done, progress = self.run_command(lesson, better, passed, "challenge", lesson)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("challenge 01_shared_tree met ", progress)
        done, _ = self.run_command(lesson, better, "version 1\n", "challenge", lesson)
        self.assertEqual(done.returncode, 2)
        self.assertIn("after a pass", done.stderr)

    def test_refusals(self):
        for words in (("after",), ("after", "99_none"), ("dance", "01_shared_tree"), ()):
            done, _ = self.run_command("01_shared_tree", "", "version 1\n", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr)


class Try(unittest.TestCase):
    """make try without LESSON: once it has passed, the first that is not passed is another one."""

    def test_what_was_learnt_is_of_the_lesson_that_was_judged(self):
        lesson = "01_shared_tree"
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for name in ("common", "lessons", "solutions", "CMakeLists.txt"):
                (copy / name).symlink_to(ROOT / name)
            (copy / "exercises").mkdir()
            (copy / f"exercises/{lesson}.cu").write_text(
                (ROOT / f"solutions/{lesson}.cu").read_text(encoding="utf-8"), encoding="utf-8")
            facts = "".join(f"lesson {name} 9 of 9 passed 2026-01-01\n"
                            for name in ("warm_up", "00_naive_atomic"))
            progress = copy / "exercises/progress.txt"
            progress.write_text("version 1\n" + facts, encoding="utf-8")
            environment = {key: value for key, value in os.environ.items()
                           if key not in ("LESSON", "ONLY", "WORKBOOK_STAGES")}
            done = subprocess.run(["sh", copy / "common/scripts/lesson.sh", "try"], cwd=copy,
                                  env=dict(environment, WORKBOOK_PROGRESS=str(progress)),
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(practice.read_practice(lesson)["learnt"][0].split(",")[0], done.stdout)
        self.assertIn(f"make predict LESSON={lesson}", done.stdout)
        self.assertIn("Next: 02_bank_conflicts", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
