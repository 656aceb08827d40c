#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a built book: every local link and anchor resolves, nothing is loaded from the network,
no macro and no asterisks of Markdown were left, and every chapter shows code.

    check_links.py BUILD/book/html

Prints one line per complaint and exits 1 when there is any. Links to other sites are not followed.
"""

import html
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("iframe", "src")}


class PageReader(HTMLParser):
    """Anchors, links and text of one page."""

    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.fragments, self.text = set(), [], 0, []
        self.hidden = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append((tag, name, attributes[name], self.getpos()[0]))
        if tag == "div" and "fragment" in (attributes.get("class") or "").split():
            self.fragments += 1
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden:
            self.text.append(data)


def read_pages(directory):
    pages = {}
    for path in sorted(directory.rglob("*.html")):
        if "mathjax" in path.parts or "search" in path.parts:
            continue
        reader = PageReader()
        reader.feed(path.read_text(encoding="utf-8"))
        pages[path.resolve()] = reader
    return pages


def check_link(page, link, pages):
    """What is wrong with one link, or None."""
    tag, attribute, target, _ = link
    parts = urlsplit(target)
    if parts.scheme in ("http", "https") or parts.netloc:
        return f"loads {target} from the network" if (tag, attribute) in LOADED else None
    if parts.scheme:
        return None if parts.scheme in ("mailto", "javascript", "data") else f"odd link {target}"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not path.exists():
        return f"{target}: no such file"
    anchor = unquote(parts.fragment)
    if anchor and path in pages and anchor not in pages[path].anchors:
        return f"{target}: no such anchor"
    return None


# Code has asterisks of its own, and so have the declarations on Doxygen's pages about headers.
NO_PROSE = re.compile(r'<div class="fragment">.*?</div><!-- fragment -->'
                      r"|<(script|style|code|pre|svg)\b.*?</\1>", re.DOTALL)
HAS_NO_PROSE = re.compile(r"(_8\w+|_program|^globals\w*|^(struct|union|dir)\w+|^files)\.html$")
LITERAL = re.compile(r"(?<!\w)\*{1,2}[A-Za-z][^*\n]{0,60}\*|[^\s*]\*\*(?!\*)|`[^`\n]{1,60}`")


def literal_markup(path):
    """Places where Doxygen did not take Markdown for markup: the asterisks of an emphasis show, or
    the backticks of code."""
    if HAS_NO_PROSE.search(path.name):
        return []
    text = NO_PROSE.sub("", path.read_text("utf-8"))
    return [found[0] for found in LITERAL.finditer(html.unescape(re.sub(r"<[^>]*>", "", text)))]


COMMANDS = r"\\(?:ref|snippet|subpage)\b"


def check(directory):
    pages = read_pages(directory)
    complaints = [] if (directory / "index.html").is_file() else ["index.html is missing"]
    for path, page in pages.items():
        for link in page.links:
            wrong = check_link(path, link, pages)
            if wrong:
                complaints.append(f"{path.name}:{link[3]}: {wrong}")
        # A program's page shows its source as it is; there {{1, 2}} is C.
        is_program = path.name.endswith("_program.html")
        left_over = COMMANDS if is_program else rf"\{{\{{[^{{}}]*\}}\}}|{COMMANDS}"
        for left in re.findall(left_over, "".join(page.text)):
            complaints.append(f"{path.name}: left in the text: {left}")
        for left in literal_markup(path):
            complaints.append(f"{path.name}: markup in the text: {left}")
        if re.fullmatch(r"lesson_+\d+\.html", path.name) and page.fragments == 0:
            complaints.append(f"{path.name}: a chapter without code")
    return pages, complaints


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    pages, complaints = check(Path(sys.argv[1]).resolve())
    for complaint in complaints:
        print(complaint)
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, "
          f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
