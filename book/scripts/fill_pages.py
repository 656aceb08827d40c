#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills in the pages that a code host shows: PAGE.md is made from PAGE.md.in beside it.

    fill_pages.py --check     names each page that is not what its source and the data give; exit 1
    fill_pages.py --write     writes them

A filled-in page is plain Markdown: numbers are looked up, code stands in place of \\snippet with
a link to its file, and \\ref has become a link to the other page's file. The book itself is made
from the sources (prepare_book.py). Nothing but Python is needed.
"""

import argparse
import os
import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import tables  # noqa: E402
from macros import FAILURES, MacroError, expand  # noqa: E402
from page_sources import (decisions_of, idea_of, lessons_of, neighbours,  # noqa: E402
                          pages_of, pieces_of)
from stored_data import StoredData  # noqa: E402

HEAD = "<!-- Made by book/scripts/fill_pages.py from {}: edit that, then run it with --write. -->\n"
CODE = re.compile(r"(^```.*?^```[ \t]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r"^\\snippet (\S+) (\S+)[ \t]*$", re.MULTILINE)
REFERENCE = re.compile(r'\\ref (\w+)(?: "([^"]*)")?')
TERM = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>", re.DOTALL)


def snippet(source, path, name):
    """The lines of lessons/PATH between its two `//! [name]` marks."""
    lines = (source / "lessons" / path).read_text("utf-8").splitlines()
    marks = [i for i, line in enumerate(lines) if line.strip() == f"//! [{name}]"]
    if len(marks) != 2:
        raise MacroError(f"lessons/{path} has {len(marks)} marks [{name}], want two")
    chosen = [line for line in lines[marks[0] + 1:marks[1]] if not line.strip().startswith("//! [")]
    return textwrap.dedent("\n".join(chosen))


def slug(heading):
    """The anchor that code hosts give to a heading."""
    plain = re.sub(r"[`*]|\{#.*\}", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


class Host:
    """Turns the markup of one project's pages into plain Markdown."""

    def __init__(self, source):
        self.source = source
        self.data = StoredData(source / "figures" / "data")
        self.lessons, self.decisions = lessons_of(source), decisions_of(source)
        self.pages = pages_of(source)
        self.targets = self.known_targets()
        self.pieces = pieces_of(source, self.data, self.lessons, self.decisions, self.figure,
                                self.idea)
        self.pieces["ladder_picture"] = lambda: ""  # the table below it says the same

    def known_targets(self):
        """{label: (file, anchor, title)} of all that \\ref can name."""
        found = {"architecture": ("common/simt/README.md", "", "Architecture")}
        for page in [*self.lessons.values(), *self.decisions.values()]:
            path = page.path.relative_to(self.source).as_posix().removesuffix(".in")
            found[page.label] = (path, "", page.title)
        for label, path in self.pages.items():
            for depth, title, mark in re.findall(r"^(#+) (.*?)(?: *\{#(\w+)\})? *$",
                                                 path.read_text("utf-8"), re.MULTILINE):
                at = path.relative_to(self.source).as_posix().removesuffix(".in")
                if depth == "#":
                    found[mark or label] = (at, "", title)
                elif mark:
                    found[mark] = (at, "#" + slug(title), title)
        return found

    @staticmethod
    def figure(name):
        return f"*A figure of the book shows {tables.FIGURES[name]}.*"

    def idea(self, name):
        _, alt = idea_of(self.source, name)
        return f"![{alt}](idea:{name})"

    def reference(self, match, folder):
        file, anchor, title = self.targets[match[1]]
        to = os.path.relpath(self.source / file, folder).replace(os.sep, "/")
        return f"[{match[2] or title}]({to}{anchor})"

    def listing(self, match, folder):
        to = os.path.relpath(self.source / "lessons" / match[1], folder).replace(os.sep, "/")
        return (f"```cuda\n{snippet(self.source, match[1], match[2])}\n```\n\n"
                f"<sub>[`{match[1]}`]({to})</sub>\n")

    def prose(self, text, folder):
        text = SNIPPET.sub(lambda m: self.listing(m, folder), text)
        parts = CODE.split(text)
        for i in range(0, len(parts), 2):
            part = re.sub(r"\\htmlonly.*?\\endhtmlonly", "", parts[i], flags=re.DOTALL)
            if "`" in part: # of a sentence that was cut off, perhaps
                raise ValueError(f"a ` without its partner: {part[part.index('`'):][:40]!r}")
            part = REFERENCE.sub(lambda m: self.reference(m, folder), part)
            part = re.sub(r"\\f\[(.*?)\\f\]", r"$$\1$$", part, flags=re.DOTALL)
            part = re.sub(r"\\f\$(.*?)\\f\$", r"$\1$", part)
            part = re.sub(r"^(#+ .*?) *\{#\w+\} *$", r"\1", part, flags=re.MULTILINE)
            pictures = os.path.relpath(self.source / "figures" / "ideas", folder)
            pictures = pictures.replace(os.sep, "/")
            part = re.sub(r"\(idea:(\w+)\)", rf"({pictures}/\1.svg)", part)
            parts[i] = part.replace("[TOC]\n", "")
        text = "".join(parts)
        text = TERM.sub(lambda m: f"- **{m[1]}** · {' '.join(m[2].split())}", text)
        return re.sub(r"^</?dl>\n?", "", text, flags=re.MULTILINE)

    def filled(self, path):
        """The page that is made from `path`, a .md.in."""
        where = path.relative_to(self.source)
        text = expand(path.read_text("utf-8"), self.data, self.pieces, where)
        for number, page in self.lessons.items():
            if page.path == path:
                text = text.rstrip() + neighbours(self.lessons, number)
        try:
            text = self.prose(text, path.parent)
        except FAILURES as error:
            raise MacroError(f"{where}: {error}") from error
        text = re.sub(r"\n{3,}", "\n\n", text)
        return HEAD.format(path.name) + text

    def all(self):
        """Yields (file, text) of every page."""
        for path in [*self.pages.values(), *(page.path for page in self.lessons.values())]:
            yield path.with_suffix(""), self.filled(path)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare, and name what differs")
    action.add_argument("--write", action="store_true", help="write the pages")
    options = parser.parse_args(arguments)
    stale, pages = [], 0
    try:
        for path, text in Host(options.root.resolve()).all():
            pages += 1
            if path.is_file() and path.read_text("utf-8") == text:
                continue
            stale.append(path.relative_to(options.root.resolve()).as_posix())
            if options.write:
                path.write_text(text, encoding="utf-8")
    except (MacroError, OSError, ValueError) as error:
        print(f"fill_pages: {error}", file=sys.stderr)
        return 1
    if options.write:
        print(f"{len(stale)} of {pages} pages written")
        return 0
    for name in stale:
        print(f"{name} is not what {Path(name).name}.in and the stored data give: "
              "python3 -B book/scripts/fill_pages.py --write")
    print(f"{pages} pages, {len(stale)} of them stale")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
