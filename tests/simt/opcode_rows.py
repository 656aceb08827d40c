# SPDX-License-Identifier: MIT
"""The rows of isa.def, and the writing of one case."""
import os
import random
import re

from opcode_model import vectors, width

HERE = os.path.dirname(os.path.abspath(__file__))
ISA = os.path.join(HERE, "..", "..", "common", "simt", "isa", "isa.def")
OUT = os.path.join(HERE, "opcode_cases.def")


class Row:
    def __init__(self, fields):
        (self.id, self.opcode, self.type, self.source, self.required, self.allowed, self.klass,
         self.form, self.n, self.d, self.a, self.b, self.c, self.fn, self.operation) = fields
        self.required = set(self.required.replace(" ", "").split("|")) - {"0"}
        self.allowed = set(self.allowed.replace(" ", "").split("|")) - {"0"}
        if "M_RND_ANY" in self.allowed:
            self.allowed |= {"M_RND", "M_RN", "M_RZ", "M_RM", "M_RP"}
        self.n = int(self.n)
        self.sources = [self.a, self.b, self.c][:min(self.n, 3)] + (["U32"] if self.n == 4 else [])


def read_text(path):
    """The text of a file of isa/, those that it includes in their places."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    rooms = os.path.dirname(os.path.dirname(ISA))
    return re.sub(r'#include "([^"]+)"', lambda m: read_text(os.path.join(rooms, m[1])), text)


def read_rows():
    text = re.sub(r"//[^\n]*", "", read_text(ISA))
    rows = []
    for body in re.findall(r"ISA_ROW\(([^()]*)\)", text):
        rows.append(Row([f.strip().strip('"') for f in body.split(",")]))
    return rows


def letter(t):
    if t == "PRED":
        return "p"
    w = 32 if t.endswith("X2") else width(t)
    return {8: "h", 16: "h", 32: "r", 64: "d"}[w]


OUTPUT = []
COVERED = set()


def emit(row, text, f, types=None, n=10, tolerance="EXACT", sm=80, dest=None, extra=(),
         inputs=None):
    """One case: `text` with operands %a %b %c %e, results %d (and %q), f(*operands) -> bits."""
    types = list(types if types is not None else row.sources)
    dest = dest or letter(row.d)
    rng = random.Random(row.id + text)
    chosen = inputs if inputs is not None else vectors(rng, types, n)
    chosen = list(extra) + list(chosen)
    parts, seen = [], set()
    for operands in chosen:
        if operands in seen:
            continue
        seen.add(operands)
        result = f(*operands)
        result = result if isinstance(result, tuple) else (result,)
        parts.append(":".join(",".join("%x" % x for x in side) for side in (operands, result)))
    signature = dest + ":" + "".join(letter(t) for t in types)
    head = 'OPCODE_CASE(%s, %d, %s, "%s", "%s",' % (row.id, sm, tolerance, signature, text)
    lines, line = [], ""
    for p in parts:
        if len(line) + len(p) + 1 > 88:
            lines.append(line)
            line = ""
        line += p + " "
    lines.append(line.rstrip())
    OUTPUT.append(head + "\n" + "\n".join('            "%s"' % x for x in lines) + ")")
    COVERED.add(row.id)


def operands_of(n, escaped=False):
    """The first n source operands; escaped for templates that are formatted once more."""
    text = ", ".join(["%a", "%b", "%c", "%e"][:n])
    return text.replace("%", "%%") if escaped else text
