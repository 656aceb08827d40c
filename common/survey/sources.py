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
ALONE = re.compile(r"-(D\S+|-?std=(?:c|gnu)\+\+\S+|"
                   r"l\w\S*|O[0-3]|rdc=true|dc|-?(?:fmad|ftz|prec-div|prec-sqrt)=\S+|"
                   r"use_fast_math|fopenmp|G|"
                   r"-?expt-\S+|-?extended-lambda|-use_fast_math|-default-stream=\S+)$")
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
    sign: candidates for the file that defines it, those in the program's own language first. What
    the linker names with its parameters is no function of C."""
    bare = re.sub(r"\(.*|<.*", "", name).split("::")[-1].strip().removeprefix("__device_stub__")
    wanted = re.compile(rf"\b{re.escape(bare)}\s*(?:<[^;>]*>\s*)?[(\[=;]") if bare else None
    return [path for path in sorted(neighbours(program, folders),
                                    key=lambda path: path.suffix != program.suffix)
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


# ---- Makefiles.

SET = re.compile(r"^[ ]*(?:export )?([A-Za-z_]\w*)\s*([:+?]?=)[ \t]*([^\n]*)$")
CONDITION = re.compile(r"^\s*(else\b\s*)?(?:(ifn?eq)\b\s*(.*)|(ifn?def)\s+(\w+)|(endif)\b)?")
SHELL = [(r"uname(?: -s)?", "Linux"), (r"uname -[mp]", "x86_64")]


def set_variable(values, line):
    match = SET.match(line)
    if match:
        name, how, value = match.groups()
        value = value.split("#")[0].strip()
        values[name] = f"{values.get(name, '')} {value}".strip() if how == "+=" else value


def variables_of(text):
    values = {}
    for line in text.splitlines():
        set_variable(values, line)
    return values


def expanded(text, values, depth=8):
    for command, answer in SHELL:
        text = re.sub(rf"\$[({{]shell {command}[^()]*[)}}]", answer, text)
    while depth and "$" in text:
        text = re.sub(r"\$[({](\w+)[)}]", lambda m: values.get(m.group(1), ""), text)
        depth -= 1
    return re.sub(r"\$[({][^()]*[)}]", "", text)


def sides(text):
    """The two of "(a,b)", "a" "b"."""
    text = text.split("#")[0].strip()
    if text.startswith("("):
        one, _, other = text.strip("()").partition(",")
    else:
        one, other = [*re.findall(r"\"[^\"]*\"|'[^']*'", text), "", ""][:2]
    return [side.strip().strip("\"'") for side in (one, other)]


def make_text(path):
    """A Makefile's lines, those that continue joined and those of conditions that do not hold here
    left out: on Linux, with nothing set from outside."""
    values, kept, levels = {}, [], []  # of each level: "now", "later" (a branch may come), "past"
    for line in re.sub(r"\\\r?\n", " ", read(path)).splitlines():
        otherwise, equal, of, defined, name, end = \
            CONDITION.match("" if line.startswith("\t") else line).groups()
        if end and levels:
            levels.pop()
        elif equal or defined or (otherwise and levels):
            holds = True
            if equal:
                one, other = sides(expanded(of, values))
                holds = (one == other) == (equal == "ifeq")
            elif defined:
                holds = bool(values.get(name)) == (defined == "ifdef")
            if otherwise and levels:
                before = levels.pop()
                levels.append("past" if before != "later" else "now" if holds else "later")
            else:
                levels.append("now" if holds else "later")
        elif all(level == "now" for level in levels):
            kept.append(line)
            if not line.startswith("\t"):
                set_variable(values, line)
    return "\n".join(kept)


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
    """(flags, Makefile): those of the commands that name the program, or else of all commands.
    Without a Makefile those of CMake's files."""
    makefile = makefile_of(program, root)
    if not makefile:
        return without_repeats(cmake_flags(program, root)), None
    text = make_text(makefile)
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
    text = make_text(makefile) if makefile else ""
    values = variables_of(text)
    for line in text.splitlines():
        parts = words(expanded(line[1:], values)) if line.startswith("\t") else []
        name = rf"\S*/{re.escape(program.stem)}(?:\.(?:out|exe|x))?"
        if not parts or not re.fullmatch(name, parts[0]):
            continue
        ends = [at for at, part in enumerate(parts) if re.match(r"[0-9]*[<>|;&]", part)]
        return parts[1:min(ends, default=len(parts))]
    return []


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


def smaller_arguments(given):
    """What to run a program with that was too slow: fewer repetitions, which stand last as a rule;
    then smaller sizes, too. Empty when it is not run with numbers."""
    at = [i for i, text in enumerate(given) if re.fullmatch(r"[1-9]\d*", text)]
    sized = at[:-1] if len(at) > 1 else at
    once = [*given]
    if len(at) > 1:
        once[at[-1]] = "1"
    less = [str(max(16, int(text) // 64)) if i in sized and int(text) >= 256 else text
            for i, text in enumerate(once)]
    return [x for i, x in enumerate([once, less]) if x not in [given, once][:i + 1]]


# ---- CMake's files.

CMAKE_STANDARD = re.compile(r"\b(?:CMAKE_)?(?:CUDA|CXX)_STANDARD\s+(\d\d)\b|"
                            r"\bc(?:xx|uda)_std_(\d\d)")
CMAKE_FLAG = re.compile(r"--?(?:expt-)?(?:extended-lambda|relaxed-constexpr)\b")
CMAKE_DEFINITION = re.compile(r"^\s*add_(?:compile_)?definitions\s*\(([^()$]*)\)",
                              re.MULTILINE | re.IGNORECASE)
DEFAULT_STANDARD = 17


def cmake_flags(program, root):
    """Of the CMakeLists.txt from `root` down to the program's folder: a newer standard than
    nvcc's default, what lambdas and constexpr functions need, and definitions for all files."""
    flags, standard = [], 0
    for folder in reversed([program.parent, *program.parent.parents]):
        file = folder / "CMakeLists.txt"
        if not folder.is_relative_to(root) or not file.is_file():
            continue
        text = re.sub(r"#[^\n]*", "", read(file))
        standards = [int(one or other) for one, other in CMAKE_STANDARD.findall(text)]
        standard = max((n for n in standards if n < 90), default=standard)
        flags += CMAKE_FLAG.findall(text)
        for words_of in CMAKE_DEFINITION.findall(text):
            flags += [f"-D{word.removeprefix('-D')}" for word in words(words_of)
                      if re.match(r"(?:-D)?\w+(?:=\S*)?$", word)]
    return ([f"-std=c++{standard}"] if standard > DEFAULT_STANDARD else []) + flags


def without_repeats(flags):
    """Each flag once, with its value: the order stays."""
    pairs, at = [], 0
    while at < len(flags):
        size = 2 if flags[at] in ("-I", "-Xcompiler") else 1
        pairs.append(tuple(flags[at:at + size]))
        at += size
    return [word for pair in dict.fromkeys(pairs) for word in pair]
