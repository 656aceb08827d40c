#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What editors read is so: tasks run targets there are, the problem matcher finds the places that
verdicts name, the container sets itself up with the script that everything else uses.

    test_editors.py GRADER BUILD_DIR
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tracked import ROOT, files_of

GRADER, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])


def read(name):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


TASKS = read(".vscode/tasks.json")["tasks"]


def judged(text):
    """What the grader says of exercise 01 with this text."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "01_shared_tree.cu"
        source.write_text(text, encoding="utf-8")
        return subprocess.run([GRADER, "--build", BUILD, "--try", "01_shared_tree", "--source",
                               source, "--check", "all"], cwd=ROOT, text=True, check=False,
                              capture_output=True).stdout


class Editors(unittest.TestCase):
    def test_they_are_kept(self):
        names = files_of()
        for name in ("tasks.json", "extensions.json", "settings.json"):
            self.assertIn(f".vscode/{name}", names)
        self.assertIn(".devcontainer/devcontainer.json", names)

    def test_tasks(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        self.assertTrue(TASKS)
        for task in TASKS:
            with self.subTest(task=task["label"]):
                self.assertEqual(task["command"], "make")
                self.assertRegex(makefile, rf"(?m)^{task['args'][0]}:")

    @staticmethod
    def problems(text):
        """What VS Code's problem matchers find in it: file, line, severity and message of each."""
        lines, found = text.splitlines(), []
        for matcher in TASKS[0]["problemMatcher"]:
            patterns = matcher["pattern"]
            patterns = patterns if isinstance(patterns, list) else [patterns]
            for at in range(len(lines) - len(patterns) + 1):
                matches = [re.match(pattern["regexp"], line)
                           for pattern, line in zip(patterns, lines[at:])]
                if not all(matches):
                    continue
                problem = {"severity": matcher.get("severity")}
                for pattern, match in zip(patterns, matches):
                    problem |= {key: match[group] for key, group in pattern.items()
                                if key != "regexp" and match[group]}
                found.append(problem)
        return found

    def test_problem_matcher(self):
        solution = (ROOT / "solutions/01_shared_tree.cu").read_text(encoding="utf-8")
        for wrong in (solution.replace("__syncthreads();", "__syncthreads()", 1),
                      solution.replace("i < n ?", "i <= n ?")):
            self.assertNotEqual(wrong, solution)
            found = self.problems(judged(wrong))
            self.assertTrue(found)
            self.assertEqual(found[0]["file"], "01_shared_tree.cu")
            self.assertGreater(int(found[0]["line"]), 10)
            self.assertEqual(found[0]["severity"], "error")
            self.assertTrue(found[0]["message"])
        self.assertFalse(self.problems(judged(solution)))

    def test_container(self):
        container = read(".devcontainer/devcontainer.json")
        groups = re.search(r"common/scripts/setup\.sh((?: [a-z]+)+)", container["onCreateCommand"])
        known = re.findall(r"^([a-z]+)\|", (ROOT / "common/scripts/setup.sh").read_text(
            encoding="utf-8"), re.MULTILINE)
        self.assertTrue(groups)
        self.assertLessEqual(set(groups[1].split()), set(known))
        wanted = read(".vscode/extensions.json")["recommendations"]
        self.assertEqual(container["customizations"]["vscode"]["extensions"], wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
