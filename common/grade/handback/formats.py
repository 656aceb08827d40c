# SPDX-License-Identifier: MIT
"""Results in the forms that other programs read. Each writer names what it follows.

A result that the grader could not give is an error in every one of these, never a pass and never a
zero: where a form has no word for that, nothing is written and the writer says so.
"""

import csv
import io
import json
import re
from xml.etree import ElementTree

from . import results


# Wide forms are those of East Asian keyboards. Behind a semicolon, a tab or a line's end a cell
# begins where a spreadsheet separates by these, whatever quotes there are.
FORMULA = re.compile(r"(^[\t\r]?|[;\t\r\n]) *(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r])")


def guarded(cell):
    """A cell that no spreadsheet takes for a formula, nor a part of it."""
    cell = str(cell)
    return cell if is_number(cell) else FORMULA.sub(
        lambda found: found[0] + "'" if found.start() else "'" + found[0], cell)


def is_number(cell):
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell) is not None


def table(header, rows):
    """RFC 4180."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()


def number(value):
    """Without a tail of zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def needs_all(graded, what):
    """These forms have no word for "not judged"."""
    open_ones = [row.student.name for row in graded if row.final is None]
    if open_ones:
        raise results.NoResults(
            f"{what}: not written, since there are no final points for {len(open_ones)} "
            f"student{'s' if len(open_ones) > 1 else ''} ({', '.join(open_ones[:5])}). Run make "
            "grade again, or give an override in the policy")


# --- continuous integration ---------------------------------------------------------------------

XML_REFUSES = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text):
    return XML_REFUSES.sub("?", text)


def _case(suite, student, exercise, check, counts):
    case = ElementTree.SubElement(suite, "testcase", name=check.name, time="0",
                                  classname=clean(".".join(filter(None, [student.name,
                                                                         exercise.name]))))
    if check.status == "pass":
        return
    word = "failure" if check.status == "fail" else "error"
    counts[word] += 1
    text = check.shown or exercise.message or "no reason was recorded"
    one = ElementTree.SubElement(case, word, type=check.status,
                                 message=clean(text.split("\n")[0]))
    one.text = clean(text)


def junit(graded):
    """JUnit XML, as Jenkins, GitLab and GitHub's actions read it: a suite per exercise."""
    root = ElementTree.Element("testsuites", name="reduction workbook")
    for row in graded:
        for exercise in row.student.exercises:
            counts = {"failure": 0, "error": 0}
            suite = ElementTree.SubElement(
                root, "testsuite", time=f"{exercise.cpu_s:.3f}",
                name=clean(".".join(filter(None, [row.student.name, exercise.name]))))
            for check in exercise.checks:
                _case(suite, row.student, exercise, check, counts)
            if not exercise.checks:  # no record is never a pass
                _case(suite, row.student, exercise, results.Check(
                    "records", "grader_error", 0, 0, reason="there are no records"), counts)
            suite.set("tests", str(max(1, len(exercise.checks))))
            suite.set("failures", str(counts["failure"]))
            suite.set("errors", str(counts["error"]))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


# --- graders that call ours ---------------------------------------------------------------------

PRAIRIELEARN_BYTES = 1000000  # "limited to 1 MB"


def within(data, most_bytes):
    """The JSON text of `data`, whose tests' outputs are cut as far as its size demands."""
    limit = most_bytes
    while True:
        text = json.dumps(data, indent=1) + "\n"
        if len(text.encode()) <= most_bytes or limit < 16:
            return text
        limit //= 2
        for one in [data] + data.get("tests", []):
            if len(one.get("output", "")) > limit:
                one["output"] = one["output"][:limit] + " ... (cut)"


GRADESCOPE_VISIBILITY = {"shown": "visible", "hidden": "hidden",
                         "after_due": "after_due_date"}
UNGRADABLE = ("not_compiled", "refused", "missing")


def _tests(student):
    for exercise in student.exercises:
        for check in exercise.checks:
            yield exercise, check


def gradescope(row):
    """results.json of an autograder, as gradescope-autograders.readthedocs.io specifies it.

    A hidden check is left in full to Gradescope, which shows it to instructors only; of one that is
    shown after the due date the reason may be seen then.
    """
    needs_all([row], "Gradescope's results.json")
    tests = []
    for index, (exercise, check) in enumerate(_tests(row.student), 1):
        output = "\n".join(filter(None, [check.about, check.reason, check.explanation, check.hint]))
        tests.append({"name": f"{exercise.name}: {check.name}", "number": str(index),
                      "score": check.points, "max_score": check.max_points,
                      "status": "passed" if check.status == "pass" else "failed",
                      "output": output, "output_format": "text",
                      "visibility": GRADESCOPE_VISIBILITY.get(check.visibility, "hidden")})
    messages = [f"{one.name}: {one.message}" for one in row.student.exercises if one.message]
    return json.dumps({"score": round(row.final, 4), "visibility": "visible",
                       "stdout_visibility": "hidden",
                       "output": "\n".join(messages + row.reasons),
                       "tests": tests}, indent=1) + "\n"


def prairielearn(row):
    """results.json of an external grader: PrairieLearn's documentation, "External grading".

    What does not compile, or was refused, is not gradable: no attempt is lost. Where one of several
    exercises could be judged, the others count as 0.
    """
    needs_all([row], "PrairieLearn's results.json")
    bad = [one for one in row.student.exercises if one.state in UNGRADABLE]
    gradable = len(bad) < len(row.student.exercises)
    data = {"gradable": gradable}
    if not gradable:
        data["format_errors"] = [f"{one.name}: {one.message}" for one in bad]
        return json.dumps(data, indent=1) + "\n"
    data["score"] = min(1.0, max(0.0, row.final / row.final_max)) if row.final_max else 0.0
    data["message"] = f"{number(row.final)} of {number(row.final_max)} points"
    data["output"] = "\n".join(f"{one.name}: {one.message}" for one in row.student.exercises
                               if one.message)
    data["tests"] = [{"name": f"{exercise.name}: {check.name}", "description": check.about,
                      "points": check.points, "max_points": check.max_points,
                      "message": check.shown.split("\n")[0] or "passed", "output": check.shown}
                     for exercise, check in _tests(row.student)]
    return within(data, PRAIRIELEARN_BYTES)


# --- learning platforms --------------------------------------------------------------------------

def _comment(row):
    parts = [f"{one.name}: {one.points} of {one.max_points}" +
             (f" ({one.message.splitlines()[0]})" if one.message else "")
             for one in row.student.exercises]
    return "; ".join(parts + row.reasons)


def _numbered(graded):
    """Rows whose student's folder is called NAME_NUMBER, with both; the names of the others."""
    named, others = [], []
    for row in graded:
        found = re.fullmatch(r"(.*)_([0-9]+)", row.student.name)
        if found:
            named.append((row, found[1], found[2]))
        else:
            others.append(row.student.name)
    return named, others


def moodle(graded):
    """An assignment's offline grading worksheet (mod/assign/feedback/offline): Identifier, Grade
    and "Last modified (grade)" are what it looks for. The number is the download folder's."""
    needs_all(graded, "Moodle's worksheet")
    named, others = _numbered(graded)
    rows = [[f"Participant {own}", name, number(row.final), number(row.final_max), "",
             _comment(row)] for row, name, own in named]
    if not rows:
        raise results.NoResults("Moodle's worksheet: no student's folder has Moodle's name "
                                "(Name_1234); grade its download as it is")
    return table(["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)",
                  "Feedback comments"], rows), others


def canvas(graded, assignment):
    """The gradebook's CSV: the columns Student, ID, SIS User ID, SIS Login ID, Section, then the
    assignment, "Name (id)"; its second row holds the points possible."""
    needs_all(graded, "Canvas's gradebook")
    named, others = _numbered(graded)
    rows = [[name, own, "", "", "", number(row.final)] for row, name, own in named]
    if not rows:
        raise results.NoResults("Canvas's gradebook: no student has the name that Canvas's "
                                "download gives (name_1234); grade its download as it is")
    possible = number(max(row.final_max for row in graded))
    rows.insert(0, ["    Points Possible", "", "", "", "", possible])
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment]
    return table(header, rows), others


def before_importing(form, assignment):
    """What the platform does with the file that its reader may not expect."""
    if form == "canvas" and not re.search(r"\([0-9]+\)$", assignment):
        return [f"Canvas makes a new assignment of the column '{assignment}', unless one has just "
                "this name. For one that is there, the policy can name it as Canvas's own export "
                "does, with its number: assignment Reduction (4711)"]
    if form == "moodle":
        return ["Moodle leaves out students who have a grade already, unless you tick that records "
                "which were changed in Moodle later than in the file may be updated"]
    return []


def nbgrader(graded, assignment):
    """The columns of nbgrader's own exporter (nbgrader.plugins.CsvExportPlugin): score is raw_score
    less the penalty."""
    needs_all(graded, "nbgrader's table")
    rows = []
    for row in graded:
        raw = max(row.weighted, row.final)
        rows.append([assignment, "", "", row.student.name, "", "", "", number(raw),
                     number(raw - row.final), number(row.final), number(row.final_max)])
    return table(["assignment", "duedate", "timestamp", "student_id", "last_name", "first_name",
                  "email", "raw_score", "late_submission_penalty", "score", "max_score"], rows)
