# SPDX-License-Identifier: MIT
"""Cases of integer arithmetic, logic, shifts and bit picking."""
import random

from opcode_model import c_div, c_rem, clamp, cut, packed, signedness, value, width
from opcode_rows import emit, operands_of


def emit_integer(row):
    t, op, req = row.type, row.opcode, row.required
    v = lambda x: value(x, t)  # noqa: E731
    plain = "%s%%s.%s %%%%d, %s;" % (op, t.lower(), operands_of(row.n, True))
    sm = 90 if t in ("U16X2", "S16X2") else 80
    if op in ("add", "sub") and not req & {"M_CC", "M_SAT"}:
        f = (lambda a, b: a + b) if op == "add" else (lambda a, b: a - b)
        if t.endswith("X2"):
            emit(row, plain % "", packed(lambda a, b: f(a, b) & 0xFFFF), sm=sm)
        else:
            emit(row, plain % "", lambda a, b: cut(f(a, b), t))
    elif "M_SAT" in req and op in ("add", "sub"):
        f = (lambda a, b: a + b) if op == "add" else (lambda a, b: a - b)
        emit(row, plain % ".sat", lambda a, b: cut(clamp(f(v(a), v(b)), t), t))
    elif op in ("div", "rem"):
        f = c_div if op == "div" else c_rem
        emit(row, plain % "", lambda a, b: cut(f(v(a), v(b), t), t),
             extra=[(100, 7), (cut(-100, t), 7), (100, cut(-7, t))])
        # By 0: "unspecified, machine-specific" (PTX ISA); all ones on an H200.
        emit(row, plain % "", lambda a, b: cut(-1, t), inputs=[(0, 0), (100, 0), (cut(-100, t), 0)])
    elif op in ("min", "max"):
        f = min if op == "min" else max
        if "M_RELU" in req:
            f = lambda a, b, pick=f: max(pick(a, b), 0)  # noqa: E731
            plain, sm = plain.replace("%s", ".relu%s"), 90
        if t.endswith("X2"):
            h = t[:-2]
            emit(row, plain % "", packed(lambda a, b: cut(f(value(a, h), value(b, h)), h)), sm=sm)
        else:
            emit(row, plain % "", lambda a, b: cut(f(v(a), v(b)), t), sm=sm)
    elif op == "abs":
        emit(row, plain % "", lambda a: cut(abs(v(a)), t))
    elif op == "neg":
        emit(row, plain % "", lambda a: cut(-v(a), t))
    elif op == "sad":
        emit(row, plain % "", lambda a, b, c: cut(c + abs(v(a) - v(b)), t))
    elif op in ("dp4a", "dp2a"):
        emit_dot(row)
    elif op in ("mul", "mad", "mul24", "mad24") and "M_CC" not in req:
        emit_product(row)
    elif op in ("add", "sub", "addc", "subc", "mad", "madc"):
        emit_carry(row)
    else:
        emit_bits(row)


def emit_dot(row):
    at, bt, n = row.type, row.source, 4 if row.opcode == "dp4a" else 2
    part = 8 if n == 4 else 16
    upper = 2 if "M_HI" in row.required else 0

    def f(a, b, c):
        total = c
        for i in range(n):
            x = value(a >> (part * i), at[0] + str(part))
            total += x * value(b >> (8 * (i + (upper if n == 2 else 0))), bt[0] + "8")
        return total & 0xFFFFFFFF
    half = "" if n == 4 else ".hi" if upper else ".lo"
    emit(row, "%s%s.%s.%s %%d, %%a, %%b, %%c;" % (row.opcode, half, at.lower(), bt.lower()), f)


def product_part(row, a, b):
    t, req = row.type, row.required
    if row.opcode.endswith("24"):
        t24 = t[0] + "24"
        p = value(a & 0xFFFFFF, t24) * value(b & 0xFFFFFF, t24)
        return p >> 16 if "M_HI" in req else p
    p = value(a, t) * value(b, t)
    return p >> width(t) if "M_HI" in req else p


def emit_product(row):
    half = "".join("." + h.lower()[2:] for h in ("M_LO", "M_HI", "M_WIDE") if h in row.required)
    sat = "M_SAT" in row.required
    text = "%s%s%s.%s %%d, %s;" % (row.opcode, half, ".sat" if sat else "", row.type.lower(),
                                   operands_of(row.n))

    def f(a, b, c=0):
        x = product_part(row, a, b)
        if row.opcode.endswith("24") and "M_HI" in row.required:
            x = value(x, "S32") if signedness(row.type) else x & 0xFFFFFFFF
        x += value(c, row.d)
        return cut(clamp(x, row.d) if sat else x, row.d)
    emit(row, text, f)


def emit_carry(row):
    """The row under test is followed by one that shows its carry, or preceded by one that sets it.
    """
    t, op = row.type, row.opcode
    ty, w = t.lower(), width(t)
    ones = (1 << w) - 1
    sets_carry = "M_CC" in row.required
    half = ".lo" if "M_LO" in row.required else ".hi"
    sub = op.startswith("sub")
    takes_carry = op.endswith("c")
    if op in ("add", "sub", "addc", "subc"):
        base = "sub" if sub else "add"
        sign = -1 if sub else 1
        if not takes_carry:  # add.cc: show the carry with addc of e and 0
            def f(a, b, c, e):
                over = 1 if not 0 <= a + sign * b <= ones else 0
                return ((c + sign * (e + over)) & ones)
            emit(row, "%s.cc.%s %%t, %%a, %%b; %sc.%s %%d, %%c, %%e;" % (base, ty, base, ty), f,
                 types=[t] * 4)
        elif not sets_carry:
            def f(a, b, c, e):
                over = 1 if not 0 <= a + sign * b <= ones else 0
                return ((c + sign * (e + over)) & ones)
            emit(row, "%s.cc.%s %%t, %%a, %%b; %sc.%s %%d, %%c, %%e;" % (base, ty, base, ty), f,
                 types=[t] * 4, extra=[(ones, 1, ones, 0), (0, 1, 0, 0)])
        else:  # three words long: a:b twice through
            def f(a, b, c, e):
                first = a + sign * b
                over = 1 if not 0 <= first <= ones else 0
                second = c + sign * (e + over)
                over = 1 if not 0 <= second <= ones else 0
                return (sign * over) & ones
            zero = "addc" if not sub else "subc"
            emit(row, "%s.cc.%s %%t, %%a, %%b; %sc.cc.%s %%t, %%c, %%e; %s.%s %%d, 0, 0;"
                 % (base, ty, base, ty, zero, ty), f, types=[t] * 4,
                 extra=[(ones, 1, ones, 0), (0, 1, 0, 0), (0, 1, 5, 5)])
        return

    def part(a, b):
        p = value(a, t) * value(b, t)
        return (p >> w if half == ".hi" else p) & ones
    if op == "mad":
        def f(a, b, c):
            return (part(a, b) + c) >> w
        emit(row, "mad%s.cc.%s %%t, %%a, %%b, %%c; addc.%s %%d, 0, 0;" % (half, ty, ty), f,
             types=[t] * 3, extra=[(ones, ones, ones), (1 << (w - 1), 2, ones)])
    elif not sets_carry:  # carry from 'e + e'
        def f(a, b, c, e):
            return (part(a, b) + c + ((e + e) >> w)) & ones
        emit(row, "add.cc.%s %%t, %%e, %%e; madc%s.%s %%d, %%a, %%b, %%c;" % (ty, half, ty), f,
             types=[t] * 4)
    else:
        def f(a, b, c, e):
            return (part(a, b) + c + ((e + e) >> w)) >> w
        emit(row, "add.cc.%s %%t, %%e, %%e; madc%s.cc.%s %%t, %%a, %%b, %%c; addc.%s %%d, 0, 0;"
             % (ty, half, ty, ty), f, types=[t] * 4, extra=[(ones, 1, 0, ones)])


PRMT = {  # selectors by the low two bits of c
    "": None,
    ".f4e": ["3210", "4321", "5432", "6543"],
    ".b4e": ["5670", "6701", "7012", "0123"],
    ".rc8": ["0000", "1111", "2222", "3333"],
    ".ecl": ["3210", "3211", "3222", "3333"],
    ".ecr": ["0000", "1110", "2210", "3210"],
    ".rc16": ["1010", "3232", "1010", "3232"],
}


def prmt(mode):
    def f(a, b, c):
        pool = [(a >> 8 * i) & 255 for i in range(4)] + [(b >> 8 * i) & 255 for i in range(4)]
        selectors = [(c >> 4 * i) & 15 for i in range(4)]
        if PRMT[mode]:
            selectors = [int(x) for x in reversed(PRMT[mode][c & 3])]
        d = 0
        for i, s in enumerate(selectors):
            byte = pool[s & 7]
            if s & 8:
                byte = 255 if byte & 128 else 0
            d |= byte << 8 * i
        return d
    return f


def fns(a, base, n):
    n = value(n, "S32")
    if base > 31:
        return 0xFFFFFFFF
    bits = [i for i in range(32) if a >> i & 1]
    if n == 0:
        return base if base in bits else 0xFFFFFFFF
    seen = [i for i in bits if i >= base] if n > 0 else [i for i in reversed(bits) if i <= base]
    return seen[abs(n) - 1] if abs(n) <= len(seen) else 0xFFFFFFFF


def emit_bits(row):
    t, op = row.type, row.opcode
    ty = t.lower()
    w = width(t) if t != "PRED" else 1
    ones = (1 << w) - 1
    unary = {
        "popc": lambda a: bin(a).count("1"),
        "clz": lambda a: w - a.bit_length(),
        "brev": lambda a: int(format(a, "0%db" % w)[::-1], 2),
        "not": lambda a: a ^ ones,
        "cnot": lambda a: 1 if a == 0 else 0,
    }
    binary = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
    if op in unary:
        emit(row, "%s.%s %%d, %%a;" % (op, ty), unary[op])
    elif op in binary:
        emit(row, "%s.%s %%d, %%a, %%b;" % (op, ty), binary[op],
             inputs=[(0, 0), (0, 1), (1, 0), (1, 1)] if t == "PRED" else None)
    elif op == "bfind":
        shift = "M_SHIFTAMT" in row.required

        def f(a):
            x = value(a, t)
            x = ~x if x < 0 else x
            if x == 0:
                return 0xFFFFFFFF
            top = x.bit_length() - 1
            return w - 1 - top if shift else top
        emit(row, "bfind%s.%s %%d, %%a;" % (".shiftamt" if shift else "", ty), f)
    elif op == "bfe":
        def f(a, b, c):
            start, length = (b & 255, c & 255) if w == 32 else (b, c)
            x = value(a, t)  # Python's shift repeats the sign for ever, or 0 when unsigned
            if length == 0:
                return 0
            field = (x >> start) & ((1 << length) - 1)
            if signedness(t) and length < w and (x >> min(start + length - 1, w - 1)) & 1:
                field |= -1 << length
            return field & ones
        fields = [(0, w), (4, 8), (w - 4, 8), (w, 3), (3, 0), (0, 255), (255, 255), (w - 1, 1),
                  (260, 8), (7, 300)]
        rng = random.Random(row.id)
        emit(row, "bfe.%s %%d, %%a, %%b, %%c;" % ty, f,
             inputs=[(rng.getrandbits(w), s, n) for s, n in fields] +
             [(ones, 3, 5), (ones ^ (ones >> 1), w - 8, 8)])
    elif op == "bfi":
        def f(a, b, c, e):
            start, length = (c & 255, e & 255) if w == 32 else (c, e)
            field = ((1 << length) - 1) << start & ones
            return (b & ~field | (a << start) & field) & ones
        fields = [(0, w), (4, 8), (w - 4, 8), (w, 3), (3, 0), (0, 255), (255, 255), (w - 1, 1),
                  (260, 8)]
        rng = random.Random(row.id)
        emit(row, "bfi.%s %%d, %%a, %%b, %%c, %%e;" % ty, f, types=[t, t, "U32", "U32"],
             inputs=[(rng.getrandbits(w), rng.getrandbits(w), s, n) for s, n in fields])
    elif op == "bmsk":
        clamps = "M_CLAMP" in row.required

        def f(a, b):  # the PTX ISA's own semantics
            first = (ones << (a & 31)) & ones
            total = (a & 31) + (b & 31)
            second = (ones << total) & ones
            overflows = total >= 32
            if clamps and a >= 32:
                overflows, first = True, 0
            if clamps and b >= 32:
                overflows = True
            return first & ~(0 if overflows else second) & ones
        emit(row, "bmsk.%s.b32 %%d, %%a, %%b;" % ("clamp" if clamps else "wrap"), f,
             inputs=[(1, 2), (0, 0), (0, 31), (0, 32), (0, 33), (31, 1), (31, 2), (30, 1), (32, 1),
                     (33, 4), (40, 8), (5, 32), (5, 37), (16, 16), (16, 17), (0xFFFFFFFF, 1),
                     (1, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (64, 64), (7, 0)])
    elif op == "szext":
        clamps, signed = "M_CLAMP" in row.required, row.type.startswith("S")

        def f(a, b):  # the PTX ISA's own semantics
            n, too_large = b & 31, clamps and b >= 32
            mask = 0 if too_large else (ones << n) & ones
            sign = a >> ((n - 1) & 31) & 1 if signed and n and not too_large else 0
            return (a & ~mask & ones) | (mask if sign else 0)
        emit(row, "szext.%s.%s %%d, %%a, %%b;" % ("clamp" if clamps else "wrap", ty), f,
             inputs=[(0xFF, 8), (0x7F, 8), (0x1FF, 8), (0xFFFFFFFF, 0), (1, 1), (0, 1),
                     (0x80000000, 32), (0x80000000, 31), (0x40000000, 31), (0xDEADBEEF, 33),
                     (0xDEADBEEF, 40), (0xDEADBEEF, 16), (0xFFFFFFFF, 0xFFFFFFFF), (5, 3)])
    elif op == "fns":
        emit(row, "fns.b32 %d, %a, %b, %c;", fns,
             inputs=[(0xF0F0, base, n) for base, n in
                     ((0, 1), (0, 5), (4, 1), (5, 9), (4, 0), (3, 0), (31, 0xFFFFFFFF),
                      (6, 0xFFFFFFFE), (3, 0xFFFFFFFF))])
    elif op == "prmt":
        for mode in PRMT:
            rng = random.Random(mode)
            emit(row, "prmt.b32%s %%d, %%a, %%b, %%c;" % mode, prmt(mode),
                 inputs=[(0x33221100, 0x77665544, s) for s in
                         ([0x3210, 0x7654, 0x0123, 0x5410, 0x7777] if not mode else range(4))] +
                 [(rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(16) if not mode else
                   rng.getrandbits(2)) for _ in range(4)])
    elif op == "lop3":
        for table in (0x96, 0xE8, 0xCA, 0x80, 0xFE, 0x1B):
            def f(a, b, c, table=table):
                d = 0
                for i in range(32):
                    index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)
                    d |= (table >> index & 1) << i
                return d
            emit(row, "lop3.b32 %%d, %%a, %%b, %%c, 0x%02x;" % table, f, types=["B32"] * 3, n=5)
    elif op in ("shl", "shr"):
        def f(a, b):
            if op == "shl":
                return (a << b) & ones if b < w else 0
            return (value(a, t) >> min(b, w)) & ones
        rng = random.Random(row.id)
        emit(row, "%s.%s %%d, %%a, %%b;" % (op, ty), f,
             inputs=[(rng.getrandbits(w) | ones ^ (ones >> 1), s) for s in
                     (0, 1, w // 2, w - 1, w, w + 1, 255, 0x80000000, 0xFFFFFFFF)] + [(3, 1)])
    elif op == "shf":
        left, wrap = "M_LEFT" in row.required, "M_WRAP" in row.required

        def f(a, b, c):
            n = c & 31 if wrap else min(c, 32)
            x = b << 32 | a
            return (x << n >> 32 if left else x >> n) & 0xFFFFFFFF
        rng = random.Random(row.id)
        emit(row, "shf.%s.%s.b32 %%d, %%a, %%b, %%c;" % ("l" if left else "r",
                                                        "wrap" if wrap else "clamp"), f,
             inputs=[(rng.getrandbits(32), rng.getrandbits(32), s)
                     for s in (0, 1, 16, 31, 32, 33, 63, 64, 0xFFFFFFFF)])
