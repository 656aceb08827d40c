# SPDX-License-Identifier: MIT
"""The picture of all-reduce: who sends to whom in each round of a star, a tree and a ring.

The rounds are worked out here, as the chapter has them. What each link carries is then compared
with what the software GPU counted when the lesson's program ran: a picture that says anything else
is not drawn.
"""

import json
import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from svg import Picture

GPUS, N = 4, 1 << 14  # elements in all
VECTOR = N // GPUS * 4  # bytes
PANEL, GAP, LEFT, ROUND = 226, 41, 28, 30  # sizes in the picture


def star():
    """Rounds of (from, to, bytes, what is done)."""
    others = range(1, GPUS)
    return [[(d, 0, VECTOR, "add") for d in others], [(0, d, VECTOR, "copy") for d in others]]


def tree():
    up, distance = [], 1
    while distance < GPUS:
        up.append([(d + distance, d, VECTOR, "add")
                   for d in range(0, GPUS - distance, 2 * distance)])
        distance *= 2
    return up + [[(to, sender, size, "copy") for sender, to, size, _ in way]
                 for way in reversed(up)]


def ring():
    def way(what):
        return [(d, (d + 1) % GPUS, VECTOR // GPUS, what) for d in range(GPUS)]
    return [way("add")] * (GPUS - 1) + [way("copy")] * (GPUS - 1)


WAYS = {"star": star, "tree": tree, "ring": ring}


def counted(build, variant):
    """{(from, to): bytes} of the variant's last run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {name: text for name, text in os.environ.items()
                       if not name.startswith("SIMT_")}
        environment |= {"SIMT_REPORT": str(report), "SIMT_DEVICES": str(GPUS)}
        subprocess.run([build / "lessons/13_many_gpus", "--variant", variant, "--n", str(N)],
                       env=environment, check=True, capture_output=True, timeout=120)
        links = json.loads(report.read_text(encoding="utf-8"))["links"]
    kinds = ("copied_bytes", "read_bytes", "written_bytes", "atomic_bytes")
    found = {(link["from"], link["to"]): sum(link[kind] for kind in kinds) for link in links}
    return {link: size for link, size in found.items() if size}


def by_link(rounds):
    total = Counter()
    for transfers in rounds:
        for sender, to, size, _ in transfers:
            total[sender, to] += size
    return dict(total)


def busiest(links):
    """The most that one GPU sends or receives."""
    sides = Counter()
    for (sender, to), size in links.items():
        sides["sends", sender] += size
        sides["receives", to] += size
    return max(sides.values())


def draw_round(p, x, y, transfers):
    """One line per transfer, from its sender to a dot at the receiver."""
    def at(gpu):
        return x + LEFT + gpu * (PANEL - 2 * LEFT) / (GPUS - 1)
    steps = sorted(transfers, key=lambda one: abs(one[0] - one[1]))
    level = 0
    for sender, to, size, what in steps:
        far = len({abs(one[0] - one[1]) for one in steps}) > 1 and abs(sender - to) > 1
        level = level + 7 if far else 0
        kind, dot = ("i-arrow", "i-a") if what == "add" else ("i-to-b", "i-b")
        p.line(at(sender), y + level, at(to), y + level, kind)
        p.dot(at(to), y + level, 3, dot, f"GPU {sender} to GPU {to}: {size:,} bytes")


def draw_way(p, x, name, rounds, links):
    p.text(x, 14, name, "i-bold")
    for gpu in range(GPUS):
        left = x + LEFT + gpu * (PANEL - 2 * LEFT) / (GPUS - 1)
        p.text(left, 32, f"GPU {gpu}", "i-small", "middle")
        p.line(left, 38, left, 38 + ROUND * len(rounds), "i-line i-faint")
    y = 48
    for number, transfers in enumerate(rounds):
        p.text(x - 2, y + 4, number + 1, "i-small i-dim")
        draw_round(p, x, y, transfers)
        y += ROUND
    for line, text in enumerate((f"{len(rounds)} rounds",
                                 f"busiest GPU: {busiest(links) / VECTOR:g} vectors each way",
                                 f"all links: {sum(links.values()) / VECTOR:g} vectors")):
        p.text(x, 48 + ROUND * 2 * (GPUS - 1) + 13 * line, text, "i-small")


def all_reduce(traces, _data):
    p = Picture(3 * PANEL + 2 * GAP + 16, f"all-reduce on {GPUS} GPUs: who sends to whom in each "
                "round of a star, a tree and a ring")
    for column, (name, way) in enumerate(WAYS.items()):
        rounds, links = way(), counted(traces.build, name)
        assert by_link(rounds) == links, f"{name}: the links carried {links}, not what is drawn"
        draw_way(p, 8 + column * (PANEL + GAP), name, rounds, links)
    p.text(8, 48 + ROUND * 2 * (GPUS - 1) + 48, "Blue: what comes is added. Green: what comes is "
           "the sum, and is copied. In star and tree a transfer is a whole vector, in the ring a "
           "quarter of one.", "i-small")
    return p.save()


PICTURES = {"all_reduce": all_reduce}
