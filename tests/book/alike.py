# SPDX-License-Identifier: MIT
"""Which pages of the built book test_pages.py opens: every one, or of those that are many and
alike a few: one in four of the chapters, one in thirty of the decisions and of those that Doxygen
made.
"""

import re

LISTINGS = re.compile(r"_8\w+|^globals_|_program")
ALIKE = re.compile(r"lesson|struct|union|decision|dir|globals|usergroup|")
ONE_IN = {"": 1, "lesson": 4}


def pages(folder, every):
    seen = {}
    for path in sorted(folder.glob("*.html")):
        if LISTINGS.search(path.name):
            continue
        kind = ALIKE.match(path.name)[0]
        seen[kind] = seen.get(kind, 0) + 1
        if every or (seen[kind] - 1) % ONE_IN.get(kind, 30) == 0:
            yield path
