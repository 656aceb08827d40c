# SPDX-License-Identifier: MIT
"""What other programs demand of the files that they get from us, each in the words of its document
or of its own reader. Every function takes a file's text and raises AssertionError, or returns what
the reader would enter: {its student: points}.
"""

import csv
import io
import json
import re

VISIBILITIES = {"visible", "hidden", "after_due_date", "after_published"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}


def fields(data, known, where):
    """Every field is known and of its type: {name: type or types}."""
    for name, value in data.items():
        assert name in known, f"{where}: {name} is unknown"
        assert isinstance(value, known[name]) and (not isinstance(value, bool) or
                                                   known[name] is bool), f"{where}: {name}"


def gradescope(text):
    """gradescope-autograders.readthedocs.io, "Autograder specifications": results.json."""
    data, number = json.loads(text), (int, float)
    fields(data, {"score": number, "execution_time": number, "output": str, "output_format": str,
                  "test_output_format": str, "test_name_format": str, "visibility": str,
                  "stdout_visibility": str, "extra_data": dict, "tests": list,
                  "leaderboard": list}, "results.json")
    assert "score" in data or all("score" in one for one in data["tests"])
    for one in [data] + data["tests"]:
        assert one.get("visibility", "visible") in VISIBILITIES
        assert one.get("output_format", "text") in FORMATS
    assert data.get("stdout_visibility", "hidden") in VISIBILITIES
    for one in data["tests"]:
        fields(one, {"score": number, "max_score": number, "status": str, "name": str,
                     "name_format": str, "number": str, "output": str, "output_format": str,
                     "tags": list, "visibility": str, "extra_data": dict}, one.get("name"))
        assert one.get("status", "passed") in ("passed", "failed")
    return {"": data["score"]}


def prairielearn(text):
    """docs/externalGrading.md of PrairieLearn, "Grading results"."""
    data = json.loads(text)
    assert len(text.encode()) <= 1000000, "the file is limited to 1 MB"
    if data.get("gradable", True):
        assert isinstance(data["score"], (int, float)) and 0 <= data["score"] <= 1
    else:
        errors = data.get("format_errors", "")
        assert isinstance(errors, str) or all(isinstance(one, str) for one in errors)
    for one in data.get("tests", []):
        for name in ("name", "description", "message", "output"):
            assert isinstance(one.get(name, ""), str)
        assert 0 <= one["points"] <= one["max_points"]
    return {"": data.get("score")}


def moodle(text):
    """mod/assign/feedback/offline/importgradeslib.php: the columns are found by their English
    names, and the participant's number is what stands behind "Participant "."""
    rows = list(csv.reader(io.StringIO(text)))
    columns = {name: rows[0].index(name) for name in
               ("Identifier", "Grade", "Last modified (grade)", "Feedback comments")}
    assert columns["Feedback comments"] > 0, "the first column's text is taken for none"
    entered = {}
    for row in rows[1:]:
        assert len(row) == len(rows[0])
        number = row[columns["Identifier"]][len("Participant "):]
        assert number.isdecimal() and number not in entered, row
        entered[number] = float(row[columns["Grade"]])
    return entered


def canvas(text):
    """lib/gradebook_importer.rb of Canvas: the separator that cuts the first three lines into
    equally many cells, and most of them; cells that look like numbers lose their commas."""
    lines, counts = text.splitlines()[:3], {}
    for separator in ";,":
        sizes = {len(next(csv.reader([line], delimiter=separator))) for line in lines}
        counts[separator] = sizes.pop() if len(sizes) == 1 else 0
    separator = ";" if counts[";"] > counts[","] else ","
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    header = rows[0]
    assert len(header) > 3 and "Student" in header[0] and "ID" in header[1]
    assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4] and len(header) == 6, "what follows are assignments"
    points, entered = [row for row in rows[1:] if "Points Possible" in row[0]], {}
    assert len(points) == 1 and "read only" not in points[0][5] and float(points[0][5]) >= 0
    for row in rows[1:]:
        if row is not points[0]:
            assert re.fullmatch("[0-9]+", row[1]) and row[1] not in entered, row
            entered[row[1]] = float(row[5])
    return entered


def nbgrader(text):
    """CsvExportPlugin of nbgrader (nbgrader/plugins/export.py), whose table this one is: the score
    is the raw score less the penalty, and at least 0."""
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows and list(rows[0]) == [
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
        "raw_score", "late_submission_penalty", "score", "max_score"]
    entered = {}
    for row in rows:
        raw, penalty, score, most = (float(row[name]) for name in list(row)[7:])
        assert abs(max(0.0, raw - penalty) - score) < 0.006 and penalty >= 0 and most >= 0, row
        assert row["student_id"] not in entered
        entered[row["student_id"]] = score
    return entered
