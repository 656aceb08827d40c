# SPDX-License-Identifier: MIT
"""Makefiles, read and never run: their variables and rules, and what a program is linked from.

Not modelled: $(shell ...) but for uname, $(call ...), included files, what another Makefile sets.
"""

import fnmatch
import os
import re
import shlex
from pathlib import Path

NAMES = ["Makefile", "makefile", "GNUmakefile"]
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
OBJECTS = (".o", ".obj")
SET = re.compile(r"^[ ]*(?:export )?([A-Za-z_][\w-]*)\s*(::?=|[+?]?=)[ \t]*([^\n]*)$")
CONDITION = re.compile(r"^\s*(else\b\s*)?(?:(ifn?eq)\b\s*(.*)|(ifn?def)\s+(\w+)|(endif)\b)?")
RULE = re.compile(r"^([^\t#:=][^:=]*?)\s*::?(?!=)\s*([^;=]*?)(?:;\s*(.*))?$")
SHELL = [(r"uname(?: -s)?", "Linux"), (r"uname -[mp]", "x86_64")]
INNERMOST = re.compile(r"\$[({]([^(){}$]*)[)}]")
MOST_EXPANSIONS = 400


def read(path):
    return Path(path).read_bytes().decode("utf-8", "replace")


def words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


# ---- Variables and functions.

class Variables(dict):
    """Of one Makefile, which lies in `folder`."""

    def __init__(self, folder=None):
        super().__init__()
        self.folder = folder


def set_variable(values, line):
    match = SET.match(line)
    if not match:
        return
    name, how, value = match.groups()
    value = value.split("#")[0].strip()
    if how in (":=", "::="):
        value = expanded(value, values)
    if how == "+=":
        value = f"{values.get(name, '')} {value}".strip()
    if how != "?=" or name not in values:
        values[name] = value


def patterned(text, old, new):
    """Each word of `text` that is like `old`, where % stands for anything, made `new`."""
    before, _, behind = old.partition("%")
    done = []
    for word in text.split():
        if "%" not in old:
            done.append(new if word == old else word)
        elif len(word) >= len(before + behind) and word.startswith(before) and \
                word.endswith(behind):
            done.append(new.replace("%", word[len(before):len(word) - len(behind)], 1))
        else:
            done.append(word)
    return " ".join(done)


def like(word, patterns):
    return any(fnmatch.fnmatchcase(word, one.replace("%", "*")) for one in patterns.split())


def wildcard(patterns, folder):
    found = []
    for pattern in patterns.split() if folder else []:
        if not os.path.isabs(pattern):
            above = os.path.normpath(os.path.join(folder, os.path.dirname(pattern)))
            names = sorted(os.listdir(above)) if os.path.isdir(above) else []
            found += [os.path.join(os.path.dirname(pattern), name) for name in names
                      if fnmatch.fnmatchcase(name, os.path.basename(pattern))]
    return " ".join(found)


def each(function):
    return lambda folder, text: " ".join(function(word) for word in text.split())


FUNCTIONS = { # of make: name, what it gives of its arguments
    "wildcard": lambda folder, text: wildcard(text, folder),
    "patsubst": lambda folder, old, new, text: patterned(text, old, new),
    "subst": lambda folder, old, new, text: text.replace(old, new) if old else text,
    "addprefix": lambda folder, prefix, text: " ".join(prefix + x for x in text.split()),
    "addsuffix": lambda folder, suffix, text: " ".join(x + suffix for x in text.split()),
    "filter": lambda folder, kept, text: " ".join(x for x in text.split() if like(x, kept)),
    "filter-out": lambda folder, out, text: " ".join(x for x in text.split() if not like(x, out)),
    "sort": lambda folder, text: " ".join(sorted(set(text.split()))),
    "strip": lambda folder, text: " ".join(text.split()),
    "notdir": each(os.path.basename),
    "dir": each(lambda word: os.path.dirname(word) + "/" if "/" in word else "./"),
    "basename": each(lambda word: os.path.splitext(word)[0]),
}


def value_of(inside, values):
    """Of what stands in $(...)."""
    name, _, rest = inside.partition(" ")
    if name in FUNCTIONS and rest:
        parts = [part.strip() for part in rest.split(",", FUNCTIONS[name].__code__.co_argcount - 2)]
        try:
            return FUNCTIONS[name](getattr(values, "folder", None), *parts)
        except TypeError:
            return "" # fewer arguments than make wants
    name, colon, change = inside.partition(":")
    old, equal, new = change.partition("=")
    if colon and equal:
        old, new = (old, new) if "%" in old else (f"%{old}", f"%{new}")
        return patterned(expanded(values.get(name, ""), values), old.strip(), new.strip())
    return values.get(inside.strip(), "")


def expanded(text, values):
    for command, answer in SHELL:
        text = re.sub(rf"\$[({{]shell {command}[^()]*[)}}]", answer, text)
    for _ in range(MOST_EXPANSIONS):
        match = INNERMOST.search(text)
        if not match:
            break
        text = text[:match.start()] + value_of(match.group(1), values) + text[match.end():]
    return re.sub(r"\$[({][^()]*[)}]", "", text)


# ---- Lines and conditions.

def sides(text):
    """The two of "(a,b)", "a" "b"."""
    text = text.split("#")[0].strip()
    if text.startswith("("):
        one, _, other = text.strip("()").partition(",")
    else:
        one, other = [*re.findall(r"\"[^\"]*\"|'[^']*'", text), "", ""][:2]
    return [side.strip().strip("\"'") for side in (one, other)]


def lines_of(path):
    """(a Makefile's lines, its variables): lines that continue joined, and those of conditions that
    do not hold here left out: on Linux, with nothing set from outside."""
    values, kept, levels, ruled = Variables(Path(path).parent), [], [], False
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
            if otherwise and levels: # a level: "now", "later" (a branch may come), "past"
                before = levels.pop()
                levels.append("past" if before != "later" else "now" if holds else "later")
            else:
                levels.append("now" if holds else "later")
        elif all(level == "now" for level in levels):
            line = line if ruled else line.lstrip("\t") # no recipe before the first rule
            ruled = ruled or bool(RULE.match(line) and not SET.match(line))
            kept.append(line)
            set_variable(values, line)
    return kept, values


# ---- Rules.

class Rule:
    """targets, prerequisites: words; commands: text, automatic variables left as they are. stem:
    what % stood for in a list of objects' own pattern (a.o b.o: %.o: %.cu)."""

    def __init__(self, targets, prerequisites, commands, stem=""):
        self.targets, self.prerequisites, self.stem = targets, prerequisites, stem
        self.commands = commands

    def command(self, text, values, target, stem=""):
        stem = stem or self.stem
        first = self.prerequisites[0].replace("%", stem) if self.prerequisites else ""
        every = " ".join(word.replace("%", stem) for word in self.prerequisites)
        for name, value in (("@D", os.path.dirname(target) or "."), ("@", target), ("<", first),
                            ("^", every), ("+", every), ("*", stem)):
            text = re.sub(rf"\$(?:\({re.escape(name)}\)|\{{{re.escape(name)}\}}|"
                          rf"{re.escape(name)})", lambda _, value=value: value, text)
        return expanded(text.lstrip("@-+ \t"), values)


def rules_of(lines, values):
    rules, commands = [], []
    for line in lines:
        if line.startswith("\t"):
            commands.append(line[1:])
            continue
        line = line.split("#")[0]
        if SET.match(line) or not line.strip():
            continue
        match = RULE.match(expanded(line, values).strip())
        commands = []
        if match:
            targets, needed, command = match.groups()
            commands += [command] if command else []
            rules += rules_in([os.path.normpath(word) for word in targets.split()],
                              needed.replace("|", " "), commands)
    return rules


def rules_in(targets, needed, commands):
    """One rule; with a pattern of its own behind the targets (a.o b.o: %.o: %.cu) one for each."""
    pattern, colon, by_stem = needed.partition(":")
    if not colon:
        return [Rule(targets, needed.split(), commands)]
    before, _, behind = os.path.normpath(pattern.strip()).partition("%")
    stems = [(target, target[len(before):len(target) - len(behind)]) for target in targets]
    return [Rule([target], by_stem.replace("%", stem).split(), commands, stem)
            for target, stem in stems]


class Linked:
    """What one target is made from: files that are there, names of those that are not, commands."""

    def __init__(self, target):
        self.target, self.files, self.missing, self.commands = target, [], [], []


class Makefile:
    def __init__(self, path):
        self.path, self.folder = path, path.parent
        self.lines, self.values = lines_of(path)
        self.rules = rules_of(self.lines, self.values)

    def commands(self):
        """Yields (the rule, one of its commands)."""
        for rule in self.rules:
            for text in rule.commands:
                yield rule, rule.command(text, self.values, (rule.targets or [""])[0])

    def there(self, name):
        return (self.folder / name).is_file()

    def linked(self, program):
        """The targets that `program` is linked into."""
        for rule in self.rules:
            for target in rule.targets:
                if "%" in target or target.endswith((*OBJECTS, ".a", ".so")):
                    continue
                one = self.made_from(target, rule)
                if program in one.files:
                    yield one

    def made_from(self, target, rule):
        found = Linked(target)
        commands = [rule.command(text, self.values, target) for text in rule.commands]
        named = [word for text in commands for word in inputs(text)]
        found.commands += [text for text in commands if inputs(text)]
        for name in dict.fromkeys(named or rule.prerequisites):
            self.add(found, name)
        return found

    def add(self, found, name):
        """Adds a source file, an object's or an archive's."""
        if name.endswith(SOURCES):
            self.add_file(found, name)
        elif name.endswith(OBJECTS):
            source, commands = self.source_of(os.path.normpath(name))
            found.commands += commands
            self.add_file(found, source or name)
        elif name.endswith(".a"):
            rule = next((rule for rule in self.rules if os.path.normpath(name) in rule.targets
                         and any(x.endswith(OBJECTS) for x in rule.prerequisites)), None)
            for one in rule.prerequisites if rule else []:
                if one.endswith(OBJECTS):
                    self.add(found, one)
            if not rule and not self.there(name) and name not in found.missing:
                found.missing.append(name)

    def add_file(self, found, name):
        path = Path(os.path.normpath(self.folder / name))
        if not path.is_file():
            found.missing += [] if name in found.missing else [name]
        elif path not in found.files:
            found.files.append(path)

    def source_of(self, name):
        """(the file that an object is compiled from or None, the commands that do it)"""
        stem, named = os.path.splitext(name)[0], []
        for rule in self.rules:
            if name in rule.targets:
                commands = [rule.command(text, self.values, name) for text in rule.commands]
                given = [x for text in commands for x in inputs(text) if x.endswith(SOURCES)]
                given += [x for x in rule.prerequisites if x.endswith(SOURCES)]
                if given and commands:
                    return given[0], commands
                named += given # what it depends on only, perhaps as a header
        source, commands = self.by_pattern(name, stem)
        beside = [stem + suffix for suffix in SOURCES if self.there(stem + suffix)]
        return next(iter([*filter(None, [source]), *beside, *named]), None), commands

    def by_pattern(self, name, stem):
        """By a rule whose target has a %; the file need not be there where no rule fits better."""
        lacking = (None, [])
        for rule in self.rules:
            for target in rule.targets:
                before, percent, behind = target.partition("%")
                if not percent or not (name.startswith(before) and name.endswith(behind)):
                    continue
                part = name[len(before):len(name) - len(behind)]
                source = rule.prerequisites[0].replace("%", part) if rule.prerequisites else ""
                if not source.endswith(SOURCES):
                    continue
                found = source, [rule.command(text, self.values, name, part)
                                 for text in rule.commands]
                if self.there(source):
                    return found
                lacking = lacking if lacking[0] else found
        here = any(self.there(stem + suffix) for suffix in SOURCES)
        return (None, lacking[1]) if here else lacking


NO_COMPILERS = {"rm", "echo", "mv", "cp", "ar", "ranlib", "mkdir", "touch", "cd", "cat", "diff"}


def inputs(command):
    """The files of a command that it compiles or links."""
    parts = words(command)
    if not parts or os.path.basename(parts[0]) in NO_COMPILERS:
        return []
    return [part for at, part in enumerate(parts)
            if part.endswith((*SOURCES, *OBJECTS, ".a")) and not re.match(r"-|.*[*?]", part)
            and parts[at - 1:at] != ["-o"]]


def nearest(program, root):
    """The Makefile beside the program or above it, read; None: there is none."""
    for folder in [program.parent, *program.parent.parents]:
        for name in NAMES:
            if (folder / name).is_file():
                return Makefile(folder / name)
        if folder == root:
            break
    return None


def linked_of(program, makefile):
    """What the program is linked from as its Makefile says; None: it does not say. Of several
    targets that the file is part of the one that has its name, or the first."""
    found = list(makefile.linked(program)) if makefile else []
    named = [one for one in found if os.path.basename(one.target) == program.stem]
    return next(iter(named + found), None)
