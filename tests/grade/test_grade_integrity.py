#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regression tests of the grader as a program: runs after, beside and instead of each other.

    test_grade_integrity.py PATH/TO/grade
"""

import json
import os
import shutil
import time

import workplace


class Integrity(workplace.Workplace):
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
        (self.root / "suites/01_one").write_text(workplace.SUITE + "# changed\n")
        self.grade_class()
        self.assertEqual(self.judged(), [f"{name}/01_one.cu" for name in ("ada", "bob", "eve")])
        for more in (["--seed", "2"], ["--check", "all"], ["--schedule", "sweep:4"]):
            self.grade_class(*more)
            self.assertEqual(len(self.judged()), 6, more)

    def test_a_part_of_the_compiler_changed(self):
        self.three()
        parts = self.root / "tools/compiler"
        parts.mkdir(parents=True)
        shutil.copy(self.root / "compiler", self.root / "tools/simtcc")
        (parts / "part.sh").write_text("first")
        for text, n_judged in (("first", 6), ("first", 0), ("second", 6)):
            (parts / "part.sh").write_text(text)
            self.grade_class("--compiler", self.root / "tools/simtcc")
            self.assertEqual(len(self.judged()), n_judged, text)

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
        with self.start("--compile-s", "500") as first:
            self.wait_for(lambda: (self.root / "out/verdicts").exists())
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
        for text in ("short", "", " \n" * 40):
            key.write_text(text)
            done = self.grade("--submissions", self.root / "class", "--key", key)
            self.assertEqual(done.returncode, 2, text)

    def test_roster(self):
        self.three()
        (self.root / "roster.csv").write_text(
            'name,id\r\n"Eve, E.",eve\r\nMax,max\r\n\r\nAda,ada\r\n')
        _, rows = self.grade_class("--roster", self.root / "roster.csv")
        self.assertEqual([(name, row["status"], row["points"]) for name, row in rows.items()],
                         [("eve", "judged", "2"), ("max", "missing", "0"),
                          ("ada", "judged", "10"), ("bob", "judged", "7")])
        self.assertIn("not on the roster", rows["bob"]["note"])
        for text in ("name;id\nEve;eve\nMax;max\nAda;ada\n", "\ufeffID\tname\neve\t\nmax\nada",
                     "id,x\reve,\"a\"\"\r\"\rmax\rada\r"):
            (self.root / "roster.csv").write_text(text, newline="", encoding="utf-8")
            _, again = self.grade_class("--roster", self.root / "roster.csv")
            self.assertEqual(again, rows, text)
        for text in ("name,mail\nx,y\n", "id\nada\nada\n", "id,x\nmax,\nada,\"a\nbob,b\n", "",
                     "id;x\nada;\nada;\n"):
            (self.root / "roster.csv").write_text(text)
            done = self.grade("--submissions", self.root / "class", "--roster",
                              self.root / "roster.csv")
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(b"roster.csv:", done.stderr)
        for data in ("id\nada\n".encode("utf-16"), b"id\nad\0a\n"):
            (self.root / "roster.csv").write_bytes(data)
            done = self.grade("--submissions", self.root / "class", "--roster",
                              self.root / "roster.csv")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"it is no text in UTF-8", done.stderr)

    def test_nothing_is_left_behind_after_a_kill(self):
        self.submit("s", b"ENDLESS_COMPILE", b"SOLUTION")
        temporary = self.root / "tmp"
        temporary.mkdir()
        with self.start("--names", "01_one", "--compile-s", "500",
                        env={**os.environ, "TMPDIR": str(temporary)}) as process:
            self.wait_for(lambda: list(temporary.rglob("*.cu")))
            process.kill()
        self.assertTrue(self.wait_for(lambda: not list(temporary.iterdir())))


if __name__ == "__main__":
    workplace.main()
