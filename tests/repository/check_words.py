#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words that crept in and that an engineer would have to decode, each with the better one.

    check_words.py              what git would commit, but for the folders in TO_CLEAN
    check_words.py --all        those too
    check_words.py FILE...      these files, wherever they lie

Looks at comments, messages, names and prose alike, in any case of letters. Text between a line with
"words: off" and one with "words: on" is not looked at: a list of such words is allowed to name
them. Prints one line per complaint and exits 1 when there is any.
"""

import re
import sys
from pathlib import Path

from tracked import ROOT, files_of

# Folders and files that are still to be cleaned; this list only shrinks.
TO_CLEAN = []

# Measured or generated data, exercises (generated from the solutions, and then their reader's),
# foreign text, and the two files that quote the words.
NOT_PROSE = re.compile(
    r"(^|/)(data|corpus)/|^exercises/|\.(ptx|png|svg|pdf|zst|expected|jsonl)$|^LICENSE$"
    r"|^tests/repository/(check_words|test_words)\.py$")

COUNTED = (r"(?:threads|lanes|warps|blocks|words|bytes|floats|elements|values|requests|sectors|"
           r"wavefronts|barriers|instructions|operations|atomics|loads|stores|cycles|shuffles|"
           r"launches|passes|partials|bits|times|once|twice|one|two|\d+(?:[.,]\d+)*)")
UNIT = r"(?:warp|block|thread|lane|launch|request|instruction|SM|second|cycle|row|tile)"
# "4 words a block." is a rate; in "the words a block stores" the block is a subject.
RATE_ENDS = r"(?=\s*(?:[.,;:)\]\"'`|]|$|(?:and|or|in|of|with|to|on|for|at|than|is|are|by|as)\b))"

WORDS = [
    (r"nobody|no[- ]one", "no thread, no lane, not ...: say what does not"),
    (r"somebody|someone|anybody", "another thread, a lane: say what does"),
    (r"everybody|everyone", "all threads, every lane: say all of what"),
    (r"whoever|whosoever", "the thread that"),
    (r"himself|herself", "itself: threads and programs are things"),
    (r"(?:threads?|lanes?|warps?|blocks?|kernels?|programs?|launch(?:es)?) who", "that"),
    (r"doings", "operations"),
    (r"(?:the|a|one) doing|doing;|\(doing\)", "operation"),
    (r"meetings?|\w+_meetings?|meetings?_\w+", "reconvergence point"),
    (r"(?-i:(?:\w+_)?homes?(?:_\w+)?)|HOME_\w+",
     "provenance: the shared array an address points into"),
    (r"tellers?", "report"),
    (r"heralds?", "listener"),
    (r"hears?|heard", "listens to, observes"),
    (r"naps?|napping", "skipped turns"),
    (r"(?:\w+_)?told(?:_\w+)?(?! (?:apart|by|how|otherwise|so|that|to|what|which|why))",
     "reported, counted, passed"),
    (r"lonely", "alone, single"),
    (r"put away", "destroy, free"),
    (r"no end in sight", "instruction limit reached"),
    (r"thousand million", "billion"),
    (r"unwritten", "uninitialised; of a report: not written"),
    (r"(?:absent|missing) lanes?", "inactive lane"),
    (r"watched assumptions?", "an assumption that is checked"),
    (r"to be had", "available"),
    (rf"{COUNTED} an? {UNIT}\b{RATE_ENDS}", "per warp, per block, per second: a rate"),
]
PATTERNS = [(re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), better)
            for words, better in WORDS]


def complaints(text):
    """Yields (line, found words, better words)."""
    looking = True
    for number, line in enumerate(text.split("\n"), 1):
        if "words: off" in line:
            looking = False
        elif "words: on" in line:
            looking = True
        if not looking:
            continue
        for pattern, better in PATTERNS:
            for match in pattern.finditer(line):
                yield number, match.group(0).strip(), better


def main():
    arguments = sys.argv[1:]
    if arguments and arguments != ["--all"]:
        names = arguments
    else:
        skipped = () if arguments else tuple(TO_CLEAN)
        names = [name for name in files_of() if not name.startswith(skipped)]
    n_complaints = n_files = 0
    for name in names:
        path = ROOT / name if not Path(name).exists() else Path(name)
        if NOT_PROSE.search(name):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        n_files += 1
        for line, found, better in complaints(text):
            print(f"{name}:{line}: \"{found}\": {better}")
            n_complaints += 1
    print(f"{n_files} files, {n_complaints} complaints")
    return 1 if n_complaints or not n_files else 0


if __name__ == "__main__":
    sys.exit(main())
