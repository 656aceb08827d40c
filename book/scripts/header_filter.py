#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Doxygen input filter: lets it read the plain // comments of our headers.

A comment block above a declaration becomes its documentation, a comment behind code that of the
member before it, and the block at the head of the file the file's own. Text is escaped, so that
an '@p' or '<<<' in a comment stays text. Line numbers do not change.
"""

import re
import sys

TRAILING = re.compile(r'^(?P<code>.*[;,{}\w)]\s*)//(?!/)\s?(?P<text>.*)$')
WHOLE = re.compile(r"^(?P<indent>\s*)//(?!/)\s?(?P<text>.*)$")


def escape(text):
    """`text` as Doxygen must read it to show it unchanged; `code` that ends on the line stays."""
    text = re.sub(r"\bfile:line\b", "file and line", text)  # else Doxygen makes a link of it
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        plain = parts[i].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        parts[i] = re.sub(r"[@\\#%*`~|]", lambda m: "\\" + m[0], plain)
    return "".join(parts)


def filtered(lines):
    at_head, trailing = True, False
    for number, line in enumerate(lines):
        if "SPDX-License-Identifier" in line:
            yield "/** @file" if number == 0 else "//"
            continue
        whole = WHOLE.match(line)
        if at_head and whole:
            yield escape(re.sub(r"^[\w/]+\.h - (\w)", lambda m: m[1].upper(), whole["text"]))
            continue
        if at_head:
            at_head = False
            yield "*/ " + line
            continue
        behind = None if whole or '"' in line else TRAILING.match(line)
        if line.lstrip().startswith("#"):
            yield line
            trailing = False
        elif whole:
            mark = "///< " if trailing and len(whole["indent"]) > 4 else "/// "
            yield whole["indent"] + mark + escape(whole["text"])
        elif behind:
            yield behind["code"] + "///< " + escape(behind["text"])
            trailing = True
        else:
            yield line
            trailing = False


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in filtered(file.read().splitlines()):
            print(line)


if __name__ == "__main__":
    main()
