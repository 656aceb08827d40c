# SPDX-License-Identifier: MIT
"""Cases of video instructions: an operation on 32-bit operands of either sign, and a second
one with c, whose parts of registers are in opcode_kernels.def; and operations on halves and bytes,
chosen from both operands."""
from opcode_model import clamp, cut, value
from opcode_rows import emit

FIRST = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}
SECOND = {"add": lambda x, c: x + c, "min": min, "max": max}
TYPES = [("U32", "U32", "U32"), ("S32", "U32", "S32"), ("U32", "S32", "S32"),
         ("S32", "S32", "U32")]
COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
               "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def second_of(operation, x, c, t, is_sum):
    """As nvcc's code for an H100: numbers of 64 bits are compared, of a sum the lower half,
    extended by its sign."""
    if not operation:
        return cut(x, t)
    if operation in ("min", "max"):
        x = value(x, "S32" if is_sum else "S64")
        if t == "U32":
            x %= 1 << 64
    return cut(SECOND[operation](x, value(c, t)), t)


def emit_two(row, text, f, t, sat, operation):
    """f(a, b), cut or clamped to t, and c. As ptxas 13 has it: a sum without a sign is clamped at 0
    only."""
    is_sum = row.opcode in ("vadd", "vsub")

    def clamped(x):
        return max(x, 0) if is_sum and t == "U32" else clamp(x, t)

    def result(a, b, c=0):
        x = f(a, b)
        return second_of(operation, clamped(x) if sat else x, c, t, is_sum)
    n = 3 if operation else 2
    emit(row, text + " %d, " + ", ".join(["%a", "%b", "%c"][:n]) + ";", result, ["B32"] * n, n=6)


def variants(row):
    for i, types in enumerate(TYPES):
        for sat in (False, True):
            operation = ["", "add", "min", "max"][(i + 2 * sat) % 4]
            yield types, sat, operation


def text_of(row, types, sat, mode, operation):
    return "".join([row.opcode] + ["." + t.lower() for t in types] + [".sat"] * sat + [mode] +
                   ["." + operation] * bool(operation))


def emit_first(row):
    for types, sat, operation in variants(row):
        d, ta, tb = types
        emit_two(row, text_of(row, types, sat, "", operation),
                 lambda a, b: FIRST[row.opcode](value(a, ta), value(b, tb)), d, sat,
                 operation)


def emit_shift(row):
    wraps = "M_WRAP" in row.required
    mode = ".wrap" if wraps else ".clamp"
    for types, sat, operation in variants(row):
        d, ta = types[:2]

        def f(a, b):
            n = b & 31 if wraps else min(b, 32)
            x = value(a, ta)
            return x << n if row.opcode == "vshl" else x >> n
        emit_two(row, text_of(row, (d, ta, "U32"), sat, mode, operation), f, d, sat, operation)


def emit_mad(row):
    for k, (d, ta, tb) in enumerate(TYPES):
        for sat, scale, po, signs in ((0, 0, 0, "   "), (1, 7, 0, "-  "), (0, 15, 0, "  -"),
                                      (1, 0, 1, "   "), (1, 15, 0, " - "), (0, 7, 0, "- -")):
            is_signed = "S32" in (ta, tb) or signs[0] != signs[1] or signs[2] == "-" or po

            def f(a, b, c):  # with .po an H100 takes whole operands for signed ones
                x = value(a, "S32" if po else ta) * value(b, "S32" if po else tb)
                addend = value(c, "S32") if is_signed else c
                x = -x if signs[0] != signs[1] else x
                x += -addend if signs[2] == "-" else addend
                x = x + po >> scale
                return cut(clamp(x, "S32" if is_signed else "U32") if sat else x, "U32")
            text = "vmad.%s%s%s%s" % (".".join(t.lower() for t in (d, ta, tb)), ".po" * po,
                                      ".sat" * sat, ".shr%d" % scale if scale else "")
            operands = ", ".join(s.strip() + o for s, o in zip(signs, ("%a", "%b", "%c")))
            emit(row, "%s %%d, %s;" % (text, operands), f, ["B32"] * 3, n=4 + k % 2)


def emit_vset(row):
    for i, (name, f) in enumerate(COMPARISONS.items()):
        _, ta, tb = TYPES[i % 4]
        operation = ["", "add", "min", "max"][i % 4]
        emit_two(row, "vset.%s.%s.%s%s" % (ta.lower(), tb.lower(), name,
                                           "." + operation if operation else ""),
                 lambda a, b: int(f(value(a, ta), value(b, tb))), ta, False,
                 operation)


PARTS = dict(FIRST, vavrg=lambda a, b: a + b + (a + b >= 0) >> 1)
CHOSEN = {  # parts of d, a and b: as usual; some of them
    2: [("", "", ""), (".h1", ".h12", ".h30"), (".h10", ".h33", ".h21")],
    4: [("", "", ""), (".b20", ".b7531", ".b0246"), (".b3", ".b4321", ".b7777")]}
USUAL = {2: (".h10", ".h10", ".h32"), 4: (".b3210", ".b3210", ".b7654")}


def emit_parts(row):
    n, operation = int(row.opcode[-1]), row.opcode[:-1]
    bits = 32 // n
    is_set = operation == "vset"
    for i, types in enumerate(TYPES):
        for k, chosen in enumerate(CHOSEN[n]):
            sat, adds = not is_set and (i + k) % 2 == 1, (i + k) % 3 == 1
            d, a, b = ([int(x) for x in reversed((own or usual)[2:])]
                       for own, usual in zip(chosen, USUAL[n]))
            compare = list(COMPARISONS)[(i + 2 * k) % 6]
            first = COMPARISONS[compare] if is_set else PARTS[operation]
            kinds = [t[0] + str(bits) for t in types]

            def f(x, y, c):
                result = c
                for at in range(n):
                    if at not in d:
                        continue
                    left = value((y << 32 | x) >> bits * a[at], kinds[1])
                    right = value((y << 32 | x) >> bits * b[at], kinds[2])
                    t = int(first(left, right))
                    t = value(clamp(t, kinds[0]), kinds[0]) if sat else t
                    if adds:
                        result += t
                    else:
                        result = result & ~((2 ** bits - 1) << bits * at)
                        result |= (t & 2 ** bits - 1) << bits * at
                return result & 0xFFFFFFFF
            suffixes = [t.lower() for t in (types[1:] if is_set else types)]
            suffixes += [compare] * is_set + ["sat"] * sat + ["add"] * adds
            words = (row.opcode, ".".join(suffixes))
            emit(row, "%s.%s %%d%s, %%a%s, %%b%s, %%c;" % (words + chosen), f, ["B32"] * 3, n=5,
                 extra=[(0x7F80807F, 0x8000FF01, 0x12345678), (0x80008000, 0x7FFF8000, 0xFFFFFFFF)])


def emit_video(row):
    if row.opcode[-1] in "24":
        emit_parts(row)
    elif row.opcode == "vmad":
        emit_mad(row)
    elif row.opcode == "vset":
        emit_vset(row)
    elif row.opcode in FIRST:
        emit_first(row)
    else:
        emit_shift(row)
