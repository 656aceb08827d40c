#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page that a student gets from the grader, in a browser, with the head that feedback.c writes.

Exit 77, with the reason, where there is no Chromium: the test counts as skipped.
"""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from browser import Browser, chromium  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PHONE = 375
SAID = "document.querySelector('td:last-child').getBoundingClientRect().width"
ROW = ('<table><tr><th>Verdict</th><th>Check</th><th>Points</th><th>What holds</th></tr>'
       '<tr><td class="fail">failed</td><td>every_column</td><td class="n">0 of 50</td>'
       f'<td>launched {"softmax_rows " * 20}</td></tr></table>')


def head():
    """What page_head of feedback.c is: the strings of its lines, put together."""
    source = (ROOT / "common/grade/feedback.c").read_text("utf-8")
    lines = re.search(r"page_head\[\] =\n(.*?);\n", source, re.DOTALL)[1]
    strings = re.findall(r'^ *"(.*)"(?: // .*)?$', lines, re.MULTILINE)
    return "".join(json.loads(f'"{one}"') for one in strings)


class Feedback(unittest.TestCase):
    def test_on_a_phone_what_a_check_says_has_the_width_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            path = Path(folder) / "feedback.html"
            path.write_text(head() + ROW, encoding="utf-8")
            phone, desk = browser.open(path, width=PHONE, height=800), browser.open(path)
            self.assertGreater(phone.run(SAID), 0.85 * PHONE)
            self.assertLessEqual(phone.run("document.documentElement.scrollWidth"), PHONE)
            self.assertLess(desk.run(SAID), 900)


if __name__ == "__main__":
    if not chromium():
        print("skipped: there is no Chromium (apt install chromium)")
        sys.exit(77)
    unittest.main()
