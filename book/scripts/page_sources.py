# SPDX-License-Identifier: MIT
"""Which pages there are, and the pieces that their {{…}} may name.

A page is written in PAGE.md.in, with macros and Doxygen's commands. PAGE.md beside it is the same
page filled in, for readers on a code host (fill_pages.py). Doxygen reads the former.
"""

import re

import checker_tables
import model_tables
import rungs
import support_tables
import tables
import target_tables
from macros import MacroError
from opcodes import definition, opcodes

HEADING = re.compile(r"^# +(.*?)(?: *\{#([\w-]+)\})? *$", re.MULTILINE)


class Page:
    """One Markdown page: where it comes from, its label and its title."""

    def __init__(self, path, label):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        heading = HEADING.search(self.text)
        if not heading:
            raise MacroError(f"{path}: no '# Title' line")
        self.title = heading[1]
        self.label = label
        before, after = self.text[:heading.start()], self.text[heading.end():]
        self.text = f"{before}# {self.title} {{#{label}}}{after}"


def lessons_of(source):
    pages = {}
    for chapter in sorted(source.glob("lessons/[0-9][0-9]_*/chapter.md.in")):
        number = chapter.parent.name[:2]
        pages[number] = Page(chapter, f"lesson_{number}")
    return pages


def decisions_of(source):
    pages = {}
    for record in sorted(source.glob("book/decisions/[0-9]*.md")):
        number = re.match(r"\d+", record.name)[0]
        pages[number] = Page(record, f"decision_{number}")
    return pages


def pages_of(source):
    """The pages of book/ by their labels: index, glossary, counters …"""
    return {path.name.removesuffix(".md.in"): path
            for path in sorted((source / "book").glob("*.md.in"))}


def chapter_list(lessons):
    return "\n".join(f"- \\ref {page.label} \"{page.title}\"" for page in lessons.values())


ALT = re.compile(r'aria-label="([^"]*)"')


def idea_of(source, name):
    """The SVG of a picture of figures/ideas, and what it says it shows."""
    path = source / "figures" / "ideas" / f"{name}.svg"
    if not path.is_file():
        raise ValueError(f"there is no figures/ideas/{name}.svg")
    text = path.read_text(encoding="utf-8")
    return text, ALT.search(text)[1]


def text_of(path):
    return path.read_text(encoding="utf-8")


def neighbours(lessons, number):
    """The line under a chapter that leads on."""
    numbers = list(lessons)
    at = numbers.index(number)
    before = lessons[numbers[at - 1]] if at else None
    after = lessons[numbers[at + 1]] if at + 1 < len(numbers) else None
    links = [f"← \\ref {before.label} \"{before.title}\"" if before else "\\ref index \"← Start\""]
    links += [f"\\ref {after.label} \"{after.title}\" →"] if after else []
    return "\n\n---\n\n" + " &nbsp;·&nbsp; ".join(links) + "\n"


def pieces_of(source, data, lessons, decisions, figure, idea):
    """{name: function returning Markdown}; `figure` and `idea` are what {{figure NAME}} and
    {{idea NAME}} become."""
    simt, stored = source / "common" / "simt", source / "figures" / "data"
    return {
        "ladder": lambda: tables.ladder(data, lessons),
        "links_modelled": lambda: tables.links_modelled(stored),
        "same_bits": lambda: tables.same_bits(stored),
        "methods": lambda: tables.methods(data, lessons),
        "per_block": lambda *words: tables.per_block(data, *words),
        "rungs": lambda: rungs.table(data),
        "rung": lambda number: rungs.of_lesson(data, number),
        "ladder_picture": lambda: tables.ladder_picture(data),
        "figure": figure,
        "idea": idea,
        **checker_tables.pieces(data),
        **target_tables.pieces(data),
        **model_tables.pieces(),
        **support_tables.pieces(simt),
        "chapters": lambda: chapter_list(lessons),
        "decisions": lambda: chapter_list(decisions),
        "checker_kinds":
            lambda: checker_tables.checker_kinds(text_of(simt / "findings/findings.def")),
        "checker_report": lambda name="checks-report", shown=None: checker_tables.checker_report(
            text_of(stored / f"{name}.txt"), shown),
        "checker_errors": lambda name: checker_tables.checker_errors(
            text_of(stored / f"{name}.txt")),
        "counters": lambda: tables.counters(text_of(simt / "include" / "simt_counters.def")),
        "profiled": lambda: tables.profiled(text_of(stored / "h200-ncu.csv")),
        "profiled_caches": lambda: tables.profiled(text_of(stored / "h200-ncu-caches.csv")),
        "opcodes": lambda: opcodes(definition(simt / "isa/isa.def")),
    }
