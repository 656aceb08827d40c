#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No program decides by the words of a message: causes, faults, findings and refusals are records
(book/decisions/0015). This looks for code that searches a message for text.

    check_matching.py           the C files of common/
    check_matching.py FILE...   these files

A complaint is a search in, or a comparison of, something that is named like a message (strstr,
strcmp, strncmp, memmem, regexec, simt_str_contains ...) for a text that is spelt out or comes from
a table of words. Names, options and file formats are compared so, and are not named like messages.
Two records' texts may be compared with each other. Prints one line per complaint and exits 1 when
there is any.
"""

import re
import sys
from pathlib import Path

from tracked import ROOT, files_of

CALL = re.compile(r"\b(strstr|strcasestr|strcmp|strncmp|strcasecmp|strncasecmp|memmem|memcmp|"
                  r"regexec|fnmatch|simt_str_is|simt_str_contains)\s*\(")
MESSAGE = re.compile(r"(?:^|_)(?:message|reason|why|hint|cause|explanation|diagnostic|diag|report|"
                     r"said|complaint|advice|brief|summary|headline|detail|msg)s?$", re.IGNORECASE)
# `text` is also what a program reads (an option, a file): it is a message as the field of a record.
TEXT_FIELD = re.compile(r"(?<!token)(?:->|\.)text$")
# What is searched for decides by words, when it is spelt out or comes out of a table of words.
SPELT_OUT = re.compile(r'"|(?:->|\.)(?:mention|words?|pattern|needle|wanted|phrase)\b'
                       r"|\b[A-Z_]{4,}\b")


def arguments(source, start):
    """The arguments of the call whose parenthesis opens at `start`."""
    depth, found, current, at = 0, [], "", start
    while at < len(source):
        c = source[at]
        if c in "\"'":
            end = at + 1
            while end < len(source) and source[end] != c:
                end += 2 if source[end] == "\\" else 1
            current += source[at:end + 1]
            at = end + 1
            continue
        if c in "([{":
            depth += 1
        if c in ")]}":
            depth -= 1
            if depth == 0:
                return found + [current.strip()]
        if depth >= 1 and not (depth == 1 and c in "(,"):
            current += c
        if c == "," and depth == 1:
            found.append(current.strip())
            current = ""
        at += 1
    return found + [current.strip()]


def code_of(source):
    """Comments become blanks and what is in quotes dots; lines stay where they are."""
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda m: '"' + "." * (len(m.group(0)) - 2) + '"' if m.group(0)[0] == '"'
                       else re.sub(r"[^\n]", " ", m.group(0)), source)


def is_message(argument):
    """Whether the expression names a message: its last name does."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\[[^]]*\]|\([^)]*\)$', "", argument).strip()
    names = re.findall(r"[A-Za-z_]\w*", bare)
    return bool(names) and bool(MESSAGE.search(names[-1]) or TEXT_FIELD.search(bare))


def complaints(source):
    """Yields (line, call)."""
    source = code_of(source)
    for match in CALL.finditer(source):
        given = arguments(source, match.end() - 1)[:3]
        if any(is_message(one) for one in given[:2]) and any(
                SPELT_OUT.search(one) for one in given[:3:2] + given[1:2]):
            yield source.count("\n", 0, match.start()) + 1, f"{match.group(1)}({', '.join(given)})"


def main():
    if len(sys.argv) > 1:
        names = [Path(name) for name in sys.argv[1:]]
    else:
        names = [ROOT / name for name in files_of()
                 if name.startswith("common/") and name.endswith((".c", ".h"))
                 and not name.startswith("common/simt/include/")]
    found = 0
    for path in names:
        for line, call in complaints(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {call}: searches a message; ask a record instead")
            found += 1
    print(f"{len(names)} files, {found} complaints")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
