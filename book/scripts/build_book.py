#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the book, unless all that it is made of is as it was the last time.

    build_book.py --source ROOT --output BUILD/book --doxygen PROGRAM [--mathjax DIR]
                  [--lab DIR] [--lunr FILE]

--lab: where the lessons' programs for pages are (book/lab); --lunr: the search library.

OUTPUT holds Doxyfile and header.html, which CMake has configured. OUTPUT/made_of keeps a digest of
the files that prepare_book.py and Doxygen read; it is written last, and only for a whole book: one
whose figures could not be drawn is built again the next time.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import finish_pages  # noqa: E402
import prepare_book  # noqa: E402
from macros import MacroError  # noqa: E402

# What of the project the book is made of: chapters, data and figures, the programs it shows, the
# headers and tables of the software GPU. None: files of any kind.
READ = {"book": None, "exercises": None, "figures": None, "lessons": None,
        "common/simt": (".def", ".h", ".inc", ".md")}


def files_read(source, output, parts):
    for part in parts:
        yield from sorted(part.glob("*.js")) if part.is_dir() else [part]
    for folder, kinds in READ.items():
        for path in sorted((source / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts \
                    and (kinds is None or path.suffix in kinds):
                yield path
    yield output / "Doxyfile"
    yield output / "header.html"


def made_of(source, output, doxygen, mathjax, parts=()):
    """The digest. The program Doxygen is named by what changes when it is replaced."""
    digest = hashlib.sha256()
    state = Path(doxygen).stat()
    digest.update(f"{doxygen} {state.st_size} {state.st_mtime_ns} {mathjax}\n".encode())
    for path in files_read(source, output, parts):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path} {content}\n".encode())
    return digest.hexdigest() + "\n"


def add_lab(source, html, lab):
    """The pages' scripts, and the programs that they load."""
    (html / "lab").mkdir(parents=True, exist_ok=True)
    for path in [*sorted(lab.glob("[0-9][0-9]_*.js")), *(source / "book/lab/page").iterdir()]:
        shutil.copyfile(path, html / "lab" / path.name)


def build(source, output, doxygen, mathjax, lab=None, lunr=None):
    """Makes the book anew; returns whether it is whole."""
    html = output / "html"
    shutil.rmtree(html, ignore_errors=True)
    whole = prepare_book.prepare(source, output, formulas=bool(mathjax), has_lab=bool(lab))
    if mathjax:
        prepare_book.copy_mathjax(mathjax, html)
    subprocess.run([doxygen, output / "Doxyfile"], cwd=source, check=True)
    if lab:
        add_lab(source, html, lab)
    finish_pages.finish(html, bool(lab), lunr, source / "book/theme")
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, required=True, help="root of the project")
    parser.add_argument("--output", type=Path, required=True, help="the book's build directory")
    parser.add_argument("--doxygen", required=True, help="the program")
    parser.add_argument("--mathjax", type=Path, help="an installed MathJax 2")
    parser.add_argument("--lab", type=Path, help="where the lessons' programs for pages are")
    parser.add_argument("--lunr", type=Path, help="an installed lunr.min.js")
    options = parser.parse_args()
    source, output = options.source.resolve(), options.output.resolve()
    stamp = output / "made_of"
    try:
        parts = [part for part in (options.lab, options.lunr) if part]
        now = made_of(source, output, options.doxygen, options.mathjax, parts)
        if stamp.exists() and stamp.read_text() == now and (output / "html/index.html").exists():
            print("The book is up to date.")
            return 0
        stamp.unlink(missing_ok=True)
        if build(source, output, options.doxygen, options.mathjax, options.lab, options.lunr):
            stamp.write_text(now)
    except (MacroError, ValueError, OSError) as error:
        print(f"build_book: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode  # Doxygen has said why
    return 0


if __name__ == "__main__":
    sys.exit(main())
