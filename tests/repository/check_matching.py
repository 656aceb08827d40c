#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No program decides by the words of a message: causes, faults, findings and refusals are records
(book/decisions/0015). This looks for code that searches a message for text.

    check_matching.py           the C files of common/, and the scripts: all Python but tests
    check_matching.py FILE...   these files

A complaint is a search in, or a comparison of, something that is named like a message (strstr,
strcmp, strncmp, memmem, regexec, simt_str_contains ...) for a text that is spelt out or comes from
a table of words. Names, options and file formats are compared so, and are not named like messages.
Two records' texts may be compared with each other. In Python it is `"words" in said`, a regular
expression or startswith() on such a name. A line that ends with the comment `# matching: WHY` may
search: for what other programs print, which keep no records for us. Tests (test_*.py) hold messages
to their words on purpose. Prints one line per complaint and exits 1 when there is any.
"""

import ast
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


# In Python; a cause is compared as a name there.
SAID = re.compile(r"(?:^|_)(?:message|reason|why|hint|explanation|diagnostic|diag|said|complaint|"
                  r"advice|detail|msg|stderr)s?$", re.IGNORECASE)
SEARCHES = {"search", "match", "fullmatch", "findall", "finditer"} # of a pattern
METHODS = {"startswith", "endswith", "find", "index", "count"} # of a text
ALLOWED = re.compile(r"# matching: \S.*$")


def is_said(node):
    """Whether the expression names a message: its last name or key does, or a part of a sum."""
    if isinstance(node, ast.BinOp):
        return is_said(node.left) or is_said(node.right)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return isinstance(node.slice.value, str) and bool(SAID.search(node.slice.value))
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return bool(SAID.search(name))


def searches(node):
    """Whether the node decides by, or takes out, words of a message."""
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], (ast.In, ast.NotIn)) and is_said(node.comparators[0]) and \
            isinstance(node.left, (ast.Constant, ast.JoinedStr))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    looked_at = [node.func.value] if node.func.attr in METHODS else node.args[:2]
    return node.func.attr in METHODS | SEARCHES and any(map(is_said, looked_at))


def python_complaints(source):
    """Yields (line, text)."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if not searches(node):
            continue
        if not any(map(ALLOWED.search, lines[node.lineno - 1:node.end_lineno])):
            yield node.lineno, ast.unparse(node)


def is_looked_at(name):
    if name.endswith(".py"):
        return not Path(name).name.startswith("test_")
    return name.startswith("common/") and name.endswith((".c", ".h")) and \
        not name.startswith("common/simt/include/")


def main():
    if len(sys.argv) > 1:
        names = [Path(name) for name in sys.argv[1:]]
    else:
        names = [ROOT / name for name in files_of() if is_looked_at(name)]
    found = 0
    for path in names:
        of_language = python_complaints if path.suffix == ".py" else complaints
        for line, call in of_language(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {call}: searches a message; ask a record instead")
            found += 1
    print(f"{len(names)} files, {found} complaints")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
