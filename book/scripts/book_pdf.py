#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book as one PDF: start, chapters, and what one looks things up in, in the order of reading.

    book_pdf.py HTML OUT.pdf      HTML: the folder of the built book

The pages become one page (HTML/whole_book.html) whose links lead from part to part; Chromium prints
it. Exit: 0 written, 2 there is no book or no Chromium.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS = ("index", "lesson_??", "debugging", "checkers", "advanced", "limits", "glossary",
         "counters", "instructor", "bibliography")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HEAD = re.compile(r"<head>(.*?)</head>", re.DOTALL)
TITLE = re.compile(r'<div class="title">(.*?)</div>', re.DOTALL)
CONTENTS = re.compile(r'<div class="contents">(.*?)</div><!-- contents -->', re.DOTALL)
STYLE = """<style>
body { overflow: visible; }
h1.part { break-before: page; } h1.part:first-of-type { break-before: auto; }
section.lab, nav.on-page, p.reading-time, .permalink { display: none; }
@page { size: A4; margin: 18mm 16mm; }
</style>"""
PRINTED_S = 240


def pages_of(html):
    """The pages in the order of reading."""
    return [path for part in PARTS for path in sorted(html.glob(f"{part}.html"))]


def renamed(body, name, names):
    """A page's body with ids and links that are its own among all pages: NAME--ID. Links to pages
    that are not part of the PDF stay words."""

    def link(match):
        page, _, anchor = match[1].partition("#")
        page = page.removesuffix(".html") or name
        if re.match(r"[a-z]+:", match[1]):
            return match[0]
        return f'href="#{page}--{anchor}"' if page in names else ""

    body = re.sub(r'href="([^"]*)"', link, body)
    return re.sub(r'\bid="([^"]*)"', rf'id="{name}--\1"', body)


def whole(html):
    """All parts as one page."""
    paths = pages_of(html)
    names = {path.stem for path in paths}
    parts = []
    for path in paths:
        text = path.read_text("utf-8")
        title, contents = TITLE.search(text), CONTENTS.search(text)
        body = renamed(contents[1], path.stem, names).replace("<details", "<details open")
        words = title[1] if title else path.stem
        parts.append(f'<h1 class="part" id="{path.stem}--">{words}</h1>\n'
                     f'<div class="contents">{body}</div>')
    head = HEAD.search(paths[0].read_text("utf-8"))[1]
    return (f"<!DOCTYPE html>\n<html lang=\"en\"><head>{head}{STYLE}</head>\n<body>"
            + "\n".join(parts) + "\n</body></html>\n")


def print_page(browser, page, out):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu",
                               "--no-first-run", f"--user-data-dir={profile}",
                               "--no-pdf-header-footer", "--virtual-time-budget=60000",
                               f"--print-to-pdf={out}", page.resolve().as_uri()],
                              capture_output=True, check=False, timeout=PRINTED_S).returncode


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    html, out = Path(sys.argv[1]), Path(sys.argv[2])
    browser = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if not browser:
        print("book_pdf: a PDF needs Chromium: apt install chromium", file=sys.stderr)
        return 2
    if not (html / "index.html").is_file():
        print(f"book_pdf: {html} holds no book: make book", file=sys.stderr)
        return 2
    page = html / "whole_book.html"
    page.write_text(whole(html), encoding="utf-8")
    out.unlink(missing_ok=True)
    status = print_page(browser, page, out.resolve())
    page.unlink()
    if status or not out.is_file():
        print(f"book_pdf: {browser} printed nothing (exit status {status})", file=sys.stderr)
        return 2
    print(f"The book as a PDF: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
