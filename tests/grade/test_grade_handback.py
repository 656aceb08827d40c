#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is handed back: the class's page, final points by a policy, other programs' forms.

    test_grade_handback.py PATH/TO/grade
"""

import csv
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import contracts
import workplace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common/grade"))
sys.dont_write_bytecode = True
from handback import formats  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HAND_BACK = ROOT / "common/grade/hand_back.py"


class Page(HTMLParser):
    """Tags that are not closed, what is loaded, and the text."""

    VOID = {"meta", "rect", "line", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.loads, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.loads += [value for key, value in attrs if key in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert tag in self.VOID or self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text.append(data)


class HandBack(workplace.Workplace):
    def hand_back(self, *arguments):
        return subprocess.run([sys.executable, "-B", HAND_BACK, *arguments], cwd=self.root,
                              capture_output=True, text=True, check=False)

    def of_class(self, *arguments, policy=None):
        more = []
        if policy is not None:
            (self.root / "policy").write_text(policy)
            more = ["--policy", self.root / "policy"]
        return self.hand_back("--out", self.root / "out", *more, *arguments)

    def read(self, name):
        return (self.root / "out" / name).read_text(encoding="utf-8")

    def final(self):
        return {row["student"]: row for row in csv.DictReader(io.StringIO(self.read("final.csv")))}

    def four(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        self.submit("bob", b"HALF", b"HIDDEN")
        self.submit("eve", b"BROKEN", b"SOLUTION")
        self.submit("<b>&\"'", b"HALF", b"the stub")
        return self.grade_class()


class Report(HandBack):
    def test_the_page_of_the_class(self):
        self.four()
        done = self.of_class()
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.read("report.html")
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertTrue(all(link.startswith("feedback/") for link in page.loads), page.loads)
        for link in page.loads:
            self.assertTrue((self.root / "out" / link).exists(), link)
        words = " ".join(page.text)
        self.assertIn("<b>&\"'", words)
        self.assertNotIn("<b>&", text)
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertIn("@media print", text)
        self.assertNotIn(str(self.root), text)
        # The check that most fail comes first: "large" of 01, by two of the three that were judged.
        rows = re.findall(r"<tr><td>(\w+)</td><td>(\w+)</td><td class=\"n\">(\d of \d)", text)
        self.assertEqual(rows[0], ("01_one", "large", "2 of 3"))

    def test_programs_that_are_alike(self):
        text = b"".join(b"x%d = y%d + z%d;\n" % (i, i, i) for i in range(9)) + b"// SOLUTION\n"
        for student in ("ada", "bob"):
            self.submit(student, text, b"SOLUTION")
        self.submit("=eve", b"SOLUTION", b"SOLUTION")
        self.grade_class()
        points = self.read("grades.csv")
        for _ in range(2):  # the same again
            self.of_class()
            rows = {row["student"]: row for row in csv.DictReader(io.StringIO(
                self.read("grades.csv")))}
            self.assertEqual([rows[name]["similar"] for name in ("ada", "bob", "'=eve")],
                             ["01: bob (text 100 %)", "01: ada (text 100 %)", ""])
        before = {row["student"]: row for row in csv.DictReader(io.StringIO(points))}
        self.assertEqual({name: {key: value for key, value in row.items() if key != "similar"}
                          for name, row in rows.items()}, before)  # it costs nothing
        self.assertEqual(self.read("similar.csv").splitlines()[1], "01_one,ada,bob,100,0,100,1")
        self.assertIn("Similar programs", self.read("report.html"))

    def test_what_was_not_judged_stands_above_all_else(self):
        self.submit("ada", b"SOLUTION", b"SUITE_CRASHES")
        self.grade_class()
        done = self.of_class()
        self.assertEqual(done.returncode, 3)
        self.assertLess(self.read("report.html").index("Not judged:"),
                        self.read("report.html").index("Exercises</h2>"))
        self.assertEqual(self.final()["ada"]["final"], "")

    def test_the_same_bytes_again(self):
        self.four()
        self.of_class()
        before = self.read("report.html"), self.read("final.csv")
        self.of_class()
        self.assertEqual(before, (self.read("report.html"), self.read("final.csv")))

    def test_no_results(self):
        for spoil in (lambda: None, lambda: (self.root / "out/grades.csv").write_text("student\n"),
                      lambda: next((self.root / "out/students").iterdir()).unlink(),
                      lambda: next((self.root / "out/students").iterdir()).write_text("{")):
            spoil()
            done = self.of_class("--format", "junit")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertFalse((self.root / "out/junit.xml").exists())
            self.assertRegex(done.stderr, "make grade")
            if not (self.root / "class/ada").exists():
                self.submit("ada", b"SOLUTION", b"SOLUTION")
            self.grade_class()

    def test_no_cell_is_a_formula(self):
        for name in ("=1+1", "+cmd|' C calc'!A0", "-2+3", "@SUM(1)", "\t=1"):
            self.submit(name, b"HALF", b"SOLUTION")
        self.submit("ada", b"HALF", b"SOLUTION")
        self.grade_class()
        self.of_class("--format", "nbgrader", policy="override ada total 5 '=HYPERLINK(1)'\n")
        for name in ("grades.csv", "final.csv", "nbgrader.csv", "times.csv", "intake.csv"):
            for row in csv.reader(io.StringIO(self.read(name))):
                for cell in row:
                    self.assertFalse(cell[:1] in ("=", "+", "@", "\t", "\r") or
                                     re.match("-[^0-9]", cell), (name, cell))
        self.assertIn("'=1+1", self.final())


class Policy(HandBack):
    def test_without_one_points_are_final(self):
        self.four()
        self.of_class()
        self.assertEqual({name: row["final"] for name, row in self.final().items()},
                         {"ada": "10", "bob": "2", "eve": "5", "<b>&\"'": "2"})

    def test_weights_and_scale(self):
        self.four()
        self.of_class(policy="weight * 1\nweight 02_two 3\nout_of 100  # per cent\n")
        self.assertEqual({name: row["final"] for name, row in self.final().items()},
                         {"ada": "100", "bob": "10", "eve": "75", "<b>&\"'": "10"})

    def test_late_work(self):
        self.four()
        (self.root / "late.csv").write_text("student,days\nada,0.05\nbob,1.5\neve,9\n")
        self.of_class(policy="late 10 5\ngrace 2\nhanded_in_from late.csv\n")
        rows = self.final()
        self.assertEqual([(rows[n]["late_days"], rows[n]["final"]) for n in ("ada", "bob", "eve")],
                         [("0", "10"), ("2", "1.6"), ("9", "0")])
        self.assertIn("80 % count", rows["bob"]["reasons"])

    def test_overrides_and_excuses(self):
        self.submit("ada", b"SUITE_CRASHES", b"SOLUTION")
        self.submit("bob", b"HALF", b"SOLUTION")
        self.submit("eve", b"SUITE_CRASHES", b"SOLUTION")
        self.grade_class()
        done = self.of_class(policy="override ada 01_one 4 the suite broke down\n"
                                    "excuse bob 01_one ill\nout_of 10\n")
        rows = self.final()
        self.assertEqual([rows[n]["final"] for n in ("ada", "bob", "eve")], ["9", "10", ""])
        self.assertIn("01_one: 4 instead of no verdict: the suite broke down",
                      rows["ada"]["reasons"])
        self.assertEqual(done.returncode, 3)  # eve's verdict is missing still

    def test_mistakes_are_named(self):
        self.submit("ada", b"HALF", b"SOLUTION")
        self.grade_class()
        for text, words in [
                ("wieght * 1", "policy:1: 'wieght' is not known: one of assignment"),
                ("\nweight 03_three 1", "policy:2: there is no exercise '03_three': one of 01_one"),
                ("weight * much", "'much' is no weight: a number"),
                ("weight * -1", "a number from 0"),
                ("weight * nan", "a number from 0"),
                ("weight * 1\nweight * 2", "policy:2: line 1 has said that already"),
                ("override bob 01_one 1 x", "there is no student 'bob'"),
                ("override Ada 01_one 1 x", "did you mean 'ada'"),
                ("override ada 01_one 6 x", "a number from 0 to 5"),
                ("override ada 01_one 1", "a reason is needed"),
                ("excuse ada 01_one", "a reason is needed"),
                ("late 120", "a number from 0 to 100"),
                ("late", "too few or too many words"),
                ("override O'Neil 01_one 1 x", "put quotes around"),
                ("handed_in_from nowhere.csv", "cannot read"),
                ("handed_in ada 1\nhanded_in ada 2", "line 1 has said that already")]:
            with self.subTest(text):
                done = self.of_class(policy=text)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(words, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(self.of_class(policy="weight * 1\nlate 10\n").returncode, 0)


class Forms(HandBack):
    def test_junit(self):
        self.four()
        self.assertEqual(self.of_class("--format", "junit").returncode, 1)
        suites = ElementTree.parse(self.root / "out/junit.xml").getroot()
        self.assertEqual(suites.tag, "testsuites")
        by_name = {suite.get("name"): suite for suite in suites}
        bob = by_name["bob.01_one"]
        self.assertEqual([bob.get(key) for key in ("tests", "failures", "errors")], ["2", "1", "0"])
        failure = bob.find("testcase[@name='large']/failure")
        self.assertEqual(failure.get("message"), "n = 257: the tail is lost")
        self.assertNotIn("secret reason", self.read("junit.xml"))

    def test_junit_exit_status(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        self.grade_class()
        self.assertEqual(self.of_class("--format", "junit").returncode, 0)
        self.submit("eve", b"NO_RECORDS", b"SOLUTION")
        self.grade_class()
        self.assertEqual(self.of_class("--format", "junit").returncode, 3)
        root = ElementTree.parse(self.root / "out/junit.xml").getroot()
        self.assertEqual(len(root.findall(".//error")), 2)
        data = json.loads(self.read("students/ada.json"))
        data["exercises"][0]["checks"] = []
        (self.root / "out/students/ada.json").write_text(json.dumps(data))
        self.of_class("--format", "junit", "--student", "ada")
        root = ElementTree.parse(self.root / "out/junit.xml").getroot()
        self.assertEqual(len(root.findall(".//error")), 1)

    def test_gradescope(self):
        self.four()
        self.of_class("--format", "gradescope")
        data = json.loads(self.read("gradescope/bob.json"))
        self.assertEqual(data["score"], 2)
        self.assertIn(data["stdout_visibility"], ("hidden", "visible"))
        keys = {"score", "max_score", "status", "name", "number", "output", "output_format",
                "visibility"}
        for test in data["tests"]:
            self.assertEqual(set(test), keys)
            self.assertIn(test["status"], ("passed", "failed"))
            self.assertIn(test["visibility"], ("hidden", "after_due_date", "after_published",
                                               "visible"))
        self.assertEqual(sum(test["score"] for test in data["tests"]), data["score"])
        self.assertEqual({test["name"]: test["visibility"] for test in data["tests"]},
                         {"01_one: small": "visible", "01_one: large": "visible",
                          "02_two: small": "hidden", "02_two: large": "visible"})

    def test_prairielearn(self):
        self.four()
        self.submit("zoe", b"BROKEN", b"BROKEN")
        self.grade_class()
        self.of_class("--format", "prairielearn")
        data = json.loads(self.read("prairielearn/bob.json"))
        self.assertEqual((data["gradable"], data["score"]), (True, 0.2))
        for test in data["tests"]:
            self.assertEqual(set(test), {"name", "description", "points", "max_points", "message",
                                         "output"})
        self.assertNotIn("secret reason", json.dumps(data))
        data = json.loads(self.read("prairielearn/zoe.json"))
        self.assertEqual(set(data), {"gradable", "format_errors"})
        self.assertFalse(data["gradable"])
        self.assertIn("does not compile", data["format_errors"][0])
        self.assertTrue(json.loads(self.read("prairielearn/eve.json"))["gradable"])

    def test_prairielearn_takes_one_megabyte(self):
        tests = [{"name": str(i), "output": "x" * 300000} for i in range(9)] + [{"output": "short"}]
        text = formats.within({"output": "also short", "tests": tests}, 1000000)
        self.assertLessEqual(len(text), 1000000)
        data = json.loads(text)
        self.assertEqual((data["output"], data["tests"][-1]["output"]), ("also short", "short"))
        self.assertTrue(data["tests"][0]["output"].endswith("x ... (cut)"))

    def test_no_cell_is_a_formula_whatever_separates_cells(self):
        for cell in ("=1", "+x", "-x", "@x", " =1", "\uff1d1", "a;=1", "a; =1", "a\t@x", "two\n=1",
                     "\tx", "\rx"):
            for part in re.split("[;\t\r\n]", formats.guarded(cell)):
                self.assertNotRegex(part, "^ *[=+@\uff1d-]", cell)
        for cell in ("a; b", "a=1", "-5", "", "x;y"):
            self.assertEqual(formats.guarded(cell), cell)

    def test_one_student_to_one_file(self):
        self.four()
        place = self.root / "results/results.json"
        self.of_class("--format", "gradescope", "--student", "ada", "--to", place)
        self.assertEqual(json.loads(place.read_text())["score"], 10)

    def test_a_missing_verdict_is_never_points(self):
        self.submit("Ada_1", b"SUITE_CRASHES", b"SOLUTION")
        self.grade_class()
        for form in ("gradescope", "prairielearn", "moodle", "canvas", "nbgrader"):
            done = self.of_class("--format", form)
            self.assertEqual(done.returncode, 3, form)
            self.assertIn("no final points", done.stderr)
            self.assertFalse(list((self.root / "out").glob(f"{form}*")), form)

    def test_moodle(self):
        self.submit("Ada Byron_1234", b"SOLUTION", b"HALF")
        self.submit("no number", b"SOLUTION", b"HALF")
        self.grade_class()
        done = self.of_class("--format", "moodle", policy="late 50\nhanded_in 'Ada Byron_1234' 1\n")
        self.assertIn("no number", done.stderr)
        rows = list(csv.DictReader(io.StringIO(self.read("moodle.csv"))))
        self.assertEqual(len(rows), 1)
        self.assertEqual([rows[0][key] for key in ("Identifier", "Full name", "Grade",
                                                   "Maximum grade", "Last modified (grade)")],
                         ["Participant 1234", "Ada Byron", "3.5", "10", ""])
        self.assertIn("01_one: 5 of 5", rows[0]["Feedback comments"])

    def test_canvas(self):
        self.submit("byronada_5678", b"SOLUTION", b"HALF")
        self.grade_class()
        self.of_class("--format", "canvas", policy="assignment Reduction (4711)\nout_of 50\n")
        rows = list(csv.reader(io.StringIO(self.read("canvas.csv"))))
        self.assertEqual(rows[0], ["Student", "ID", "SIS User ID", "SIS Login ID", "Section",
                                   "Reduction (4711)"])
        self.assertEqual(rows[1][0].strip(), "Points Possible")
        self.assertEqual((rows[1][-1], rows[2]), ("50", ["byronada", "5678", "", "", "", "35"]))

    def test_nbgrader(self):
        self.submit("ada", b"SOLUTION", b"HALF")
        self.grade_class()
        self.of_class("--format", "nbgrader", policy="late 10\nhanded_in ada 1\n")
        row = next(csv.DictReader(io.StringIO(self.read("nbgrader.csv"))))
        self.assertEqual(",".join(row), "assignment,duedate,timestamp,student_id,last_name,"
                         "first_name,email,raw_score,late_submission_penalty,score,max_score")
        self.assertEqual((row["raw_score"], row["late_submission_penalty"], row["score"]),
                         ("7", "0.7", "6.3"))

    def test_ones_own(self):
        (self.root / "exercises").mkdir()
        (self.root / "exercises/01_one.cu").write_bytes(b"HALF")
        self.grade("--names", "01_one")
        own = self.root / "out/results.json"
        self.assertEqual(self.hand_back("--own", own, "--format", "junit").returncode, 1)
        self.assertEqual(len(ElementTree.parse(self.root / "out/junit.xml").findall(".//failure")),
                         1)
        own.unlink()
        self.assertEqual(self.hand_back("--own", own, "--format", "junit").returncode, 3)


class Contracts(HandBack):
    """Whole classes, read by the rules of the programs that will read them."""

    def write(self, names, *arguments, **options):
        for i, name in enumerate(names):
            self.submit(name, (b"SOLUTION", b"HALF", b"BROKEN", b"the stub")[i % 4], b"HALF")
        self.grade_class()
        return self.of_class(*arguments, **options)

    LATE = "late 50\nhanded_in {} 1\noverride {} total 9.5 agreed\n"

    def test_results_of_one_student(self):
        self.write(["ada", "bob", "eve", "zoe"], "--format", "gradescope")
        self.of_class("--format", "prairielearn")
        for name, points in (("ada", 7), ("bob", 4), ("eve", 2), ("zoe", 2)):
            self.assertEqual(contracts.gradescope(self.read(f"gradescope/{name}.json")),
                             {"": points})
            self.assertEqual(contracts.prairielearn(self.read(f"prairielearn/{name}.json")),
                             {"": points / 10})
        for text in ('{"tests": []}', '{"score": "7", "tests": []}',
                     '{"score": 7, "tests": [], "visibility": "shown"}',
                     '{"score": 7, "tests": [{"status": "fail"}]}'):
            self.assertRaises((AssertionError, KeyError), contracts.gradescope, text)
        for text in ('{"score": 7}', '{"gradable": false, "format_errors": [1]}', "{}"):
            self.assertRaises((AssertionError, KeyError), contracts.prairielearn, text)

    def test_tables_of_a_class(self):
        names = ["Ada; Byron; L_1", "Bob, O'Neil_22", 'Eve "X"_333', "-Zoe_4444"]
        expected = {"1": 7, "22": 9.5, "333": 1, "4444": 2}
        policy = self.LATE.format("'Eve \"X\"_333'", '"Bob, O\'Neil_22"')
        done = self.write(names, "--format", "canvas", policy=policy)
        self.assertIn("makes a new assignment of the column 'Reduction workbook'", done.stderr)
        self.assertEqual(contracts.canvas(self.read("canvas.csv")), expected)
        done = self.of_class("--format", "canvas", policy="assignment Reduction (4711)\n" + policy)
        self.assertEqual((contracts.canvas(self.read("canvas.csv")), done.stderr), (expected, ""))
        done = self.of_class("--format", "moodle", policy=policy)
        self.assertIn("have a grade already", done.stderr)
        self.assertEqual(contracts.moodle(self.read("moodle.csv")), expected)
        self.of_class("--format", "nbgrader", policy=policy)
        entered = contracts.nbgrader(self.read("nbgrader.csv"))
        self.assertEqual(sorted(entered.values()), sorted(expected.values()))

    def test_tables_that_would_be_refused(self):
        canvas = "Student,ID,SIS User ID,SIS Login ID,Section,A (1)\n" \
                 "Points Possible,,,,,10\nada,5,,,,7\n"
        self.assertEqual(contracts.canvas(canvas), {"5": 7})
        for old, new in (("Section", "Group"), ("Points Possible", "Points"), ("ada,5", "ada,"),
                         ("\nada", "\nada,6,,,,1\nada,5,,,,2\nada")):
            self.assertRaises((AssertionError, ValueError), contracts.canvas,
                              canvas.replace(old, new))
        moodle = "Identifier,Grade,Last modified (grade),Feedback comments\nParticipant 5,7,,x\n"
        self.assertEqual(contracts.moodle(moodle), {"5": 7})
        for old, new in (("Last modified (grade)", "modified"), ("Participant 5", "5")):
            self.assertRaises((AssertionError, ValueError), contracts.moodle,
                              moodle.replace(old, new))


if __name__ == "__main__":
    workplace.main()
