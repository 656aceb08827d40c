#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a student reads in a terminal carries no raw markup: hints as make hint shows them, what
practice.json says, causes and next steps of suites, judge and checkers, and of stored verdicts.

    test_plain_text.py
"""

import csv
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Doxygen's commands, places to be filled, HTML, labels, Markdown.
MARKUP = re.compile(r"[\\@](ref|page|section|anchor|image|link|snippet|code|c|p|f[\[$])\b"
                    r"|\{\{|\}\}|</?(b|i|em|strong|code|sub|sup|pre|br|a|img|span|details)\b[^<>]*>"
                    r"|\{#|\f|\*\*|```|!\[|\w\]\(\S+\)")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def markup_in(text):
    found = MARKUP.search(text)
    return found.group() if found else None


def literals(path):
    """What a C file may say: its string literals, without those of #include lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.lstrip().startswith(("#", "//")):
            yield from LITERAL.findall(line)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def shown_hint(lesson, number):
    return subprocess.run(["common/scripts/lesson.sh", "hint"], cwd=ROOT, capture_output=True,
                          text=True, check=True, env=dict(os.environ, LESSON=lesson,
                                                          HINT=str(number), NO_COLOR="1")).stdout


class PlainText(unittest.TestCase):
    def test_markup_is_found(self):
        for wrong in (r"see \ref lesson_05", "see @ref lesson_05", "{{a number}}", "<b>not</b>",
                      "2<sup>20</sup>", "a\fb", "**never**", "![a](b.png)",
                      "[lesson](chapter.md)", "Title {#label}", r"\f$x^2\f$"):
            self.assertIsNotNone(markup_in(wrong), wrong)

    def test_code_is_none(self):
        for right in ("values[t] = values[t + s];", "kernel<<<grid, block>>>(in, n)", "a < b > c",
                      "x * y * z", "atomicAdd(&mine[v * COPIES], 1u)", "i < n ? a[i] * b[i] : 0",
                      "{max, a.sum * expf(a.max - max)}", "a -> b", "(float)in[t]("):
            self.assertIsNone(markup_in(right), right)

    def test_hints(self):
        files = sorted(ROOT.glob("lessons/*/hints.md"))
        self.assertGreaterEqual(len(files), 11)
        for file in files:
            for number in range(1, file.read_text(encoding="utf-8").count("\n## ") + 1):
                with self.subTest(lesson=file.parent.name, hint=number):
                    self.assertIsNone(markup_in(shown_hint(file.parent.name, number)))
        for number in (1, 2, 3):
            self.assertIsNone(markup_in(shown_hint("warm_up", number)))

    def test_practice(self):
        for file in sorted(ROOT.glob("lessons/*/practice.json")):
            for text in strings(json.loads(file.read_text(encoding="utf-8"))):
                with self.subTest(file=str(file), text=text):
                    self.assertIsNone(markup_in(text.replace("{answer}", "").replace("{n}", "")))

    def test_causes(self):
        files = [*ROOT.glob("tests/[01w]*.c"), *ROOT.glob("common/workbook/judge*.c"),
                 *ROOT.glob("common/simt/findings/*.c"), *ROOT.glob("common/simt/check/*.c")]
        self.assertGreater(len(files), 30)
        for file in files:
            if file.name == "judge_html.c":  # it writes HTML, and escapes what it quotes
                continue
            for text in literals(file):
                with self.subTest(file=file.name, text=text):
                    self.assertIsNone(markup_in(text))

    def test_rubrics(self):
        for file in ROOT.glob("solutions/*.rubric"):
            for line in file.read_text(encoding="utf-8").splitlines():
                self.assertIsNone(markup_in("" if line.startswith("#") else line), line)

    def test_stored_verdicts(self):
        with (ROOT / "tests/verdicts/verdicts.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self.assertIsNone(markup_in(row["explanation"] + " " + row["next"]), row["mutant"])


if __name__ == "__main__":
    unittest.main()
