# SPDX-License-Identifier: MIT
"""Which pages of the built book test_pages.py opens: every one, or of those that are many and
alike, which Doxygen made or which are decisions, one in ten.
"""

import re

LISTINGS = re.compile(r"_8\w+|^globals_|_program")
ALIKE = re.compile(r"struct|union|decision|dir|globals|usergroup|")


def pages(folder, every):
    seen = {}
    for path in sorted(folder.glob("*.html")):
        if LISTINGS.search(path.name):
            continue
        kind = ALIKE.match(path.name)[0]
        seen[kind] = seen.get(kind, 0) + 1
        if every or not kind or seen[kind] % 10 == 1:
            yield path
