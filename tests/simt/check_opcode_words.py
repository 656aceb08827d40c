#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No decision by the words of an instruction: only the parser (ptx/) and the look-up (isa/) read
opcodes and suffixes. All others ask the dense instruction, its row in the opcode table, or what
decode/analysis found out; they may print an opcode, and nothing else.

    check_opcode_words.py [common/simt]

Prints one line per offence and exits 1 when there is any. In ptx/ and isa/ it is an offence to
compare an opcode with a word written in the code: the table has the words.
"""

import re
import sys
import tempfile
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MEMBER = re.compile(r"(?:->|\.)(opcode|suffixes)\b")
PRINTED = re.compile(r"SIMT_STR_ARG\([^()]*\)")
LITERAL = re.compile(r'\b(?:simt_str_\w+|str\w+|memcmp)\([^;{}()]*opcode[^;{}()]*,\s*"')
READERS = ("ptx", "isa")


def offences_in(text, room):
    """Pairs of line number and what is wrong there."""
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    pattern, why = MEMBER, "asks for the words of an instruction"
    if room in READERS:
        pattern, why = LITERAL, "compares an opcode with a word"
    else:
        code = PRINTED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    return [(code.count("\n", 0, m.start()) + 1, why) for m in pattern.finditer(code)]


def check(root):
    """The files looked at, and one line per offence."""
    files = [p for p in sorted(root.rglob("*.[ch]")) if p.relative_to(root).parts[0] != "include"]
    complaints = []
    for path in files:
        name = path.relative_to(root)
        for line, why in offences_in(path.read_text(encoding="utf-8"), name.parts[0]):
            complaints.append(f"{name}:{line}: {why}; ask the opcode table or decode/analysis")
    return files, complaints


# What must be caught and what must not, in which room.
TWINS = [
    ("check/a.c", 'if (simt_str_is(in->opcode, "bar")) return;', 1),
    ("check/b.c", "return in->form == ISA_BARRIER; // not in->opcode", 0),
    ("core/a.c", 'return !strcmp(isa_rows[in->id].opcode, "selp");', 1),
    ("core/b.c", "return isa_rows[in->id].operation == ISA_OPERATION_SELECT;", 0),
    ("decode/a.c", "simt_str name = c->instr->opcode;", 1),
    ("decode/b.c", 'fail("\'%.*s\'", SIMT_STR_ARG(c->instr->opcode));', 0),
    ("findings/a.c", 'for (i = 0; i < n; i++)\n  if (simt_str_is(in->suffixes[i], "f32")) n++;', 1),
    ("isa/a.c", 'aligned = !strcmp(\n    op->row->opcode,\n    "bar");', 1),
    ("isa/b.c", "return simt_str_is(opcode, isa_rows[i].opcode);", 0),
]


def check_twins():
    """Complaints about this script itself."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text, _ in TWINS:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text + "\n", encoding="utf-8")
        _, complaints = check(root)
        for name, text, expected in TWINS:
            found = sum(one.startswith(name + ":") for one in complaints)
            if found != expected:
                wrong.append(f"{found} offences, not {expected}, in: {text}")
    return wrong


# The ends of check_includes.py: two scripts that run alone, with one shape of output.
def main():
    default = Path(__file__).resolve().parents[2] / "common/simt"
    files, complaints = check(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
    complaints += check_twins()
    for complaint in complaints:
        print(complaint)
    print(f"{len(files)} files, {len(complaints)} offences")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
