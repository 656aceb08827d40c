#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the READMEs say is so. One line per complaint; exit 1 when there is any.

    check_readmes.py [ROOT]

- A path, a script, a make target or a test that a README (or CONTRIBUTING, RELEASING) names exists.
  Not looked at: what a build makes, and names with a placeholder in capitals, except NN_name.
- A folder of more than 8 files has a README, or is named in one of a folder above it.
- A README of COMPLETE names every file of its folder, by name, stem or pattern; the table "Inside
  the larger rooms" of common/simt/README.md does so for the .c files of its rooms.
- The table of rooms in common/simt/README.md is that of tests/simt/check_includes.py.
- Numbers of decisions are unique, and a decision's title begins with its own.
"""

import fnmatch
import importlib.util
import re
import sys
from pathlib import Path

from tracked import ROOT, files_of

MANY = 8
COMPLETE = ("bench", "common/grade", "common/scripts", "common/survey", "common/tutor",
            "common/workbook", "figures", "tests/repository")
TEXTS = re.compile(r"(^|/)(README|CONTRIBUTING|RELEASING)\.md$")
ENDINGS = r"(?:sh|py|c|h|cu|cuh|cl|md|txt|def|cmake|mutant|in|csv|jsonl|expected|ptx)"
# A path: a file by its ending, or words with a slash between or behind them.
PATH = re.compile(rf"^(?:\.?[\w*-]+(?:\.[\w*-]+)*/)*(?:\.?[\w*.-]+\.{ENDINGS}|(?<=/))$")
WORD = re.compile(r"[^\s`'\"(),;|=]+")
GENERATED = re.compile(r"^(build[\w-]*|submissions|exercises/backup|path|dir)(/|$)"
                       r"|^\.?\./|^/|\.\.|^a100-")
# What programs write, what users have, and files of other programs' names.
NOT_HERE = {"results.json", "progress.txt", "exercises/progress.txt",
            "grades.csv", "index.html", "program.cu", "x.cu", "name.cu"}


def code_of(text):
    """What is set as code: spans, and the lines of fenced or indented blocks."""
    fenced = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
    for block in fenced.findall(text):
        yield from block.splitlines()
    rest = fenced.sub("", text)
    yield from re.findall(r"`([^`\n]+)`", rest)
    yield from re.findall(r"^ {4,}(\S.*)$", rest, re.MULTILINE)


def exists(word, folder, names):
    """Whether `word`, as written in a README of `folder`, is a file or folder of the repository."""
    word = word.rstrip("/").replace("NN_name", "[0-9][0-9]_*").replace("/name.", "/*.")
    above = Path(folder)
    for base in (above, *above.parents):
        pattern = word if str(base) == "." else f"{base}/{word}"
        if any(fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern + "/*")
               for name in names):
            return True
    return "/" not in word and any(fnmatch.fnmatchcase(Path(name).name, word) for name in names)


def wrong_paths(text, folder, names):
    words = [word for code in code_of(text) for word in WORD.findall(code)]
    words += [link for link in re.findall(r"\]\(([^)#]+)\)", text) if ":" not in link]
    for word in dict.fromkeys(word.rstrip(".:") for word in words):
        plain = word.replace("NN_name", "")
        if not PATH.match(word) or GENERATED.search(word) or word in NOT_HERE \
                or re.search(r"[A-Z]{2,}", plain.replace("README", "").replace("CMakeLists", "")
                             .replace("CONTRIBUTING", "").replace("RELEASING", "")):
            continue
        if not exists(word, folder, names):
            yield f"there is no {word}"


def wrong_targets(text, targets):
    for code in code_of(text):
        for target in re.findall(r"\bmake ([a-z][a-z-]*)", code):
            if target not in targets:
                yield f"there is no target {target}: make {target}"


def wrong_tests(text, tests):
    for code in code_of(text):
        for pattern in re.findall(r"\bctest .*-R +'?([^\s']+)", code):
            if tests and "NN" not in pattern and not any(re.search(pattern, t) for t in tests):
                yield f"no test matches {pattern}"


def without_readme(names):
    """Folders of many files that no README describes."""
    sizes = {}
    for name in names:
        folder = Path(name).parent.as_posix()
        sizes[folder] = sizes.get(folder, 0) + 1
    return [folder for folder, n in sorted(sizes.items()) if n > MANY and folder != "."]


def is_described(folder, texts):
    """`texts`: {folder of a README: its text}."""
    if folder in texts:
        return True
    for above in Path(folder).parents:
        if above.as_posix() not in texts:
            continue
        own = Path(folder).relative_to(above).as_posix()
        any_lesson = re.sub(r"\d\d_\w+", "NN_name", own)
        for said in (own, any_lesson):
            if re.search(rf"(?<![\w/]){re.escape(said)}(?:/|\)|[ `]|$)", texts[above.as_posix()]):
                return True
    return False


def unnamed(folder, said, names):
    """Files of `folder` itself, without build files, that none of the words `said` stands for."""
    patterns = {word.rpartition("/")[2] for word in said}
    stems = {Path(word).stem for word in patterns}
    for name in names:
        path = Path(name)
        if path.parent.as_posix() != folder or path.name in ("README.md", "CMakeLists.txt"):
            continue
        if path.stem not in stems and not any(
                fnmatch.fnmatchcase(form, word) for word in patterns
                for form in (path.name, path.stem)):
            yield f"does not name {name}"


def words_of(text):
    return {word for code in code_of(text) for word in WORD.findall(code)}


def unnamed_in_rooms(readme, names):
    """The same for the .c files of rooms that have a row in the table of the larger rooms."""
    sources = [name for name in names if name.endswith(".c")]
    for room, row in re.findall(r"^\| `(\w+)/` \|(.*)\|$", readme, re.MULTILINE):
        for folder in {Path(name).parent.as_posix() for name in sources}:
            if f"{folder}/".startswith(f"common/simt/{room}/"):
                yield from unnamed(folder, words_of(row), sources)


def rooms_of_readme(text):
    """{room: what it may include} of the table."""
    row = re.compile(r"^\| \[`(\w+)/`\]\(\w+\) \|[^|]*\|([^|]*)\|$", re.MULTILINE)
    return {room: [word for word in re.split(r"[,\s]+", may) if word] for room, may in
            row.findall(text)}


def rooms_of_test(path):
    spec = importlib.util.spec_from_file_location("check_includes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MAY_INCLUDE


def wrong_rooms(readme, rooms):
    said = rooms_of_readme(readme)
    for room in sorted(set(said) | set(rooms)):
        if sorted(said.get(room, ["not there"])) != sorted(rooms.get(room, ["not there"])):
            yield (f"room {room}: README says {said.get(room)}, check_includes.py "
                   f"{rooms.get(room)}")


def wrong_decisions(decisions):
    """`decisions`: {file name: first line}."""
    seen = {}
    for name, title in sorted(decisions.items()):
        number = name[:4]
        if not re.match(r"\d{4}-[a-z0-9-]+\.md$", name):
            yield f"{name}: want NNNN-title.md"
        elif number in seen:
            yield f"{name}: {seen[number]} has the same number"
        elif not title.startswith(f"# {number} "):
            yield f"{name}: its title does not begin with {number}: {title}"
        seen.setdefault(number, name)


def complaints(root):
    names = files_of(root)

    def read(name):
        return (root / name).read_text(encoding="utf-8")

    targets = set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE))
    inventory = root / "tests/repository/inventory.txt"
    tests = re.findall(r"^(\w+): ", inventory.read_text(), re.MULTILINE) if inventory.exists() \
        else []
    texts = {}
    for name in names:
        if not TEXTS.search(name):
            continue
        folder = Path(name).parent.as_posix()
        text = read(name)
        if name.endswith("README.md"):
            texts[folder] = text
        for wrong in (*wrong_paths(text, folder, names), *wrong_targets(text, targets),
                      *wrong_tests(text, tests)):
            yield f"{name}: {wrong}"
    for folder in without_readme(names):
        if not is_described(folder, texts):
            yield f"{folder}: more than {MANY} files, and no README describes it"
    for folder in COMPLETE:
        if folder in texts:
            for wrong in unnamed(folder, words_of(texts[folder]), names):
                yield f"{folder}/README.md: {wrong}"
    for wrong in unnamed_in_rooms(texts.get("common/simt", ""), names):
        yield f"common/simt/README.md: {wrong}"
    includes = root / "tests/simt/check_includes.py"
    if includes.exists():
        yield from wrong_rooms(read("common/simt/README.md"), rooms_of_test(includes))
    yield from wrong_decisions({Path(name).name: read(name).split("\n", 1)[0] for name in names
                                if fnmatch.fnmatchcase(name, "book/decisions/*.md")})


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    print(f"READMEs: {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
