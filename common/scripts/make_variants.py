#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes exercises that differ from the published ones, so that a published solution does not pass.

    make_variants.py SEED FOLDER [--from SOLUTIONS]

FOLDER gets exercises/NN_name.cu, what students edit, and solutions/ with solution and rubric of
each. An exercise without variants is there as it is published. SEED, a number, chooses where an
exercise has several; the same one makes the same files.

The variants of an exercise are in solutions/NN_name.variants:

    variant min
    say maximum => minimum
    say block_max => block_min

Solution and statement are the published ones in other words: at each place the longest phrase that
fits wins, and a phrase that begins or ends with a letter, a digit or _ stands there as whole words.
The rubric gets the same lines (common/workbook/rubric.h): the suite judges the variant of that
name, and its texts are in those words, too. A phrase that stands nowhere is an error.
"""

import argparse
import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES, MOST_SAYS = 95, 48  # of a phrase, of phrases: what a rubric takes
WANTED = "wanted: variant NAME, say WORDS => OTHER WORDS, or a comment after #"


class Wrong(Exception):
    """What is wrong with a file, and where."""


def read_variants(path):
    """[(name, [(from, to)])] of a file NN_name.variants; none where there is no such file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()
                                  if path.exists() else [], 1):
        line = line.strip()
        variant = re.fullmatch(r"variant ([a-z0-9_]{1,31})", line)
        say = re.fullmatch(r"say (.+?) => (.+)", line)
        if variant:
            found.append((variant[1], []))
        elif say and found and max(map(len, map(str.encode, say.groups()))) <= MOST_BYTES:
            found[-1][1].append(say.groups())
        elif line and not line.startswith("#"):
            raise Wrong(f"{path}:{number}: the line cannot be read, or comes before any variant; "
                        f"{WANTED}")
        if found and len(found[-1][1]) > MOST_SAYS:
            raise Wrong(f"{path}:{number}: a variant has at most {MOST_SAYS} phrases")
    return found


def pattern_of(phrase):
    before = r"(?<!\w)" if re.match(r"\w", phrase) else ""
    after = r"(?!\w)" if re.search(r"\w$", phrase) else ""
    return before + re.escape(phrase) + after


def reworded(text, says):
    """The text in the variant's words; says: [(from, to)]."""
    if not says:
        return text
    words = dict(says)
    phrases = sorted(words, key=len, reverse=True)
    return re.sub("|".join(map(pattern_of, phrases)), lambda found: words[found[0]], text,
                  flags=re.ASCII)


def check_phrases(path, says, texts):
    for phrase, _ in says:
        if not any(re.search(pattern_of(phrase), text, re.ASCII) for text in texts):
            raise Wrong(f"{path}: the phrase '{phrase}' stands neither in the solution nor in the "
                        f"suite; it must be spelled as it is there")


def choose(seed, name, variants):
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return variants[int.from_bytes(digest[:8], "big") % len(variants)] if variants else ("", [])


def suite_text(name):
    """What the suite says, with strings that go over several lines in one piece."""
    paths = sorted((ROOT / "tests").glob(f"{name}*.c"))
    return re.sub(r'"\s*\n\s*"', "", "".join(path.read_text(encoding="utf-8") for path in paths))


def make_one(name, seed, source, folder):
    """Writes one exercise; returns its variant's name, "" for none."""
    path = source / f"{name}.variants"
    solution = (source / f"{name}.cu").read_text(encoding="utf-8")
    variant, says = choose(seed, name, read_variants(path))
    check_phrases(path, says, (solution, suite_text(name)))
    place = folder / "solutions" / f"{name}.cu"
    place.write_text(reworded(solution, says), encoding="utf-8")
    rubric = source / f"{name}.rubric"
    if rubric.exists():
        lines = [f"variant {variant}"] + [f"say {a} => {b}" for a, b in says] if variant else []
        text = rubric.read_text(encoding="utf-8") + "".join(f"{line}\n" for line in lines)
        (folder / "solutions" / rubric.name).write_text(text, encoding="utf-8")
    stub = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", "--from",
                           folder / "solutions", name], check=True, capture_output=True, text=True)
    (folder / "exercises" / f"{name}.cu").write_text(stub.stdout, encoding="utf-8")
    return variant


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="source", type=Path, default=ROOT / "solutions")
    arguments = parser.parse_args()
    if not re.fullmatch(r"[0-9]{1,18}", arguments.seed):
        print(f"VARIANT_SEED is '{arguments.seed}': a whole number is needed", file=sys.stderr)
        return 2
    names = sorted(path.stem for path in arguments.source.glob("*.cu"))
    try:
        for part in ("exercises", "solutions"):
            (arguments.folder / part).mkdir(parents=True, exist_ok=True)
        made = {name: make_one(name, int(arguments.seed), arguments.source, arguments.folder)
                for name in names}
    except (Wrong, OSError) as error:
        print(f"make_variants.py: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"make_variants.py: {error.stderr.strip()}", file=sys.stderr)
        return 2
    chosen = ", ".join(f"{name}: {variant}" for name, variant in made.items() if variant)
    print(f"Variants of seed {int(arguments.seed)}: {chosen}. Stubs: {arguments.folder}/exercises")
    return 0


if __name__ == "__main__":
    sys.exit(main())
