# SPDX-License-Identifier: MIT
"""Makes what Doxygen reads: chapters with their numbers filled in, generated tables, navigation.

Part of build_book.py. Reads book/*.md.in, lessons/*/chapter.md.in, book/decisions/*.md,
figures/data/ and the two .def tables of the software GPU; writes OUTPUT/src/*.md,
OUTPUT/layout.xml, and of OUTPUT/html figures/ and mathjax/. Only chapters that exist are listed.
Without MathJax formulas are shown as TeX. A chapter that names a number that is not stored is a
MacroError, with file and line.
"""

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parent))

import tables  # noqa: E402
from macros import expand  # noqa: E402
from page_sources import (Page, decisions_of, idea_of, lessons_of, neighbours,  # noqa: E402
                          pages_of, pieces_of)
from stored_data import StoredData  # noqa: E402

FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)

# The parts of MathJax 2 that Doxygen's pages load; the whole package is ten times that.
MATHJAX_PARTS = ("MathJax.js", "extensions", "jax/element", "jax/input/TeX", "jax/output/HTML-CSS",
                 "fonts/HTML-CSS/TeX/woff")


def harden(text):
    """Markdown written for any viewer, made safe for Doxygen: outside code, no commands, no
    tags."""
    pieces, at = [], 0
    for fence in FENCE.finditer(text):
        pieces += [harden_prose(text[at:fence.start()]), fence[0]]
        at = fence.end()
    return "".join(pieces) + harden_prose(text[at:])


def harden_prose(text):
    parts = re.split(r"(`+[^`]*`+|^# .*$)", text, flags=re.MULTILINE)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"[@\\%]|#(?=\w)", lambda m: "\\" + m[0], parts[i]).replace("<", "&lt;")
    return "".join(parts)


def quoted_code(text):
    """For a claim in a table with code between its quotation marks Doxygen would show backticks."""
    return re.sub(r'^\| "([^"|\n]*`[^"|\n]*)" \|', r"| &quot;\1&quot; |", text, flags=re.MULTILINE)


def plain_fences(text):
    """A fence without a language is a picture or a terminal: Doxygen would colour it as code."""

    def mark(match):
        first, newline, rest = match[0].partition("\n")
        bare = first.strip() == match[1]
        return (first.rstrip() + "{.unparsed}" if bare else first) + newline + rest

    return FENCE.sub(mark, text)


def formulas_as_text(text):
    """For a book without MathJax: the TeX itself, as code."""
    display = re.compile(r"\\f\[(.*?)\\f\]", re.DOTALL)
    text = display.sub(lambda m: "`" + " ".join(m[1].split()) + "`", text)
    return re.sub(r"\\f\$(.*?)\\f\$", r"`\1`", text)


def inline_idea(source, name):
    """A picture of figures/ideas inside the page, where its colours follow the page's theme."""
    text, alt = idea_of(source, name)
    text = re.sub(r"<style>.*?</style>\n?", "", text, flags=re.DOTALL)
    # For Doxygen a line of its own, or the page would be searched for commands.
    text = text.replace("\n", "")
    return (f'\\htmlonly<figure class="idea" id="idea_{name}">{text}<figcaption>{alt}</figcaption>'
            "</figure>\\endhtmlonly")


def questions_of(lesson_directory):
    """The questions of `make predict`, as a list that the page judges (lab/page/predict.js)."""
    path = lesson_directory / "practice.json"
    if not path.is_file():
        return ""
    names = re.compile(r"`([^`]+)`")
    items = "".join(
        "<li" + "".join(f" data-{key}={quoteattr(str(question[key]))}"
                        for key in ("id", "variant", "n", "block", "count", "because"))
        + "><span>" + names.sub(r"<code>\1</code>", escape(question["ask"])) + "</span></li>"
        for question in json.loads(path.read_text("utf-8"))["questions"])
    return (f'<section class="predict" data-lesson="{lesson_directory.name}"><h3>Predict, then run'
            "</h3><noscript><p>In a terminal: <code>make predict</code>.</p></noscript>"
            f"<ol>{items}</ol></section>")


def with_lab(text, lesson_directory):
    """The chapter with its questions and its lab, where the reader has just made predictions."""
    lesson = lesson_directory.name
    lab = (f'\n\\htmlonly{questions_of(lesson_directory)}'
           f'<section class="lab" data-lesson="{lesson}"><h3>Lab</h3>'
           "<p>The lesson's own program on the software GPU, in this page: the same counts as "
           "<code>make run</code> gives, and every step to watch.</p><noscript><p>The lab needs "
           "JavaScript; <code>make run</code> does the same on your computer.</p></noscript>"
           "</section>\\endhtmlonly\n\n")
    return text.replace("\n## What the counters say", lab + "## What the counters say", 1)


SNIPPET = re.compile(r"^\\snippet (\S+) (\S+)[ \t]*$", re.MULTILINE)


def with_captions(text, source):
    """Under each piece of a program a line that leads to the whole of it, at that place
    (finish_pages.py gives the lines of programs such ids)."""

    def one(match):
        path, name = source / "lessons" / match[1], match[2]
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        marks = [i for i, line in enumerate(lines, 1) if line.strip() == f"//! [{name}]"]
        if len(marks) != 2:
            return match[0]  # Doxygen says what is wrong
        where = f"lesson_{match[1][:2]}_program.html#{path.name}-{marks[0] + 1}"
        return (f'{match[0]}\n\n\\htmlonly<div class="snippet-from"><a href="{where}">'
                f"lessons/{match[1]}, lines {marks[0] + 1} to {marks[1] - 1}</a></div>"
                "\\endhtmlonly\n")

    return SNIPPET.sub(one, text)


INDENTED = re.compile(r"(?:^(?: {4}.*| *)\n)*^ {4}.*\n(?:^(?: {4}.*| *)\n)*", re.MULTILINE)


def with_hints(text, lesson_directory):
    """The exercise's hints, folded, at its end."""
    path = lesson_directory / "hints.md"
    if not path.is_file():
        return text
    folded = []
    for hint in re.split(r"^## ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = f"{hint}\n".partition("\n")
        body = INDENTED.sub(lambda m: f"```c\n{textwrap.dedent(m[0]).strip()}\n```\n", body)
        folded.append(f'\\htmlonly<details class="hint"><summary>{title}</summary>\\endhtmlonly\n\n'
                      f"{body.strip()}\n\n\\htmlonly</details>\\endhtmlonly\n")
    end = text.find("\n## ", text.index("\n## Your exercise") + 1)
    return text[:end] + "\n" + "\n".join(folded) + text[end:]


def program_page(source, lesson_directory, label):
    """A page that shows a lesson's program whole, the .cuh that it includes, and its program
    without a harness."""
    own = f"{lesson_directory.name[3:]}.cu"
    whole = [path for path in sorted(lesson_directory.iterdir())
             if path.suffix in (".cu", ".hip") and path.name != own]
    programs = [path for path in [lesson_directory / own] if path.is_file()]
    programs += sorted(lesson_directory.glob("*.cuh")) + whole
    if not programs:
        return None
    paths = [p.relative_to(source).as_posix() for p in programs]
    listing = "".join(f"\n`{path}`\n\n\\includelineno {path}\n" for path in paths)
    return (f"# {programs[0].name} {{#{label}_program}}\n\nThe program of \\ref {label}, whole. "
            "The same file compiles for a GPU with `nvcc` and for the software GPU with `simtcc`.\n"
            + listing)


def tab(title, label):
    url, title = "@ref " + label, title.replace("`", "")
    return f'    <tab type="user" visible="yes" url={quoteattr(url)} title={quoteattr(title)}/>'


def group(title, entries):
    inner = "\n".join("  " + tab(*entry) for entry in entries)
    return f'    <tab type="usergroup" visible="yes" title={quoteattr(title)}>\n{inner}\n    </tab>'


def layout(template, lessons, decisions, programs):
    groups = [tab(page.title, page.label) for page in lessons.values()]
    groups += [group("Look things up", [("Glossary", "glossary"), ("Counters", "counters"),
                                        ("Debugging a kernel", "debugging"),
                                        ("Checkers", "checkers"),
                                        ("Your own programs", "programs"),
                                        ("Targets and limits", "limits"),
                                        ("The timing model", "model"),
                                        ("Advanced: small arrays", "advanced"),
                                        ("Bibliography", "bibliography")]),
               tab("For instructors", "instructor"),
               group("Programs", [(lessons[n].path.parent.name, lessons[n].label + "_program")
                                  for n, text in programs.items() if text]),
               group("For developers: the software GPU",
                     [("Architecture", "architecture"), ("Opcodes", "opcodes")]),
               group("For developers: decisions",
                     [(p.title, p.label) for p in decisions.values()])]
    return template.replace("@NAVIGATION@", "\n".join(groups))


def copy_mathjax(mathjax, html_directory):
    for part in MATHJAX_PARTS:
        origin, target = mathjax / part, html_directory / "mathjax" / part
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, target)
        else:
            shutil.copyfile(origin, target)


def draw_figures(source, target):
    """Names of the figures drawn into `target`, and whether those are all: without the data or
    matplotlib there are none."""
    drawn, whole = set(), True
    for script in sorted((source / "figures").glob("plot_*.py")):
        for python in (sys.executable, "/usr/bin/python3"):
            done = subprocess.run([python, "-B", script, "--out", target], capture_output=True,
                                  text=True, check=False)
            if done.returncode == 0:
                drawn |= {Path(line).stem for line in done.stdout.splitlines()}
                break
        else:
            whole = False
            said = done.stderr.strip().splitlines() or ["not drawn"]
            print(f"The book goes without the figures of {script.name}: {said[-1]}",
                  file=sys.stderr)
    return drawn, whole


def folder_page(readme, label):
    """A folder's README as a page. Its links lead into the source tree, so only their words
    stay."""
    page = Page(readme, label)
    page.text = re.sub(r"\[([^]]+)\]\((?![a-z]+:)[^)]*\)", r"\1", page.text)
    return page


def prepare(source, output, formulas, has_lab=False):
    """Returns whether the book is whole: its figures could be drawn."""
    data = StoredData(source / "figures" / "data")
    drawn, whole = draw_figures(source, output / "html" / "figures")
    lessons, decisions = lessons_of(source), decisions_of(source)
    programs = {number: program_page(source, page.path.parent, page.label)
                for number, page in lessons.items()}
    pieces = pieces_of(source, data, lessons, decisions, lambda name: tables.figure(name, drawn),
                       lambda name: inline_idea(source, name))
    pages = {label: (path, path.read_text("utf-8")) for label, path in pages_of(source).items()}
    for number, page in lessons.items():
        text = with_captions(with_hints(page.text, page.path.parent), source)
        text = with_lab(text, page.path.parent) if has_lab else text
        pages[page.label] = (page.path, text + neighbours(lessons, number))
        if programs[number]:
            pages[page.label + "_program"] = (page.path.parent, programs[number])
    target = output / "src"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, (path, text) in pages.items():
        text = plain_fences(quoted_code(expand(text, data, pieces, path.relative_to(source))))
        text = text if formulas else formulas_as_text(text)
        (target / f"{name}.md").write_text(text, encoding="utf-8")
    architecture = folder_page(source / "common/simt/README.md", "architecture")
    for page in [architecture,
                 *decisions.values()]:  # written for any viewer: no macros, no Doxygen commands
        (target / f"{page.label}.md").write_text(plain_fences(harden(page.text)), encoding="utf-8")
    template = (source / "book" / "layout.xml.in").read_text("utf-8")
    navigation = layout(template, lessons, decisions, programs)
    (output / "layout.xml").write_text(navigation, encoding="utf-8")
    return whole
