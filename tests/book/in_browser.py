# SPDX-License-Identifier: MIT
"""What the tests of the built book share: one browser, pages that several questions are asked of,
and a lab that is opened and used.
"""

import unittest

WAITING = "document.querySelector('.lab-open')"


def open_lab(page):
    page.run(WAITING + ".click()")
    page.until("document.querySelector('.lab-run')")


def set_control(page, label, value):
    page.run(f"document.querySelector('.lab-controls [aria-label=\"{label}\"]').value = '{value}'")


def watch(page, variant, n, block):
    page.run("document.querySelectorAll('.player').forEach((at) => at.remove())")
    for label, value in ("variant", variant), ("elements", n), ("block size", block):
        set_control(page, label, value)
    page.run("document.querySelector('.lab-watch').click()")
    page.until("document.querySelector('.player .player-line.now')")


class InBrowser(unittest.TestCase):
    browser = None  # one for all tests
    html = None  # the book's folder

    @classmethod
    def setUpClass(cls):
        cls.kept = {}

    @classmethod
    def tearDownClass(cls):
        for page in cls.kept.values():
            page.close()

    def open(self, path, **settings):
        page = self.browser.open(path, **settings)
        self.addCleanup(page.close)
        return page

    def lab(self, lesson):
        """The chapter with its lab open: one page for all tests of the class."""
        if lesson not in self.kept:
            self.kept[lesson] = self.browser.open(self.html / f"lesson_{lesson[:2]}.html")
            open_lab(self.kept[lesson])
        return self.kept[lesson]

    def assert_quiet(self, page):
        page.run("1")  # what has been said until now has arrived
        self.assertEqual(page.errors, [])
        self.assertEqual(page.requests, [])
