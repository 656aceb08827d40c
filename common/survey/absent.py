# SPDX-License-Identifier: MIT
"""Does a program end because a file is not there? By what it says, and by what it is run with: a
name counts only where there really is no such file."""

import os
import re

UNOPENED = re.compile(
    r"no such (?:file|folder|directory)|\bfiles?\b.{0,200}\bnot (?:found|available)|"
    r"\bfiles? not found|error\W{1,3}opening|\bfile open(?:ing)? fail|"
    r"(?:can(?:no|')t|could not|couldn't|unable to|not able to|fail(?:ed)? to|error) "
    r"(?:open\w*|read\w*|find|load\w*|import\w*|stat|access)\b|"
    r"\bcan(?:not|'t) be (?:opened|read|found|loaded)|\bbad file\b|\bdoes not exist\b|"
    r"\b(?:images?|labels?|data(?:sets?)?|inputs?) not found|\bwas not opened|"
    r"missing (?:input|file)|"
    # Chinese: cannot load, open, read, find; does not exist
    r"\u65e0\u6cd5(?:\u52a0\u8f7d|\u6253\u5f00|\u8bfb\u53d6|\u627e\u5230)|\u4e0d\u5b58\u5728",
    re.IGNORECASE)
VARIABLE = re.compile(r"^.*\b(?:set|define|export)\b.{0,40}\benvironment variable\b.*$|"
                      r"^.*\benvironment variable\b.{0,60}\b(?:not|must be|should be) (?:be )?"
                      r"(?:set|defined)\b.*$", re.IGNORECASE | re.MULTILINE)
# A C library's line of an assert() that looks at a file or at what opened it.
ASSERTION = re.compile(r"^.*\bAssertion `(?P<asserted>.*)' failed\.?$", re.MULTILINE)
ABOUT_FILES = re.compile(r"file|\bf(?:p|d|in|s)?\b|exists|is_open|\bif?s\b|stream|open|path",
                         re.IGNORECASE)
NAME = re.compile(r"[\w.+~-]*(?:/[\w.+~-]*)+|[\w+-]+(?:\.[\w+-]+)+")
NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?f?$", re.IGNORECASE)
SUFFIX = re.compile(r"\.[A-Za-z]\w{0,8}$")
WRITTEN = re.compile(r"out|result|\blog|save|dump", re.IGNORECASE)


class Asked:
    """What a program was run with, and where: names are looked for in these folders. reads: how its
    text reads arguments (sources.reads_arguments); opened: files that it opens by name."""

    def __init__(self, given=(), folders=(), reads="", opened=()):
        self.given, self.folders = list(given), list(folders)
        self.reads, self.opened = reads, list(opened)

    def lacks_arguments(self, silent):
        """Whether a program that failed was given no argument and wants one: it never asks whether
        there is one, or asks and ends without a word."""
        return not self.given and (self.reads == "unasked" or (self.reads == "asked" and silent))

    def there(self, name):
        return any(os.path.exists(os.path.join(folder, name)) for folder in self.folders)

    def files(self, written=False):
        """Arguments that look like files to be read; written: also those with a result's name."""
        for at, one in enumerate(self.given):
            name = one.partition("=")[2] if one.startswith("-") else one
            if not name or NUMBER.match(name) or not ("/" in name or SUFFIX.search(name)):
                continue
            named_so = WRITTEN.search(os.path.basename(name.rstrip("/")))
            option = self.given[at - 1] if at else ""
            if not re.fullmatch(r"--?o(?:ut\w*)?", option) and (written or not named_so):
                yield name

    def absent(self):
        """Those that are not there; of files with a result's name only what stands first."""
        found = [name for name in self.files() if not self.there(name)]
        return found or [name for name in [*self.files(True)][:1] if not self.there(name)]

    def named_in(self, line):
        """The file named in a line that is not there, or None."""
        names = [name.rstrip(".") for name in NAME.findall(line)]
        names += [word for word in re.split(r"[\s'\"<>:,]+", line) if word in self.given]
        return next((name for name in names if len(name) > 1 and not NUMBER.match(name)
                     and not self.there(name)), None)


def split(output):
    """(the lines that speak of files not found, the text without them)"""
    lines = output.splitlines()
    about = [line.strip() for line in lines if UNOPENED.search(line) or asserts_a_file(line)]
    return about, "\n".join(line for line in lines if line.strip() not in about)


def asserts_a_file(line):
    asserted = ASSERTION.search(line)
    return bool(asserted and ABOUT_FILES.search(asserted["asserted"]))


def needed(lines, asked, launched, silent):
    """(the file that a failing program needs, the line that says so, or ""); None: no file that is
    not there has to do with it. lines: what it says of files; launched: whether kernels were, with
    which only a line that names a file counts; silent: it says nothing else that failed."""
    for line in lines:
        name = None if asserts_a_file(line) else asked.named_in(line)
        if name:
            return name, line
    missing = asked.absent()
    if launched or not missing:
        return None
    if lines:
        return missing[0], lines[0]
    # It says nothing: what it reads first is not there.
    return (missing[0], "") if silent and next(asked.files(), None) == missing[0] else None
