# SPDX-License-Identifier: MIT
"""What is in a folder of CUDA programs: which files have a main, which stand beside them, what
CMake's files and scripts say of them, where a header is that a program does not find."""

import os
import re
from pathlib import Path

import recipes
from foreign import plain
from makefiles import read, words

HOST = {".c", ".cc", ".cpp", ".cxx"}
SKIPPED = {".git", ".svn", "CMakeFiles", "node_modules", "__pycache__"}
MAIN = re.compile(r"(?:^|[;}>\s])main\s*\([^;{)]*\)[^;{]*\{")
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)

COMMENTS = re.compile(r"(?m:^\s*//[^\n]*)|/\*.*?\*/", re.DOTALL)


def has_main(path):
    return bool(MAIN.search(HIDDEN.sub(" ", read(path))))


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        yield Path(folder), sorted(names)


def including(part, cuda):
    """The file of `cuda` that has an #include of `part`, which lies beside it."""
    line = re.compile(rf'^[ \t]*#[ \t]*include[ \t]+"{re.escape(part.name)}"', re.MULTILINE)
    return next((path for path in cuda if line.search(read(path))), None)


def programs(root):
    """Every .cu with a main; and a main in C or C++ beside .cu files of which none has one, or the
    .cu file that includes it."""
    for folder, names in walk(root):
        cuda = [folder / name for name in names if name.endswith(".cu")]
        mains = [path for path in cuda if has_main(path)]
        if cuda and not mains:
            hosts = [folder / name for name in names
                     if Path(name).suffix in HOST and has_main(folder / name)]
            mains = sorted({including(path, cuda) or path for path in hosts})
        yield from mains


def neighbours(program, folders=()):
    """Files beside a program, and then in `folders`, that could be linked with it: those without a
    main of their own."""
    return [path for folder in dict.fromkeys([program.parent, *folders])
            for path in sorted(folder.iterdir())
            if path.suffix in HOST | {".cu"} and path != program and path.is_file()
            and not has_main(path)]


def defining(program, name, folders=(), more=()):
    """The neighbours, and then those of `more`, in whose text `name` is followed by a parenthesis,
    a bracket or an equals sign: candidates for the file that defines it, those in the program's own
    language first. What the linker names with its parameters is no function of C."""
    bare = plain(name).split("::")[-1].removeprefix("__device_stub__")
    files = sorted(neighbours(program, folders), key=lambda path: path.suffix != program.suffix)
    wanted = re.compile(rf"\b{re.escape(bare)}\s*(?:<[^;>]*>\s*)?[(\[=;]") if bare else None
    return [path for path in dict.fromkeys([*files, *more])
            if wanted and not (path.suffix == ".c" and "(" in name)
            and wanted.search(HIDDEN.sub(" ", read(path)))]


class Headers:
    """Where in the folder a header is, by the end of its path. What lies beside another program,
    also one without CUDA files, is that program's own, and is taken only where there is no other.
    """

    def __init__(self, root):
        self.found, self.private = {}, set()
        for folder, names in walk(root):
            if any(Path(name).suffix in HOST | {".cu"} and has_main(folder / name)
                   for name in names):
                self.private.add(folder)
            for name in names:
                if Path(name).suffix in {".h", ".hpp", ".cuh", ".hxx", ".inl", ".c", ".cu", ".cpp"}:
                    self.found.setdefault(name, []).append(folder / name)

    def folder_of(self, wanted, program):
        """The folder to be searched for `wanted` ("inc/a.h"), the nearest one; None: not there."""
        parts = Path(os.path.normpath(wanted)).parts
        up = sum(part == ".." for part in parts)
        parts = parts[up:]
        here = [path for path in self.found.get(parts[-1] if parts else "", [])
                if path.parts[-len(parts):] == parts]
        if not here or up >= len(parts):
            return None  # "../a.h" is looked for from a folder beside it, which a flag cannot name
        best = max(here, key=lambda path: (path.parent not in self.private - {program.parent},
                                           len(os.path.commonpath([path, program])),
                                           -len(path.parts)))
        return best.parents[len(parts) - 1].joinpath(*parts[:up])


# ---- What it reads.

SIGNATURE = re.compile(r"\bmain\s*\(\s*int\s+(\w+)\s*,\s*(?:const\s+)?char\s*(?:const\s*)?"
                       r"\*(?:\s|const\b|\*)*(\w+)\s*(?:\[\s*\])?\s*\)")
# A file that is opened for reading by a name in the text; "w" behind it: for writing.
OPENED = re.compile(r'\bfopen\s*\(\s*"([^"\n]+)"\s*,\s*"r|'
                    r'\bifstream(?:\s+\w+)?\s*[({]\s*"([^"\n]+)"')


def reads_arguments(program):
    """"unasked": it reads an argument and never asks whether there is one; "asked": it does ask;
    "": it reads none."""
    text = HIDDEN.sub(" ", read(program))
    main = SIGNATURE.search(text)
    if not main:
        return ""
    count, values = map(re.escape, main.groups())
    if not re.search(rf"\b{values}\s*\[\s*[1-9]\d*\s*\]", text):
        return ""
    one = rf"\b{values}\s*\[\s*\d+\s*\]"
    asks = re.search(rf"(?:\b(?:if|while)\s*\(|!)\s*{one}|{one}\s*(?:[!=]=|\?|&&|\|\|)", text)
    return "asked" if asks or len(re.findall(rf"\b{count}\b", text)) > 1 else "unasked"


def opened(program):
    """The files that it opens for reading by a name in its text."""
    return [one or other for one, other in OPENED.findall(COMMENTS.sub(" ", read(program)))]


# ---- How it is built and run.

def flags_of(program, root, makefile):
    """Those of the Makefile; without one those of CMake's files. The architecture is the last."""
    if makefile:
        flags, architecture = recipes.flags_of(program, makefile)
    else:
        flags, architecture = cmake_flags(program, root)
    return [*without_repeats(flags), architecture]


USAGE = re.compile(r"^.*\busage\b.*$", re.IGNORECASE | re.MULTILINE)
HINTS = re.compile(r"^(?:run\w*|test\w*|readme\S*|.*\.sh)$", re.IGNORECASE)
MOST_HINTS = 4


def hinted_arguments(program, root, printed=""):
    """What scripts and notes beside the program, or it itself, say to run it with: lists, those of
    scripts first."""
    alone = sum(1 for path in programs(program.parent) if path.parent == program.parent) == 1
    name = r"[\w.-]+" if alone else \
        rf"(?:{re.escape(program.stem)}|{re.escape(program.parent.name)})"
    command = re.compile(rf"(?:^|[$>`\s])\./{name}((?:[ \t]+[^\s<>|;&`#]+)+)", re.MULTILINE)
    texts = [read(path) for path in sorted(program.parent.iterdir())
             if HINTS.match(path.name) and path.is_file()] + [printed]
    found = []
    for text in texts:
        for match in command.finditer(USAGE.sub("", text)):
            given = words(match.group(1))
            if given not in found and not any(re.search(r"[\[\]<>$*]|\.\.\.", x) for x in given):
                found.append(given)
    return found[:MOST_HINTS]


LARGE = 4096 # a last number from here on may be a size instead of a number of repetitions


def smaller_arguments(given):
    """What to run a program with that was too slow: fewer repetitions, which stand last as a rule;
    then smaller sizes, too; then all of them smaller. Empty when it is not run with numbers."""
    at = [i for i, text in enumerate(given) if re.fullmatch(r"[1-9]\d*", text)]
    last = at[-1] if len(at) > 1 else -1
    sizes = [i for i in at if i != last and int(given[i]) >= 256]
    ways = [(last, []), (last, sizes)]
    if last >= 0 and int(given[last]) >= LARGE:
        ways.append((-1, [*sizes, last]))
    found = []
    for once, smaller in ways:
        less = ["1" if i == once else str(max(16, int(text) // 64)) if i in smaller else text
                for i, text in enumerate(given)]
        if less not in [given, *found]:
            found.append(less)
    return found


# ---- CMake's files.

CMAKE_STANDARD = re.compile(r"\b(?:CMAKE_)?(?:CUDA|CXX)_STANDARD\s+(\d\d)\b|"
                            r"\bc(?:xx|uda)_std_(\d\d)")
CMAKE_FLAG = re.compile(r"--?(?:expt-)?(?:extended-lambda|relaxed-constexpr)\b")
CMAKE_DEFINITION = re.compile(r"^\s*add_(?:compile_)?definitions\s*\(([^()$]*)\)",
                              re.MULTILINE | re.IGNORECASE)
CMAKE_ARCHITECTURES = re.compile(r"\b(?:CMAKE_)?CUDA_ARCHITECTURES\s+([^)$]*)")
CMAKE_TARGET = re.compile(r"^\s*(?:cuda_)?(add_executable|add_library|target_link_libraries)\s*"
                          r"\(([^()]*)\)", re.MULTILINE | re.IGNORECASE)
CMAKE_SET = re.compile(r"^\s*set\s*\(\s*(\w+)\s([^()]*)\)", re.MULTILINE | re.IGNORECASE)
DEFAULT_STANDARD = 17


def cmake_flags(program, root):
    """(flags, architecture) of the CMakeLists.txt from `root` down to the program's folder: a newer
    standard than nvcc's default, what lambdas and constexpr functions need, and definitions for all
    files."""
    flags, standard, architectures = [], 0, ""
    for folder in reversed([program.parent, *program.parent.parents]):
        file = folder / "CMakeLists.txt"
        if not folder.is_relative_to(root) or not file.is_file():
            continue
        text = re.sub(r"#[^\n]*", "", read(file))
        for found in CMAKE_ARCHITECTURES.findall(text):
            architectures += re.sub(r"\b(\d\d)", r" sm_\1", found)
        standards = [int(one or other) for one, other in CMAKE_STANDARD.findall(text)]
        standard = max((n for n in standards if n < 90), default=standard)
        flags += CMAKE_FLAG.findall(text)
        for words_of in CMAKE_DEFINITION.findall(text):
            flags += [f"-D{word.removeprefix('-D')}" for word in words(words_of)
                      if re.match(r"(?:-D)?\w+(?:=\S*)?$", word)]
    newer = [f"-std=c++{standard}"] if standard > DEFAULT_STANDARD else []
    return newer + flags, recipes.architecture(architectures)


def cmake_targets(folder):
    """{command of CMAKE_TARGET: {target: words behind its name}} of a folder's CMakeLists.txt."""
    file, found = folder / "CMakeLists.txt", {}
    text = re.sub(r"#[^\n]*", "", read(file)) if file.is_file() else ""
    here = ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR", "PROJECT_SOURCE_DIR")
    values = dict(CMAKE_SET.findall(text)) | dict.fromkeys(here, str(folder))
    for command, given in CMAKE_TARGET.findall(text):
        for _ in range(4): # variables of variables
            given = re.sub(r"\$\{(\w+)\}", lambda name: values.get(name[1], ""), given)
        target, *rest = words(given) or [""]
        found.setdefault(command.lower(), {}).setdefault(target, []).extend(rest)
    return found


def cmake_linked(program, root):
    """(files, names of files that are not there) which the nearest CMakeLists.txt that links the
    program links with it, those of its own libraries included."""
    for folder in [program.parent, *program.parent.parents]:
        targets = cmake_targets(folder)
        made, links = targets.get("add_executable", {}), targets.get("target_link_libraries", {})
        parts = made | targets.get("add_library", {})
        for name in made:
            joined = [name]
            for one in joined: # it grows
                joined += [other for other in links.get(one, []) if other in parts
                           and other not in joined]
            named = {word: Path(os.path.normpath(folder / word)) for one in joined
                     for word in parts[one] if Path(word).suffix in HOST | {".cu"}}
            if program in [named[word] for word in parts[name] if word in named]:
                return [path for path in named.values() if path != program and path.is_file()
                        and path.is_relative_to(root)], \
                    [word for word, path in named.items() if not path.is_file()]
        if folder == root:
            break
    return [], []


def without_repeats(flags):
    """Each flag once, with its value: the order stays."""
    pairs, at = [], 0
    while at < len(flags):
        size = 2 if flags[at] in ("-I", "-Xcompiler") else 1
        pairs.append(tuple(flags[at:at + size]))
        at += size
    return [word for pair in dict.fromkeys(pairs) for word in pair]
