#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The survey of programs whose outcomes are known; resumed, interrupted, and refused.

    test_survey.py BUILD_DIR
"""

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
BUILD = Path(sys.argv[1]).resolve()
SURVEY = ROOT / "common/survey/simt-survey"

# program: (outcome, what its reason or feature holds, errors that the checkers find)
EXPECTED = {
    "right.cu": ("right", "", 0),
    "ran.cu": ("ran", "", 0),
    "wrong.cu": ("wrong", "1 mismatches", 0),
    "aborts.cu": ("wrong", "Assertion `sum == 0' failed", 1),
    "refused.cu": ("refused", "ldmatrix", 0),
    "unknown_call.cu": ("refused", "cudaGetTheAnswer", 0),
    "needs_library.cu": ("needs", "cuBLAS", 0),
    "wants_input.cu": ("input", "usage", 0),
    "slow.cu": ("slow", "limits of time", 0),
    "race.cu": ("ran", "", 3),
    "reaches/out.cu": ("right", "", 0),
    "nested/src/several.cu": ("right", "", 0),
    "hinted/hinted.cu": ("right", "", 0),
    "sized/sized.cu": ("right", "with smaller arguments: 64 1", 0),
    "old_c/main.cu": ("right", "", 0),
    "linked/main.cu": ("right", "", 0),
    "modern/modern.cu": ("right", "", 0),
    "wants_file/wants_file.cu": ("needs", "the file data/values.txt", 0),
    "large/large.cu": ("right", "with smaller arguments: 64 (SIGSEGV with 4096)", 0),
    "crashes/crashes.cu": ("wrong", "SIGSEGV", 0),
    "reads/src/reads.cu": ("right", "", 0),
}


def bubblewrap_works():
    try:
        return subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
                              capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


# Where no sandbox can be made, as in many containers: the programs here are our own. One of them
# fails when it can reach out of its folder.
FENCED = bubblewrap_works()
TRUSTED = [] if FENCED else ["--allow-unsafe"]
if not FENCED:
    EXPECTED["reaches/out.cu"] = ("wrong", "FAILED", 0)


def command(folder, out, *more):
    return [sys.executable, "-B", SURVEY, folder, "--out", out, "--front", "simtcc", "--cpu", "4",
            "--simtcc", BUILD / "common/simt/simtcc", *TRUSTED, *more]


def survey(folder, out, *more):
    return subprocess.run(command(folder, out, *more), capture_output=True, text=True, check=False)


class Survey(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.work = Path(cls.place.name)
        cls.folder = cls.work / "programs"
        shutil.copytree(ROOT / "tests/survey/programs", cls.folder)
        cls.before = sorted(cls.folder.rglob("*"))
        cls.done = survey(cls.folder, cls.work / "out")
        cls.results = {}
        if cls.done.returncode == 0:
            with open(cls.work / "out/survey.json", encoding="utf-8") as file:
                cls.results = {r["program"]: r for r in json.load(file)["results"]}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_every_program_has_its_outcome(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(set(self.results), set(EXPECTED))
        for name, (outcome, holds, errors) in EXPECTED.items():
            result = self.results[name]
            with self.subTest(name, reason=result["reason"]):
                self.assertEqual(result["outcome"], outcome)
                self.assertIn(holds, result["reason"] + result["feature"])
                found = [f for f in result["findings"] if f["severity"] == "error"]
                self.assertEqual(len(found), errors, found)

    def test_a_finding_names_the_line(self):
        line = next(number for number, text in enumerate(
            (self.folder / "race.cu").read_text(encoding="utf-8").splitlines(), 1)
            if "the race" in text)
        found = [f for f in self.results["race.cu"]["findings"] if f["severity"] == "error"]
        self.assertEqual({f["place"] for f in found},
                         {f"race.cu:{line - 1} and race.cu:{line}",
                          f"race.cu:{line} and race.cu:{line - 1}", f"race.cu:{line}"})

    def test_the_folder_is_only_read(self):
        self.assertEqual(sorted(self.folder.rglob("*")), self.before)

    def test_the_page_and_the_table_have_every_program(self):
        page = (self.work / "out/survey.html").read_text(encoding="utf-8")
        for name in EXPECTED:
            self.assertIn(f"<code>{name}</code>", page)
            self.assertIn(f" {name} ", self.done.stdout)
        self.assertIn("needs cuBLAS", page)
        well = sum(outcome in ("right", "ran") for outcome, *_ in EXPECTED.values())
        self.assertIn(f"{well} of 18 programs that need nothing from outside", self.done.stdout)

    def test_what_is_done_is_not_done_again_unless_it_changed(self):
        folder, out = self.work / "two", self.work / "resumed"
        folder.mkdir()
        for name in ("ran", "wants_input"):
            (folder / name).mkdir()
            shutil.copy(self.folder / f"{name}.cu", folder / name)
        self.assertEqual(survey(folder, out, "--no-checks").stderr.count(" left  "), 2)
        again = survey(folder, out, "--no-checks").stderr
        self.assertIn("2 of 2 programs are done already", again)
        with open(folder / "wants_input/wants_input.cu", "a", encoding="utf-8") as file:
            file.write("// changed\n")
        changed = survey(folder, out, "--no-checks").stderr
        self.assertIn("1 of 2 programs are done already", changed)
        self.assertIn("input   wants_input/wants_input.cu", changed)

    def test_interrupted_it_prints_what_there_is(self):
        folder, out = self.work / "long", self.work / "interrupted"
        folder.mkdir()
        shutil.copy(self.folder / "unknown_call.cu", folder / "a.cu")
        shutil.copy(self.folder / "slow.cu", folder / "b.cu")
        with subprocess.Popen([*command(folder, out, "--jobs", "1"), "--cpu", "500"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            deadline = time.monotonic() + 200
            kept = out / "results.jsonl"
            while (not (kept.exists() and kept.stat().st_size) and running.poll() is None
                   and time.monotonic() < deadline):
                time.sleep(0.1)
            os.kill(running.pid, signal.SIGINT)
            table, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("refused  a.cu", table)
        self.assertIn("1 not done yet", table)

    def test_wrong_use_is_said(self):
        empty = self.work / "empty"
        empty.mkdir(exist_ok=True)
        for folder, why in ((self.work / "none", "no such folder"), (empty, "no .cu file")):
            done = survey(folder, self.work / "o")
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        self.assertEqual(subprocess.run([SURVEY, "--help"], capture_output=True,
                                        check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
