#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes opcode_cases.def: operands and expected results for every arithmetic row of isa.def.

The model is independent of the simulator: integers of any length and exact fractions, rounded
once at the end by the rules of IEEE 754 and the PTX ISA. Run it after changing a row:

    python3 tests/simt/opcode_cases.py            # --check: only say whether the table is current

Values are hexadecimal bits, deterministic (seeded by the row's name). Rows that this model does
not know (memory, control, packs) must be in opcode_kernels.def; test_isa checks that.
"""
import sys

from opcode_compare import emit_move, emit_set, emit_setp, emit_testp
from opcode_convert import emit_cvt
from opcode_floats import emit_float, emit_half
from opcode_integers import emit_integer
from opcode_rows import COVERED, OUT, OUTPUT, read_rows
from opcode_video import emit_video


def emit_row(row):
    if row.form not in ("LANES", "SETP") or row.id == "MOV_B128":
        return
    if row.opcode in ("mapa", "getctarank", "createpolicy"): # whole kernels
        return
    if row.opcode == "cvt":
        emit_cvt(row)
    elif "M_VIDEO" in row.required:
        emit_video(row)
    elif row.opcode == "setp":
        emit_setp(row)
    elif row.opcode == "set":
        emit_set(row)
    elif row.opcode == "testp":
        emit_testp(row)
    elif row.opcode in ("mov", "selp", "slct"):
        emit_move(row)
    elif row.type in ("F32", "F64"):
        emit_float(row)
    elif row.type in ("F16", "F16X2", "BF16", "BF16X2"):
        emit_half(row)
    else:
        emit_integer(row)
    if row.id not in COVERED:
        raise SystemExit("no model for row " + row.id)


HEAD = """// SPDX-License-Identifier: MIT
// opcode_cases.def - operands and results of every arithmetic row of isa.def. Made by
// opcode_cases.py from an independent exact model; do not edit.
//
// OPCODE_CASE(row, least compute capability, tolerance, signature, PTX, vectors)
// Signature: letters of the results %d and %q, a colon, letters of the sources %a %b %c %e;
// p: predicate, h, r, d: registers of 16, 32, 64 bits. %t is a scratch register as wide as %d.
// Vectors: sources:results, hexadecimal bits. Tolerance: EXACT, ULPS(format, n),
// RELATIVE(format, n) or ABSOLUTE(format, n): 2^-n, the bound that the PTX ISA documents.
"""


def main():
    rows = read_rows()
    for row in rows:
        emit_row(row)
    text = HEAD + "\n" + "\n".join(OUTPUT) + "\n"
    if "--check" in sys.argv[1:]:
        with open(OUT, encoding="utf-8") as made:
            if made.read() != text:
                raise SystemExit("opcode_cases.def is out of date: run tests/simt/opcode_cases.py")
        return
    with open(OUT, "w", encoding="utf-8") as out:
        out.write(text)
    print("%d cases for %d rows" % (len(OUTPUT), len(COVERED)))


if __name__ == "__main__":
    main()
