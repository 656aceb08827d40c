# SPDX-License-Identifier: MIT
"""Recorded launches of the lessons' programs, for pictures; book/lab/trace.c has the format."""

import json
import os
import struct
import subprocess

LANES = range(32)


class Traces:
    """Runs BUILD/book/lab/trace_NN_name; each launch is recorded once."""

    def __init__(self, build):
        self.build, self.known = build, {}

    def entries(self, lesson, variant, n, block, launch=1, which=0, schedule=None):
        """All that the program says while it records."""
        command = [self.build / "book" / "lab" / f"trace_{lesson}", "--json",
                   "--variant", variant, "--n", str(n), "--block", str(block)]
        asked = {"LAB_TRACE": f"{launch}:{which}", "SIMT_SCHEDULE": schedule or "lockstep"}
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, **asked})
        return [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"], done

    def steps(self, lesson, variant, n, block, launch=1, which=0, schedule=None):
        """The steps of block `which` in launch number `launch`."""
        key = (lesson, variant, n, block, launch, which, schedule)
        if key not in self.known:
            entries, done = self.entries(*key)
            steps = [entry for entry in entries if "w" in entry]
            if not steps:
                said = " ".join(map(str, done.args))
                raise ValueError(f"nothing recorded by {said}: {done.stderr}")
            texts = {}
            for step in steps:
                texts.setdefault(step["p"], step.get("x", ""))
                step["x"] = " ".join(texts[step["p"]].split())
                step["lanes"] = [lane for lane in LANES if step["m"] >> lane & 1]
            self.known[key] = steps
        return self.known[key]

    def blocks(self, lesson, variant, n, block, n_blocks, launch=1, schedule=None):
        """The steps of the first blocks of a launch in the order in which they ran, each with its
        block as "block". Each block is recorded in a run of its own; the runs are alike."""
        found = [{**step, "block": which} for which in range(n_blocks)
                 for step in self.steps(lesson, variant, n, block, launch, which, schedule)]
        return sorted(found, key=lambda step: step["t"])


def accesses(steps, kind, space):
    """The steps that access memory so."""
    return [s for s in steps if "a" in s and s["a"]["kind"] == kind and s["a"]["space"] == space]


def additions(steps):
    """The steps that add floats."""
    return [s for s in steps if s["x"].startswith("add.f32") or s["x"].startswith("add.rn.f32")]


def rounds(steps):
    """The steps cut where the block's barrier completes."""
    parts = [[]]
    for step in steps:
        parts[-1].append(step)
        if step.get("b") == "done":
            parts.append([])
    return parts


def words_after(steps, n_words):
    """Shared memory after the steps, as floats; None: never written."""
    bits = [0xA5A5A5A5] * n_words
    for step in steps:
        for word, _, after in step.get("s", ()):
            if word < n_words:
                bits[word] = after
    return [None if b == 0xA5A5A5A5 else struct.unpack("f", struct.pack("I", b))[0] for b in bits]
