# SPDX-License-Identifier: MIT
"""What the commands of a Makefile say: flags, the architecture, how a program is run."""

import os
import re
from pathlib import Path

from makefiles import linked_of, words

# Flags that matter here; those about machine code and a toolkit's folders do not, nor do a C
# compiler's (-std=c99). Architectures are dealt with by themselves.
ALONE = re.compile(r"-(D\S+|-?std=(?:c|gnu)\+\+\S+|"
                   r"l\w\S*|O[0-3]|rdc=true|dc|-?(?:fmad|ftz|prec-div|prec-sqrt)=\S+|"
                   r"use_fast_math|fopenmp|G|"
                   r"-?expt-\S+|-?extended-lambda|-use_fast_math|-default-stream=\S+)$")
OPENMP = re.compile(r"-Xcompiler[= ,].*-?fopenmp|/openmp")
ARCHITECTURE = re.compile(r"\b(?:sm|compute)_(\d+)(a?)\b")
# The software GPU's device, and the oldest that today's nvcc compiles for. What names none between
# them is compiled for the device, as a person would do who has that GPU.
DEVICE, OLDEST = 90, 75


# ---- Flags.

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


def flags_of(program, makefile):
    """(flags, architecture): of the commands that make the program; where that is not known, of
    those that name it, or else of all."""
    linked = linked_of(program, makefile)
    commands = linked.commands if linked else []
    if not commands:
        every = [(" ".join(rule.targets + rule.prerequisites), text)
                 for rule, text in makefile.commands() if re.search(r"-\w", text)]
        commands = [text for head, text in every
                    if re.search(rf"\b{re.escape(program.stem)}\b", head + " " + text)]
        commands = commands or [text for _, text in every]
    flags = []
    for text in commands:
        flags += flags_in(text, makefile.folder)
    return flags, architecture(" ".join(commands))


def architecture(text):
    """The flag for the newest architecture that `text` names and that both the compilers and the
    device have; without one, for the device's own."""
    named = [(int(number), letter) for number, letter in ARCHITECTURE.findall(text)
             if OLDEST <= int(number) <= DEVICE]
    number, letter = max(named, default=(DEVICE, ""))
    return f"-arch=compute_{number}{letter}" # PTX: machine code would not be run


# ---- How it is run.

class Call:
    """arguments; folder: where it is run; environment: what stands before the command; base: the
    folder of which the program gets a copy; name: what the program is called in what it prints."""

    def __init__(self, arguments, folder, environment=None, base=None, name="program"):
        self.arguments, self.folder, self.base = arguments, folder, base or folder
        self.environment, self.name = environment or {}, name

    def other(self, arguments):
        """The same with other arguments."""
        return Call(arguments, self.folder, self.environment, self.base, self.name)


ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)$", re.DOTALL)
ENDS = re.compile(r"[0-9]*[<>|;&]")
FORBIDDEN = re.compile(r"^(?:PATH|HOME|TMPDIR|LD_\w+|SIMT_\w+|TIMES)$")


def calls(program, makefile):
    """How the Makefile runs the program: commands that are its name or its target's behind a slash,
    up to a redirection, in the order of the file."""
    return calls_named({program.stem, *(os.path.basename(one.target)
                                        for one in makefile.linked(program))}, makefile)


def calls_beside(program, makefile):
    """How it runs what it makes of files beside a program that it does not name."""
    if next(makefile.linked(program), None):
        return []
    beside = [path for path in program.parent.glob("*.cu") if path != program]
    return calls_named({os.path.basename(one.target) for path in beside
                        for one in makefile.linked(path)}, makefile)


def calls_named(stems, makefile):
    name = re.compile(rf"\S*/(?:{'|'.join(map(re.escape, sorted(stems)))})(?:\.(?:out|exe|x))?")
    found = []
    for _, text in makefile.commands():
        folder = makefile.folder
        for part in re.split(r"&&|;", text):
            parts, environment = words(part), {}
            if parts[:1] == ["cd"] and len(parts) == 2:
                folder = Path(os.path.normpath(folder / parts[1]))
            while parts and (match := ASSIGNED.match(parts[0])):
                if not FORBIDDEN.match(match.group(1)):
                    environment[match.group(1)] = match.group(2)
                parts = parts[1:]
            parts = parts[1:] if parts[:1] == ["time"] else parts
            if parts and name.fullmatch(parts[0]):
                ends = [at for at, one in enumerate(parts) if ENDS.match(one)]
                found.append(Call(parts[1:min(ends, default=len(parts))], folder, environment))
    return found
