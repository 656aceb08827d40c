#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the pages that a code host shows: what fill_pages.py makes of a small project, that it
notices a stale page, and that no page of this project shows markup."""

import contextlib
import io
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "scripts"))

import fill_pages  # noqa: E402

CHAPTER = """# One {#lesson_00}

It reaches {{gpu:sum/8:gb_per_s | 0}} GB/s.\\f[ a^2 \\f]

\\snippet 00_one/one.cu part

See \\ref counters "what is counted", \\ref lesson_00 and \\ref part_two; `\\ref x` is code.
{{figure bandwidth}}
"""
CODE = "before\n  //! [part]\n  int a;\n    int b;\n  //! [part]\nafter\n"
DATA = "# key: experiment/n\nexperiment,n,quantity,value,unit\nsum,8,gb_per_s,1234.50,GB/s\n"
FILES = {"lessons/00_one/chapter.md.in": CHAPTER, "lessons/00_one/one.cu": CODE,
         "book/counters.md.in": "# Counters {#counters}\n\n## Part `two`, too {#part_two}\n\n<dl>\n"
                                "<dt>bank</dt><dd>One of\n32.</dd>\n</dl>\n",
         "lessons/01_two/chapter.md.in": "# Two {#lesson_01}\n\nMore.\n",
         "book/index.md.in": "# Start {#index}\n", "figures/data/gpu.csv": DATA}


class Filled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_script(self, action):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = fill_pages.main([action, "--root", str(self.root)])
        return status, said.getvalue()

    def chapter(self):
        self.assertEqual(self.run_script("--write")[0], 0)
        return (self.root / "lessons/00_one/chapter.md").read_text("utf-8")

    def test_numbers_code_and_links(self):
        text = self.chapter()
        self.assertIn("\n# One\n", text)
        self.assertIn("It reaches 1,234 GB/s.$$ a^2 $$", text)
        self.assertIn("```cuda\nint a;\n  int b;\n```\n", text)
        self.assertIn("\n<sub>[`00_one/one.cu`](one.cu)</sub>", text)
        self.assertIn("[what is counted](../../book/counters.md)", text)
        self.assertIn("[One](chapter.md)", text)
        self.assertIn("(../../book/counters.md#part-two-too)", text)
        self.assertIn("`\\ref x` is code", text)
        self.assertIn("[← Start](../../book/index.md)", text)
        self.assertIn("[Two](../01_two/chapter.md) →", text)

    def test_terms_become_a_list(self):
        self.chapter()
        text = (self.root / "book/counters.md").read_text("utf-8")
        self.assertIn("\n- **bank** · One of 32.\n", text)
        self.assertNotIn("<d", text)

    def test_stale_pages_are_named(self):
        self.assertEqual(self.run_script("--check")[0], 1)
        self.chapter()
        self.assertEqual(self.run_script("--check")[0], 0)
        for name in "lessons/00_one/one.cu", "figures/data/gpu.csv":
            self.write(name, FILES[name].replace("int a", "int c").replace("1234", "1235"))
            status, said = self.run_script("--check")
            self.assertEqual(status, 1, name)
            self.assertIn("lessons/00_one/chapter.md is not what chapter.md.in", said)
            self.write(name, FILES[name])
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_what_is_missing_is_named(self):
        for bad in "\\snippet 00_one/one.cu gone", "\\ref nowhere \"x\"", "{{gpu:sum/9:gb_per_s}}":
            self.write("lessons/00_one/chapter.md.in", CHAPTER + bad + "\n")
            status, said = self.run_script("--write")
            self.assertEqual(status, 1, bad)
            self.assertRegex(said, "chapter.md.in|one.cu", bad)

    def test_code_that_does_not_end_is_named(self):
        self.write("book/index.md.in", "# Start {#index}\n\nLaunch it by `<<<…>>>`, and wait.\n")
        self.assertEqual(self.run_script("--write")[0], 0)
        self.write("book/index.md.in", "# Start {#index}\n\nLaunch it by `<<<…\n\n## And `wait`\n")
        status, said = self.run_script("--write")
        self.assertEqual(status, 1)
        self.assertIn("book/index.md.in: a ` without its partner: '`<<<…", said)


class OfThisProject(unittest.TestCase):
    def test_no_markup_is_shown(self):
        pages = [*ROOT.glob("lessons/*/chapter.md"), *ROOT.glob("book/*.md")]
        self.assertGreater(len(pages), 15)
        for page in pages:
            if page.name == "README.md":
                continue
            prose = "".join(fill_pages.CODE.split(page.read_text("utf-8"))[::2])
            with self.subTest(page):
                self.assertEqual(re.findall(r"\{\{|\\(?:ref|snippet|htmlonly|f\[)|\{#", prose), [])

    def test_links_lead_to_files_and_headings(self):
        for page in [*ROOT.glob("lessons/*/chapter.md"), *ROOT.glob("book/*.md")]:
            prose = "".join(fill_pages.CODE.split(page.read_text("utf-8"))[::2])
            for link in re.findall(r"\]\(([^)\s]+)\)", prose):
                if "://" in link:
                    continue
                file, _, anchor = link.partition("#")
                target = (page.parent / file).resolve() if file else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor:
                        heads = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
                        self.assertIn(anchor, map(fill_pages.slug, heads))


if __name__ == "__main__":
    unittest.main()
