#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The grader as others call it: from any folder, in an autograder's container, as a job array.

    test_grade_platforms.py PATH/TO/grade
"""

import json
import os
import shlex
import subprocess
from pathlib import Path

import workplace

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "common/grade"


class Platforms(workplace.Workplace):
    def setUp(self):
        super().setUp()
        place = self.root / "build/common/grade"
        place.mkdir(parents=True)
        (place / "grade").symlink_to(self.grader)
        (self.root / "source").mkdir()
        (self.root / "source/workbook").symlink_to(ROOT)
        options = [str(word) for word in self.command()[1:]]
        at = options.index("--out")
        del options[at:at + 2]
        self.environment = {**os.environ, "REDUCTION_BUILD": str(self.root / "build"),
                            "GRADE_OPTIONS": shlex.join(options)}

    def call(self, program, *arguments, **environment):
        more = {key: str(value) for key, value in environment.items()}
        return subprocess.run([FOLDER / program, *arguments], cwd=self.root, check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**self.environment, **more})

    def test_from_any_folder(self):
        self.submit("ada", b"HALF", b"SOLUTION")
        done = self.call("reduction-grade", "--submissions", "class", "--out", "out", "--format",
                         "junit")
        self.assertEqual(done.returncode, 1, done.stderr)
        for name in ("grades.csv", "report.html", "final.csv", "junit.xml"):
            self.assertTrue((self.root / "out" / name).exists(), name)
        self.assertEqual(self.call("reduction-grade", "--submissions").returncode, 2)
        self.assertEqual(self.call("reduction-grade", "--submissions", "nowhere").returncode, 2)
        done = self.call("reduction-grade", "--submissions", "class", REDUCTION_BUILD="/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("run make grade", done.stderr)

    def hand_in(self, folder, *texts):
        place = self.root / folder
        place.mkdir(parents=True)
        for name, text in zip(workplace.NAMES, texts):
            (place / f"{name}.cu").write_bytes(text)
        return place

    def test_gradescope(self):
        results = self.root / "results/results.json"
        places = {"AUTOGRADER_SOURCE": self.root / "source", "AUTOGRADER_RESULTS": results}
        done = self.call("platforms/gradescope/run_autograder", **places,
                         AUTOGRADER_SUBMISSION=self.hand_in("good", b"HALF", b"SOLUTION"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(results.read_text())["score"], 7)
        results.unlink()
        done = self.call("platforms/gradescope/run_autograder", **places,
                         AUTOGRADER_SUBMISSION=self.hand_in("bad", b"SUITE_CRASHES", b"SOLUTION"))
        self.assertEqual((done.returncode, results.exists()), (3, False))

    def test_prairielearn(self):
        for text, gradable in ((b"HALF", True), (b"BROKEN", False)):
            folder = self.root / text.decode()
            self.hand_in(f"{text.decode()}/student", text, text)
            done = self.call("platforms/prairielearn/run.sh", WORKBOOK=ROOT, GRADE_FOLDER=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            data = json.loads((folder / "results/results.json").read_text())
            self.assertEqual(data["gradable"], gradable)
            self.assertEqual(data.get("score"), 0.4 if gradable else None)

    def test_a_job_array_gives_the_bytes_of_a_single_run(self):
        for i, text in enumerate((b"SOLUTION", b"HALF", b"BROKEN", b"the stub", b"SOLUTION")):
            self.submit(f"s{i}", text, b"SOLUTION")
        for task in (3, 1, 2):
            done = self.call("platforms/slurm_array.sh", "class", "array",
                             SLURM_ARRAY_TASK_ID=task, SLURM_ARRAY_TASK_COUNT=3)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.call("platforms/slurm_array.sh", "--merge", "class", "array")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.call("reduction-grade", "--submissions", "class", "--out", "single")
        for name in ("grades.csv", "final.csv", "students/s1.json", "feedback/s1.html"):
            self.assertEqual((self.root / "array" / name).read_bytes(),
                             (self.root / "single" / name).read_bytes(), name)
        self.assertEqual(self.call("platforms/slurm_array.sh", "class").returncode, 2)


if __name__ == "__main__":
    workplace.main()
