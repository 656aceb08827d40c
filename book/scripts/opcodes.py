# SPDX-License-Identifier: MIT
"""The opcode table of the book, from isa.def: one section a class, one line a form of an opcode,
its types side by side. Modifiers are spelt as in PTX; those that stand for a choice are named."""

import re

from tables import cell, code, table

ROW = re.compile(r'ISA_ROW\(\s*(\w+)\s*,\s*"([^"]+)"\s*,\s*(\w+)\s*,\s*(\w+)\s*,([^,]+),([^,]+),'
                 r'\s*(\w+)\s*,\s*(\w+)')

# Words of isa.def that name a choice rather than one modifier.
CHOICES = {
    "RND": "rounding", "RND_ANY": "rounding", "RNDI": "rounding to integer", "CMP": "comparison",
    "BOOL": "and, or, xor", "VEC": "v2, v4", "HINT": "cache hint", "SCOPE": "scope",
    "SPACE": "space", "LOAD": "space, order, scope, v2, v4, cache hint",
    "STORE": "space, order, scope, v2, v4, cache hint",
    "ATOM": "space, order, scope", "RED": "space, order, scope", "SHFL": "up, down, bfly, idx",
    "PRMT": "mode", "TEST": "test", "SHIFTAMT": "shift mode",
}
ALONE = {"LEFT": "l", "RIGHT": "r"}
CLASS_TITLES = {"FP16": "Half precision", "FP32": "Single precision", "FP64": "Double precision",
                "SPECIAL": "Special functions", "COMPARE": "Comparison", "CONVERT": "Conversion"}


def definition(path):
    """The text of isa.def, the files of opcodes that it includes in their places."""
    rooms = path.parent.parent
    return re.sub(r'#include "([^"]+)"', lambda m: (rooms / m[1]).read_text("utf-8"),
                  path.read_text("utf-8"))


def words(expression):
    """The modifier names of 'M_LO | M_CC', without their prefix."""
    return re.findall(r"M_(\w+)", expression)


def spelt(word):
    return "‹" + CHOICES[word] + "›" if word in CHOICES else "." + ALONE.get(word, word.lower())


def opcode_rows(definition):
    """Every row as a dictionary. Raises ValueError when a row is not understood."""
    text = re.sub(r"//.*", "", definition)
    rows = [{"id": m[1], "opcode": m[2], "type": m[3], "source": m[4], "required": words(m[5]),
             "allowed": words(m[6]), "class": m[7], "form": m[8]} for m in ROW.finditer(text)]
    if not rows or len(rows) != text.count("ISA_ROW("):
        raise ValueError(f"isa.def: {text.count('ISA_ROW(')} rows, {len(rows)} understood")
    return rows


def type_name(name):
    return "" if name == "NO_TYPE" else name.lower()


def form_key(row):
    """What must be equal for two rows to share a line."""
    destination = row["type"] if row["source"] != "NO_TYPE" else ""
    return (row["opcode"], tuple(row["required"]), destination)


def line(rows):
    first = rows[0]
    name = first["opcode"] + "".join(spelt(w) for w in first["required"])
    if "VIDEO" in first["required"]:  # one row for all types: of d, where it has one, of a and b
        name = first["opcode"] + "‹type›" * (2 if "CMP" in first["required"] else 3)
        name += "".join(spelt(w) for w in first["required"] if w != "VIDEO")
        types = ["u32", "s32"]
    elif "THIRD_B32" in first["required"]:
        name = first["opcode"] + ".pack.sat." + type_name(first["type"]) + ".s32.b32"
        types = [""]
    elif first["source"] != "NO_TYPE":
        name += "." + type_name(first["type"])
        types = [type_name(r["source"]) for r in rows]
    else:
        types = [type_name(r["type"]) for r in rows if r["type"] != "NO_TYPE"]
    allowed = list(dict.fromkeys(spelt(w) for r in rows for w in r["allowed"]))
    return [code(name), " ".join(cell(t) for t in dict.fromkeys(types)), cell(" ".join(allowed))]


def opcodes(definition):
    """The table in Markdown, in the order of isa.def within each class."""
    classes = {}
    for row in opcode_rows(definition):
        classes.setdefault(row["class"], {}).setdefault(form_key(row), []).append(row)
    parts = []
    for name, forms in classes.items():
        title = CLASS_TITLES.get(name, name.capitalize())
        parts.append(f"## {title} {{#opcodes_{name.lower()}}}\n\n" + table(
            ["Opcode", "Types", "May carry"], [line(rows) for rows in forms.values()]))
    total = sum(len(rows) for forms in classes.values() for rows in forms.values())
    return f"{total} typed opcodes.\n\n" + "\n\n".join(parts)
