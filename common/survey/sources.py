# SPDX-License-Identifier: MIT
"""What is in a folder of CUDA programs: which files have a main, which stand beside them, what
their Makefiles ask for, where a header is that a program does not find."""

import os
import re
import shlex
from pathlib import Path

HOST = {".c", ".cc", ".cpp", ".cxx"}
SKIPPED = {".git", ".svn", "CMakeFiles", "node_modules", "__pycache__"}
MAIN = re.compile(r"(?:^|[;}>\s])main\s*\([^;{)]*\)[^;{]*\{")
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
MAKEFILES = ["Makefile", "makefile", "GNUmakefile"]
# Flags of a Makefile that matter here; those about machine code and a toolkit's folders do not, nor
# do a C compiler's (-std=c99).
ALONE = re.compile(r"-(D\S+|std=(?:c|gnu)\+\+\S+|"
                   r"l\w\S*|O[0-3]|rdc=true|dc|fmad=\S+|use_fast_math|fopenmp|G|"
                   r"-expt-\S+|-extended-lambda|expt-\S+|-use_fast_math|-default-stream=\S+)$")
OPENMP = re.compile(r"-Xcompiler[= ,].*-?fopenmp|/openmp")


def read(path):
    return Path(path).read_bytes().decode("utf-8", "replace")


def has_main(path):
    return bool(MAIN.search(HIDDEN.sub(" ", read(path))))


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        yield Path(folder), sorted(names)


def programs(root):
    """Every .cu with a main; and a main in C or C++ beside .cu files of which none has one."""
    for folder, names in walk(root):
        cuda = [folder / name for name in names if name.endswith(".cu")]
        mains = [path for path in cuda if has_main(path)]
        if cuda and not mains:
            mains = [folder / name for name in names
                     if Path(name).suffix in HOST and has_main(folder / name)]
        yield from mains


def neighbours(program, folders=()):
    """Files beside a program, and then in `folders`, that could be linked with it: those without a
    main of their own."""
    return [path for folder in dict.fromkeys([program.parent, *folders])
            for path in sorted(folder.iterdir())
            if path.suffix in HOST | {".cu"} and path != program and path.is_file()
            and not has_main(path)]


def defining(program, name, folders=()):
    """The neighbours in whose text `name` is followed by a parenthesis, a bracket or an equals
    sign: candidates for the file that defines it."""
    bare = re.sub(r"\(.*|<.*", "", name).split("::")[-1].strip().removeprefix("__device_stub__")
    wanted = re.compile(rf"\b{re.escape(bare)}\s*(?:<[^;>]*>\s*)?[(\[=;]") if bare else None
    return [path for path in neighbours(program, folders)
            if wanted and wanted.search(HIDDEN.sub(" ", read(path)))]


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


# ---- Makefiles.

def variables_of(text):
    values = {}
    for name, how, value in re.findall(r"^[ ]*([A-Za-z_]\w*)\s*([:+?]?=)[ \t]*([^\n]*)$", text,
                                       re.MULTILINE):
        value = value.split("#")[0].strip()
        values[name] = f"{values.get(name, '')} {value}".strip() if how == "+=" else value
    return values


def expanded(text, values, depth=8):
    while depth and "$" in text:
        text = re.sub(r"\$[({](\w+)[)}]", lambda m: values.get(m.group(1), ""), text)
        depth -= 1
    return re.sub(r"\$[({][^()]*[)}]", "", text)


def words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def flags_in(line, folder):
    """The flags of one command that are taken over, folders made absolute."""
    flags, parts = [], words(line)
    if OPENMP.search(line):
        flags += ["-Xcompiler", "-fopenmp"]
    for at, part in enumerate(parts):
        if part == "-I" and at + 1 < len(parts):
            part += parts[at + 1]
        if part.startswith("-I") and len(part) > 2:
            path = os.path.normpath(folder / part[2:])
            flags += ["-I", path] if os.path.isdir(path) else []
        elif part == "-fopenmp":
            flags += ["-Xcompiler", "-fopenmp"]
        elif ALONE.match(part):
            flags.append("-rdc=true" if part == "-dc" else part)
    return flags


def makefile_of(program, root):
    for folder in [program.parent, *program.parent.parents]:
        for name in MAKEFILES:
            if (folder / name).is_file():
                return folder / name
        if folder == root:
            break
    return None


def make_flags(program, root):
    """(flags, Makefile): those of the commands that name the program, or else of all commands."""
    makefile = makefile_of(program, root)
    if not makefile:
        return [], None
    text = re.sub(r"\\\r?\n", " ", read(makefile))
    recipes = list(recipes_of(text, variables_of(text)))
    named = [line for head, line in recipes
             if re.search(rf"\b{re.escape(program.stem)}\b", head + line)]
    flags = []
    for line in named or [line for _, line in recipes]:
        flags += flags_in(line, makefile.parent)
    return without_repeats(flags), makefile


def recipes_of(text, values):
    """Yields (the rule's first line, a command of it that has flags)."""
    head = ""
    for line in text.splitlines():
        if not line.startswith("\t"):
            head = expanded(line, values) if ":" in line else head
        elif re.search(r"-\w", command := expanded(line[1:], values)):
            yield head, command


def arguments(program, root):
    """What the nearest Makefile runs the program with: of the first command that is its name behind
    a slash, up to a redirection. Empty when there is none."""
    makefile = makefile_of(program, root)
    text = re.sub(r"\\\r?\n", " ", read(makefile)) if makefile else ""
    values = variables_of(text)
    for line in text.splitlines():
        parts = words(expanded(line[1:], values)) if line.startswith("\t") else []
        name = rf"\S*/{re.escape(program.stem)}(?:\.(?:out|exe|x))?"
        if not parts or not re.fullmatch(name, parts[0]):
            continue
        ends = [at for at, part in enumerate(parts) if re.match(r"[0-9]*[<>|;&]", part)]
        return parts[1:min(ends, default=len(parts))]
    return []


def without_repeats(flags):
    """Each flag once, with its value: the order stays."""
    pairs, at = [], 0
    while at < len(flags):
        size = 2 if flags[at] in ("-I", "-Xcompiler") else 1
        pairs.append(tuple(flags[at:at + size]))
        at += size
    return [word for pair in dict.fromkeys(pairs) for word in pair]
