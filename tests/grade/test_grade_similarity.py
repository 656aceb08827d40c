#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that were copied are found alike, whatever was renamed; programs that were written apart
are not, or only as what they are: two that found the same natural solution. It never costs points.

    test_grade_similarity.py SIMTCC
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/grade"))
from handback import similarity  # noqa: E402

EXERCISE = "05_shuffle"


def solution(exercise=EXERCISE):
    return (ROOT / f"solutions/{exercise}.cu").read_text(encoding="utf-8")


def renamed(text):
    """Other names and comments, other line breaks: what a copy is made to look like."""
    text = re.sub(r"//[^\n]*\n", "\n", text)
    for i, name in enumerate(("value", "other", "index", "warp", "lane", "best", "values", "left",
                              "half", "i", "t", "step", "slot")):
        text = re.sub(rf"\b{name}\b", f"q{i}", text)
    return "// my own work\n" + text.replace("{\n", "\n{\n").replace("  ", "\t")


class Similarity(unittest.TestCase):
    simtcc = None
    folder = None

    def program(self, student, source):
        place = Path(self.folder) / "one"
        place.with_suffix(".cu").write_text(source, encoding="utf-8")
        subprocess.run([self.simtcc, "-ptx", "one.cu", "-o", "one.ptx"], cwd=self.folder,
                       check=True)
        ptx = place.with_suffix(".ptx").read_text(encoding="utf-8")
        return similarity.Program(student, similarity.measure(source, ptx))

    def pairs(self, exercise=EXERCISE, **sources):
        stub = similarity.measure(similarity.stub_of(exercise), None)
        programs = [self.program(student, source) for student, source in sources.items()]
        return similarity.compare(exercise, programs, stub)

    def test_a_copy(self):
        pair, = self.pairs(ada=solution(), bob=solution())
        self.assertEqual(pair[1:], ("ada", "bob", 100, 100, 100))

    def test_a_copy_with_other_names(self):
        pair, = self.pairs(ada=solution(), bob=renamed(solution()))
        self.assertLess(pair.text, similarity.LISTED["text"])
        self.assertGreaterEqual(pair.tokens, similarity.LISTED["tokens"])
        self.assertEqual(pair.code, 100)

    def test_a_copy_whose_statements_were_written_in_another_way(self):
        text = renamed(solution("01_shared_tree"))
        other = text.replace("while (", "for (;").replace(" > 1)", " > 1;)")
        self.assertNotEqual(other, text)
        pair, = self.pairs("01_shared_tree", ada=solution("01_shared_tree"), bob=other)
        self.assertLess(pair.text, similarity.LISTED["text"])
        self.assertEqual(pair.code, 100)

    def test_programs_that_were_written_apart(self):
        for exercise in (EXERCISE, "01_shared_tree", "04_warp_sync", "09_scan"):
            paths = [*(ROOT / "tests/grade/honest").glob(f"{exercise}.*.cu"),
                     *(ROOT / f"tests/mutants/{exercise}").glob("*.cu")]
            self.assertTrue(paths, exercise)
            sources = {path.name: path.read_text(encoding="utf-8") for path in paths}
            pairs = self.pairs(exercise, solution=solution(exercise), **sources)
            self.assertEqual(pairs, [], exercise)

    def test_the_stub_is_left_out(self):
        stub = similarity.stub_of(EXERCISE)
        self.assertEqual(self.pairs(ada=stub, bob=stub + "// nothing yet\n"), [])

    def test_what_many_have_is_one_group(self):
        sources = {f"s{i}": solution("01_shared_tree") for i in range(5)}
        pairs = self.pairs("01_shared_tree", **sources, eve=renamed(solution("01_shared_tree")))
        (exercise, names, best), = similarity.groups(pairs)
        self.assertEqual((exercise, len(names), best.text), ("01_shared_tree", 6, 100))
        self.assertEqual([row.alike for row in similarity.strongest(pairs)], [5] * 6)


class OfAClass(unittest.TestCase):
    """From the grader's list to the page, the table and the column."""

    def write(self, rows):
        out = Path(Similarity.folder) / "class"
        out.mkdir(exist_ok=True)
        with open(out / "programs.jsonl", "w", encoding="utf-8") as file:
            for student, source in rows:
                file.write(json.dumps({"student": student, "exercise": EXERCISE,
                                       "source": source}) + "\n")
        return out

    def test_the_page_and_the_cell(self):
        out = self.write([("<ada>", solution()), ("bob", renamed(solution())),
                          ("eve", similarity.stub_of(EXERCISE))])
        pairs = similarity.of_class(out)
        text = similarity.section(pairs)
        self.assertIn("&lt;ada&gt;", text)
        self.assertNotIn("<ada>", text)
        rows = similarity.strongest(pairs)
        self.assertEqual([(row.student, row.other) for row in rows],
                         [("<ada>", "solutions/"), ("bob", "<ada>")])
        self.assertEqual(similarity.cell("<ada>", rows), "05: solutions/ (text 100 %), and 1 more")
        self.assertRegex(similarity.cell("bob", rows), r"05: <ada> \(tokens \d+ %\), and 1 more")
        self.assertEqual(similarity.cell("eve", rows), "")

    def test_nothing_to_compare(self):
        out = self.write([])
        self.assertEqual(similarity.of_class(out), [])
        self.assertIn("No two programs", similarity.section([]))
        (out / "programs.jsonl").unlink()
        self.assertEqual(similarity.of_class(out), [])


def main():
    Similarity.simtcc = str(Path(sys.argv.pop(1)).resolve())
    with tempfile.TemporaryDirectory() as folder:
        Similarity.folder = folder
        unittest.main()


if __name__ == "__main__":
    main()
