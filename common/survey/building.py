# SPDX-License-Identifier: MIT
"""Builds one program, unmodified, with one compiler. What is missing is added as a person would:
a header's folder, a neighbouring file that defines a name, -rdc=true. What cannot be added is
named.

Decides by the words of clang, gcc, nvcc and ld, which keep no records.
"""

import re
from pathlib import Path

import makefiles
import sources
from foreign import ADVICE, LIBRARIES, TOOLKIT, flags_for, library_of_header, library_of_name

ROUNDS = 24  # additions to one command line
HEADER = [re.compile(r"'([^'\n]+)' file not found"),
          re.compile(r"fatal error: ([^:\n]+): No such file or directory"),
          re.compile(r'could not open source file "([^"\n]+)"')]
UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`']?([^'\n]+?)'?$", re.MULTILINE)
DEVICE_UNDEFINED = [re.compile(r"device code uses '([^']+)'"),
                    re.compile(r"Unresolved extern (?:function|variable) '([^']+)'"),
                    re.compile(r"Undefined reference to '([^']+)'")]
ERROR = re.compile(r"^(?:(.*?)[:(](\d+)[):].*?)?\b(?:fatal )?error\s*:? ?(.*)$", re.MULTILINE)
OWN_ERROR = re.compile(r"^simtcc: error: (.*)$", re.MULTILINE)
ASSERTED = re.compile(r"^static assertion failed(?: due to requirement '[^']*')?(?: with)?:? *")
# What nvcc, or simtcc, says of a flag that a text needs, and the flag.
ASKED = [(re.compile(r"requires --extended-lambda"), "--extended-lambda"),
         (re.compile(r"'--expt-relaxed-constexpr' (?:can|to)|\"--expt-relaxed-constexpr\" can"),
          "--expt-relaxed-constexpr"),
         (re.compile(r"requires separate compilation mode|compile with -rdc=true"), "-rdc=true")]
# A standard that a header asks for.
STANDARD = re.compile(r"\b(?:requires|needs) at least C\+\+(\d\d)\b|"
                      r"C\+\+(\d\d) or (?:later|newer|higher) is required")
OF_STANDARD = re.compile(r"--?std=(?:c|gnu)\+\+\d\d$")
PTXAS = re.compile(r"^ptxas .*, line \d+; error\s*: (.*)$", re.MULTILINE)
TWICE = re.compile(r"multiple definition of [`']")
UNKNOWN = [re.compile(r"use of undeclared identifier '([^']+)'"),
           re.compile(r"unknown type name '([^']+)'"),
           re.compile(r"no (?:member|template|type) named '([^']+)'"),
           re.compile(r'identifier "([^"]+)" is undefined'),
           re.compile(r"no matching function for call to '([^']+)'")]


class Build:
    """good: there is a program at `path`. outcome "needs" or "refused" otherwise, with a reason."""

    def __init__(self):
        self.good, self.path, self.output, self.flags, self.linked = False, None, "", [], []
        self.beside = []  # files that CMake's files link with it
        self.libraries = []  # flags for those that are installed, behind the files
        self.missing = []  # files that the Makefile, or CMake's, names and that are not there
        self.outcome, self.reason, self.feature, self.change = "", "", "", ""
        self.place = ""  # "file:line" of the error that ends it
        self.out_of_time = False

    def record(self):
        return {"flags": self.flags + self.libraries, "linked": self.linked}


def first(patterns, text):
    for pattern in patterns:
        match = pattern.search(text)
        if match:
            return match.group(1).strip()
    return None


class Builder:
    def __init__(self, root, fence, limits, folders=(), toolkit=None):
        """folders: where headers lie that no program of `root` has; toolkit: a CUDA toolkit's."""
        self.root, self.fence, self.limits = root, fence, limits
        self.roots, self.toolkit = [root, *folders], toolkit
        self.headers = [sources.Headers(folder) for folder in self.roots]

    def build(self, compiler, program, out):
        build = Build()
        build.path = str(Path(out) / "program")
        makefile = makefiles.nearest(program, self.root)
        flags = sources.flags_of(program, self.root, makefile)
        flags = [flag for flag in flags if not flag.startswith("-l") or flag[2:] in LIBRARIES]
        build.flags = ["-I", str(program.parent)] + flags
        linked = makefiles.linked_of(program, makefile)
        files = self.files_of(program, linked)
        build.beside, build.missing = ([], linked.missing) if linked else \
            sources.cmake_linked(program, self.root)
        for _ in range(ROUNDS):
            command = [str(compiler), "-w", *build.flags, *map(str, files), "-o", build.path,
                       *build.libraries]
            done = self.fence.run(command, None, [out], {}, self.limits)
            build.output = done.output
            if done.good:
                build.good = True
                break
            build.out_of_time = done.out_of_time
            if linked and TWICE.search(build.output): # not what the Makefile makes, it seems
                files, linked = self.files_of(program, None), None
            elif done.out_of_time or not self.add_missing(build, program, files):
                break
        build.linked = [path.name for path in files[1:]]
        if not build.good:
            self.explain(build, program, compiler)
        return build

    def files_of(self, program, linked):
        """What to begin with: the files that the Makefile links, those of `root` and beside; else
        the program's own, and CUDA files beside a main in C or C++."""
        if linked:
            return [program, *(path for path in linked.files if path != program
                               and path.is_relative_to(self.root))]
        if program.suffix != ".cu":
            return [program, *(path for path in sources.neighbours(program)
                               if path.suffix == ".cu")]
        return [program]

    def add_missing(self, build, program, files):
        """Adds a flag or a file that the output asks for; False: there is none."""
        if TWICE.search(build.output) and program.suffix != ".cu" and len(files) > 2:
            files.pop() # neighbours that are each other's alternatives: the first ones are kept
            return True
        if add_asked(build):
            return True
        header = first(HEADER, build.output)
        if header == "omp.h" and "-fopenmp" not in build.flags:
            build.flags += ["-Xcompiler", "-fopenmp"] # simtcc finds the header with it
            return True
        if header:
            found = (headers.folder_of(header, program) for headers in self.headers)
            folder = next(filter(None, found), None) or self.toolkit_with(header)
            if folder and str(folder) not in build.flags:
                build.flags += ["-I", str(folder)]
                return True
            return False
        device = first(DEVICE_UNDEFINED, build.output)
        if device and "-rdc=true" not in build.flags:
            build.flags.append("-rdc=true")
            return True
        names = dict.fromkeys(([device] if device else []) + UNDEFINED.findall(build.output))
        if self.add_defining(build, program, files, names):
            return True
        if any(library_of_name(name) == "OpenMP" for name in names) and \
                "-fopenmp" not in build.flags:
            build.flags += ["-Xcompiler", "-fopenmp"]
            return True
        return False

    def add_defining(self, build, program, files, names):
        """Adds the installed libraries of the names, and a file that defines one of the others;
        False: there is neither."""
        included = [Path(value) for flag, value in zip(build.flags, build.flags[1:])
                    if flag == "-I" and not {Path(value), *Path(value).parents}.isdisjoint(
                        self.roots)]
        libraries = dict.fromkeys(flag for name in names for flag in flags_for(name))
        libraries = [flag for flag in libraries if flag not in build.libraries]
        build.libraries += libraries
        for name in names:
            if libraries and flags_for(name):
                continue
            more = [path for path in sources.defining(program, name, included, build.beside)
                    if path not in files]
            if more:
                files += [path for path in build.beside if path not in files] \
                    if more[0] in build.beside else more[:1]
                return True
        return bool(libraries)

    def toolkit_with(self, header):
        """The toolkit's folder of headers, if it has this one: a program may include a library's
        header and use nothing of it. Thrust and CUB are nothing but headers, which clang does not
        take."""
        there = self.toolkit and library_of_header(header) not in TOOLKIT and \
            (self.toolkit / header).is_file()
        return self.toolkit if there else None

    def explain(self, build, program, compiler):
        build.outcome = "refused"
        if build.out_of_time:
            build.outcome, build.reason = "slow", "the compiler ran out of time or memory"
            build.change = "allow more (--cpu, --memory)"
            return
        header = first(HEADER, build.output)
        if header:
            self.explain_header(build, header)
            return
        undefined = UNDEFINED.findall(build.output)
        missing = re.search(r"cannot find -l(\S+)", build.output)
        libraries = [library_of_name(name) for name in undefined]
        libraries += [missing.group(1)] if missing else []
        if any(libraries):
            needs(build, next(filter(None, libraries)))
            return
        if undefined and build.missing:
            needs(build, build.missing[0])
            build.reason = f"needs the file {build.missing[0]}, which it is to be linked from"
            build.change = "put it there: the folder has no such file"
            return
        if undefined:
            build.feature = undefined[0]
            build.reason = f"'{undefined[0]}' is not defined"
            build.change = "link the file or library that defines it"
            return
        self.explain_error(build, program, compiler)

    def explain_header(self, build, header):
        library = library_of_header(header)
        if library:
            needs(build, library)
        else:
            build.outcome, build.feature = "needs", header
            build.reason = f"needs the header {header}"
            build.change = "name the folder that it lies in: --headers"

    def explain_error(self, build, program, compiler):
        name = Path(compiler).name
        match = ERROR.search(build.output)
        build.feature = first(UNKNOWN, build.output) or ""
        own = OWN_ERROR.search(build.output)
        if own:  # the sentence that simtcc has for what clang says of each place
            build.reason = own.group(1).replace(f"{self.root}/", "")
            return
        if not match:
            assembled = PTXAS.search(build.output)
            twice = re.search(r".*multiple definition of [`'].*", build.output)
            last = [line for line in build.output.splitlines() if line.strip()][-1:]
            said = f"{name} failed{': ' + last[0].strip() if last else ''}"
            said = assembled.group(1) if assembled else twice.group(0) if twice else said
            build.reason = said.replace(f"{self.root}/", "")
            return
        build.reason = ASSERTED.sub("", match.group(3).strip().strip('"'))
        if match.group(1):
            build.place = f"{Path(match.group(1).strip()).name}:{match.group(2)}"
            build.reason = f"{build.place}: {build.reason}"
        library = library_of_name(build.feature)
        if library:
            needs(build, library)


def add_asked(build):
    """Adds the flag that the output asks for by its name, or a newer standard."""
    for words, flag in ASKED:
        if words.search(build.output) and flag not in build.flags:
            build.flags.append(flag)
            return True
    wanted = STANDARD.search(build.output)
    newer = max(map(int, filter(None, wanted.groups())), default=0) if wanted else 0
    given = [int(flag[-2:]) for flag in build.flags if OF_STANDARD.match(flag)]
    if not given or newer <= max(given): # without one the compilers' own default is newer
        return False
    build.flags = [f"-std=c++{newer}" if OF_STANDARD.match(flag) else flag
                   for flag in build.flags]
    return True


def needs(build, library):
    build.outcome, build.feature = "needs", library
    build.reason = f"needs {library}"
    build.change = ADVICE.get(library, "")
