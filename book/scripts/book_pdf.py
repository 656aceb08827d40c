#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book as one PDF: title, contents with page numbers, introduction, chapters, and what one
looks things up in, in the order of reading. The hints stand together near the end, not under the
exercises.

    book_pdf.py HTML OUT.pdf      HTML: the folder of the built book

The pages become one page (HTML/whole_book.html) whose links lead from part to part. Chromium prints
it twice: the first PDF says on which page each part begins. Exit: 0 written, 2 there is no book or
no Chromium.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS = ("index", "lesson_??", "debugging", "checkers", "advanced", "limits", "hints", "glossary",
         "counters", "instructor", "bibliography")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
HEAD = re.compile(r"<head>(.*?)</head>", re.DOTALL)
TITLE = re.compile(r'<div class="title">(.*?)</div>', re.DOTALL)
BRIEF = re.compile(r'<div id="projectbrief">(.*?)</div>', re.DOTALL)
VERSION = re.compile(r'<li class="footer">(.*?)</li>', re.DOTALL)
CONTENTS = re.compile(r'<div class="contents">(.*?)</div><!-- contents -->', re.DOTALL)
HINT = re.compile(r'<details class="hint">\s*<summary>(.*?)</summary>(.*?)</details>', re.DOTALL)
ONWARDS = re.compile(r"<hr\s*/>\s*<p\s*>(?:(?!</p>).)*[←→](?:(?!</p>).)*</p>", re.DOTALL)
TABLE_HEAD = re.compile(r'(<table class="markdownTable">\s*)(<tr class="markdownTableHead">'
                        r"(?:(?!</tr>).)*</tr>)", re.DOTALL)
STYLE = """<style>
body { overflow: visible; }
section.lab, nav.on-page, p.reading-time, .permalink { display: none; }
table.markdownTable thead { display: table-header-group; }
h1.part { font-size: 24pt; margin: 0 0 14pt; padding: 0; }
div.title-page { height: 225mm; text-align: center; padding-top: 75mm; box-sizing: border-box; }
div.title-page h1 { font-size: 34pt; margin: 0 0 8mm; }
div.title-page p { font-size: 14pt; max-width: none; }
ol.parts { list-style: none; margin: 0; padding: 0; font-size: 11.5pt; line-height: 20pt; }
ol.parts a { display: flex; color: inherit; }
ol.parts i { flex: 1; margin: 0 4pt 5pt; border-bottom: 1pt dotted #888; }
@page { size: A4; margin: 20mm 18mm 18mm; @bottom-center { content: counter(page);
  font: 9pt sans-serif; color: #56616c; } }
@page :first { @bottom-center { content: none; } }
RUNNING_HEADS
</style>"""
RUNNING_HEAD = ("@page part-{stem} {{ @top-right {{ content: \"{words}\"; font: 9pt sans-serif;"
                " color: #56616c; }} }}")
PRINTED_S = 900  # a busy machine takes many times as long as an idle one


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


def without_hints(body, stem):
    """The body with a link where its hints were, and the hints."""
    hints = HINT.findall(body)
    if not hints:
        return body, hints
    link = f'<p>The hints: <a href="#hints--{stem}">near the end of the book</a>.</p>'
    return HINT.sub("", HINT.sub(link, body, count=1)), hints


def end_together(body):
    """The body with what closes a chapter as one block, so that no page has nothing but the further
    reading on it: the exercise's last paragraph, its commands, and all that follows."""
    reading = body.rfind(">Further reading")
    commands = body.rfind('<div class="fragment">', 0, reading)
    begin = body.rfind("<p ", 0, commands)
    end = body.find("</ul>", reading) + len("</ul>")
    if min(reading, commands, begin) < 0 or end < reading:
        return body
    heading = body.rfind("<h1 ", 0, begin)
    if heading >= 0 and body[heading:begin].rstrip().endswith("</h1>"):
        begin = heading
    return f'{body[:begin]}<div class="chapter-end">{body[begin:end]}</div>{body[end:]}'


def parts_of(html):
    """[(name, title, body)] of all parts."""
    paths = pages_of(html)
    names = {path.stem for path in paths}
    parts, hints = [], []
    for path in paths:
        text = path.read_text("utf-8")
        title, contents = TITLE.search(text), CONTENTS.search(text)
        body = renamed(ONWARDS.sub("", contents[1]), path.stem, names)
        body, of_page = without_hints(body, path.stem)
        body = body.replace("<details", "<details open")
        body = end_together(body)
        body = TABLE_HEAD.sub(r"\1<thead>\2</thead>", body)  # again on each page of the table
        words = title[1] if title else path.stem
        parts.append((path.stem, "Introduction" if path.stem == "index" else words, body))
        if of_page:
            hints.append(f'<h1 id="hints--{path.stem}">{words}</h1>\n' + "".join(
                f"<h2>{name}</h2>{hint}" for name, hint in of_page))
    if hints:
        last = [name for name, _, _ in parts].index("glossary")
        parts.insert(last, ("hints", "Hints", "\n".join(hints)))
    return parts


def front(index, parts, numbers):
    """The title page and the contents, with the pages' numbers as far as they are known."""
    title, brief, version = (found[1] if found else "" for found in (
        TITLE.search(index), BRIEF.search(index), VERSION.search(index)))
    rows = "\n".join(f'<li><a href="#{name}--"><span>{words}</span><i></i>'
                     f'<span>{numbers.get(name, "000")}</span></a></li>'
                     for name, words, _ in parts)
    return (f'<div class="title-page"><h1>{title}</h1><p>{brief}</p><p>{version}</p></div>\n'
            f'<section style="page: front"><h1 class="part">Contents</h1>'
            f'<div class="contents"><ol class="parts">{rows}</ol></div></section>\n')


def whole(html, numbers=None):
    """All parts as one page; `numbers`: {part: page on which it begins}."""
    index = (html / "index.html").read_text("utf-8")
    parts = parts_of(html)
    heads = "\n".join(RUNNING_HEAD.format(stem=name, words=words.replace('"', "'"))
                      for name, words, _ in parts)
    body = "\n".join(f'<section style="page: part-{name}">'
                     f'<h1 class="part" id="{name}--">{words}</h1>\n'
                     f'<div class="contents">{text}</div></section>' for name, words, text in parts)
    return (f"<!DOCTYPE html>\n<html lang=\"en\"><head>{HEAD.search(index)[1]}"
            f"{STYLE.replace('RUNNING_HEADS', heads)}</head>\n<body>"
            f"{front(index, parts, numbers or {})}{body}\n</body></html>\n")


def first_pages(pdf):
    """{part: page on which it begins}, from the named places of a PDF that Chromium made. It writes
    pages in their order."""
    pages = [int(number) for number in re.findall(rb"\n(\d+) 0 obj\s*<<\s*/Type /Page\s", pdf)]
    places = re.findall(rb"/([a-z]\w*)-- \[(\d+) 0 R", pdf)
    return {name.decode(): pages.index(int(page)) + 1 for name, page in places
            if int(page) in pages}


def print_page(browser, page, out):
    """None, or why there is no PDF."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        try:
            status = subprocess.run(
                [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 f"--user-data-dir={profile}", "--no-pdf-header-footer",
                 "--generate-pdf-document-outline", "--virtual-time-budget=60000",
                 f"--print-to-pdf={out}", page.resolve().as_uri()],
                capture_output=True, check=False, timeout=PRINTED_S).returncode
        except subprocess.TimeoutExpired:
            return f"{browser} did not finish in {PRINTED_S} s"
    if status or not out.is_file():
        return f"{browser} printed nothing (exit status {status})"
    return None


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
    page, numbers = html / "whole_book.html", {}
    for _ in range(2):
        page.write_text(whole(html, numbers), encoding="utf-8")
        out.unlink(missing_ok=True)
        failed = print_page(browser, page, out.resolve())
        page.unlink()
        if failed:
            print(f"book_pdf: {failed}", file=sys.stderr)
            return 2
        numbers = first_pages(out.read_bytes())
    print(f"The book as a PDF: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
