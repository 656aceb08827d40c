#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes opcode_cases.def: operands and expected results for every arithmetic row of isa.def.

The model is independent of the simulator: integers of any length and exact fractions, rounded
once at the end by the rules of IEEE 754 and the PTX ISA. Run it after changing a row:

    python3 tests/simt/opcode_cases.py

Values are hexadecimal bits, deterministic (seeded by the row's name). Rows that this model does
not know (memory, control, packs) must be in opcode_kernels.def; test_isa checks that.
"""
import math
import os
import random
import re
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ISA = os.path.join(HERE, "..", "..", "common", "simt", "isa.def")
OUT = os.path.join(HERE, "opcode_cases.def")

# ---------------------------------------------------------------- formats and exact floats


class Format:
    """A binary floating-point format: stored mantissa bits, least normal exponent, NaN result."""

    def __init__(self, name, bits, mantissa, nan):
        self.name, self.bits, self.mantissa, self.nan = name, bits, mantissa, nan
        self.exponent_bits = bits - 1 - mantissa
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.least = 1 - self.bias
        self.inf = ((1 << self.exponent_bits) - 1) << mantissa
        self.sign = 1 << (bits - 1)
        self.one = self.bias << mantissa


F16 = Format("F16", 16, 10, 0x7FFF)
BF16 = Format("BF16", 16, 7, 0x7FFF)
F32 = Format("F32", 32, 23, 0x7FFFFFFF)
F64 = Format("F64", 64, 52, 0x7FF8000000000000)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}
NAN, INF, NUM = "nan", "inf", "num"


def decode(bits, fmt, ftz=False):
    """(kind, negative, magnitude) of the value with these bits."""
    negative = bool(bits & fmt.sign)
    rest = bits & (fmt.sign - 1)
    if rest > fmt.inf:
        return NAN, False, Fraction(0)
    if rest == fmt.inf:
        return INF, negative, Fraction(0)
    exponent, fraction = rest >> fmt.mantissa, rest & ((1 << fmt.mantissa) - 1)
    if exponent == 0:
        if ftz:
            fraction = 0
        value = Fraction(fraction) * Fraction(2) ** (fmt.least - fmt.mantissa)
    else:
        value = Fraction(fraction | 1 << fmt.mantissa) * Fraction(2) ** (
            exponent - fmt.bias - fmt.mantissa)
    return NUM, negative, value


def exponent_of(x):
    """Greatest e with 2**e <= x."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** e > x:
        e -= 1
    if Fraction(2) ** (e + 1) <= x:
        e += 1
    return e


def round_integer(x, negative, mode):
    """The magnitude x rounded to an integer."""
    low = x.numerator // x.denominator
    rest = x - low
    if rest == 0:
        return low
    up = {"rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low & 1),
          "rz": False, "rm": negative, "rp": not negative}[mode]
    return low + (1 if up else 0)


def encode(value, fmt, mode="rn", ftz=False, sat=False):
    kind, negative, x = value
    if sat:
        if kind == NAN or negative or (kind == NUM and x == 0):
            return 0
        if kind == INF or x > 1:
            return fmt.one
    if kind == NAN:
        return fmt.nan
    sign = fmt.sign if negative else 0
    if kind == INF:
        return sign | fmt.inf
    if x == 0:
        return sign
    e = max(exponent_of(x), fmt.least)
    units = round_integer(x / Fraction(2) ** (e - fmt.mantissa), negative, mode)
    bits = units + ((e - fmt.least) << fmt.mantissa)  # the leading one adds 1 to the exponent
    if bits >= fmt.inf:
        finite = mode == "rz" or mode == ("rp" if negative else "rm")
        return sign | (fmt.inf - 1 if finite else fmt.inf)
    if ftz and bits < 1 << fmt.mantissa:
        return sign
    return sign | bits


def signed(value):
    return -value[2] if value[1] else value[2]


def number(x, negative_zero=False):
    return NUM, (x < 0) or (x == 0 and negative_zero), abs(x)


def add(a, b, mode):
    if NAN in (a[0], b[0]):
        return NAN, False, Fraction(0)
    if INF in (a[0], b[0]):
        if a[0] == b[0] and a[1] != b[1]:
            return NAN, False, Fraction(0)
        return a if a[0] == INF else b
    total = signed(a) + signed(b)
    if total == 0:
        same = a[1] == b[1]
        return number(Fraction(0), a[1] if same and a[2] == 0 else mode == "rm")
    return number(total)


def negate(a):
    return (a[0], not a[1], a[2]) if a[0] != NAN else a


def mul(a, b):
    if NAN in (a[0], b[0]):
        return NAN, False, Fraction(0)
    sign = a[1] != b[1]
    if INF in (a[0], b[0]):
        other = b if a[0] == INF else a
        if other[0] == NUM and other[2] == 0:
            return NAN, False, Fraction(0)
        return INF, sign, Fraction(0)
    return NUM, sign, a[2] * b[2]


def div(a, b):
    if NAN in (a[0], b[0]):
        return NAN, False, Fraction(0)
    sign = a[1] != b[1]
    if a[0] == INF:
        return (NAN, False, Fraction(0)) if b[0] == INF else (INF, sign, Fraction(0))
    if b[0] == INF:
        return NUM, sign, Fraction(0)
    if b[2] == 0:
        return (NAN, False, Fraction(0)) if a[2] == 0 else (INF, sign, Fraction(0))
    return NUM, sign, a[2] / b[2]


def root(a):
    """Square root, exact or with a sticky bit 300 places down: enough for any format's rounding."""
    if a[0] == NAN or (a[1] and (a[0] == INF or a[2] != 0)):
        return NAN, False, Fraction(0)
    if a[0] == INF or a[2] == 0:
        return a
    shift = 2 * (300 + max(0, -exponent_of(a[2])))
    scaled = a[2] * Fraction(2) ** shift
    low = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(low * low) == scaled
    return NUM, False, (Fraction(low) if exact else Fraction(2 * low + 1, 2)) / Fraction(2) ** (shift // 2)


# ---------------------------------------------------------------- integers


def width(t):
    return int(re.sub(r"X2$", "", t).lstrip("BFUSP")) if t not in ("PRED",) else 1


def signedness(t):
    return t[0] == "S"


def value(bits, t):
    w = width(t)
    bits &= (1 << w) - 1
    return bits - (1 << w) if signedness(t) and bits >> (w - 1) else bits


def cut(x, t):
    return x & ((1 << width(t)) - 1)


def clamp(x, t):
    w = width(t)
    low, high = (-(1 << (w - 1)), (1 << (w - 1)) - 1) if signedness(t) else (0, (1 << w) - 1)
    return max(low, min(high, x))


def c_div(a, b, t):
    if b == 0:
        return -1
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def c_rem(a, b, t):
    return a if b == 0 else a - b * c_div(a, b, t)


def halves(x):
    return x & 0xFFFF, x >> 16


def packed(f):
    """Applies f to the lower and to the upper halves."""
    def both(*args):
        low = f(*[a & 0xFFFF for a in args])
        high = f(*[a >> 16 for a in args])
        return low | high << 16
    return both


# ---------------------------------------------------------------- operands


FLOAT_CORNERS = {
    "F32": "0 80000000 3f800000 bf800000 7f800000 ff800000 7fc00000 1 807fffff 800000 7f7fffff "
           "40490fdb 3eaaaaab c2f6e979 4b800001 3f000000 33800000 b3ffffff".split(),
    "F64": "0 8000000000000000 3ff0000000000000 bff0000000000000 7ff0000000000000 "
           "fff0000000000000 7ff8000000000000 1 800fffffffffffff 10000000000000 7fefffffffffffff "
           "400921fb54442d18 3fd5555555555555 c05edd2f1a9fbe77 4340000000000001 "
           "3fe0000000000000 3ca0000000000000".split(),
    "F16": "0 8000 3c00 bc00 7c00 fc00 7e00 1 83ff 400 7bff 4248 3555 d7b0 6401 3800 1400".split(),
    "BF16": "0 8000 3f80 bf80 7f80 ff80 7fc0 1 807f 80 7f7f 4049 3eab c2f7 4b81 3f00 3380".split(),
}


def integer_corners(t):
    w = width(t)
    top = 1 << (w - 1)
    return [0, 1, (1 << w) - 1, top, top - 1, 2, (1 << w) - 7, 0x55555555555555555 & (top - 1), 10]


def random_float(rng, name):
    fmt = FORMATS[name]
    mantissa = rng.getrandbits(fmt.mantissa)
    exponent = fmt.bias + rng.randint(-6, 6)
    return rng.getrandbits(1) << (fmt.bits - 1) | exponent << fmt.mantissa | mantissa


def is_float(t):
    return t in FORMATS


def corners(t):
    if t == "PRED":
        return [0, 1]
    if is_float(t):
        return [int(x, 16) for x in FLOAT_CORNERS[t]]
    if t in ("F16X2", "BF16X2"):
        c = corners(t[:-2])
        return [a | b << 16 for a, b in zip(c, c[5:] + c[:5])]
    if t in ("U16X2", "S16X2"):
        c = corners(t[:-2])
        return [a | b << 16 for a, b in zip(c, c[4:] + c[:4])]
    return integer_corners(t)


def draw(rng, t):
    if t == "PRED":
        return rng.getrandbits(1)
    if is_float(t):
        return random_float(rng, t)
    if t in ("F16X2", "BF16X2"):
        return random_float(rng, t[:-2]) | random_float(rng, t[:-2]) << 16
    w = 32 if t.endswith("X2") else width(t)
    return rng.getrandbits(w) >> rng.choice([0, 0, 0, w // 4, w // 2])


def vectors(rng, types, n):
    """n tuples of operands: corners against corners first, then corners and random values mixed."""
    lists = [corners(t) for t in types]
    result = []
    longest = max(len(c) for c in lists)
    for i in range(min(longest, n - n // 3)):
        row = []
        for k, c in enumerate(lists):
            row.append(c[i % len(c)] if k == 0 else c[(i * (2 * k + 1) + k) % len(c)])
        result.append(tuple(row))
    while len(result) < n:
        result.append(tuple(draw(rng, t) if rng.random() < 0.8 else rng.choice(c)
                            for t, c in zip(types, lists)))
    return result


# ---------------------------------------------------------------- rows and cases


class Row:
    def __init__(self, fields):
        (self.id, self.opcode, self.type, self.source, self.required, self.allowed, self.klass,
         self.form, self.n, self.d, self.a, self.b, self.c, self.fn) = fields
        self.required = set(self.required.replace(" ", "").split("|")) - {"0"}
        self.allowed = set(self.allowed.replace(" ", "").split("|")) - {"0"}
        if "M_RND_ANY" in self.allowed:
            self.allowed |= {"M_RND", "M_RN", "M_RZ", "M_RM", "M_RP"}
        self.n = int(self.n)
        self.sources = [self.a, self.b, self.c][:min(self.n, 3)] + (["U32"] if self.n == 4 else [])


def read_rows():
    text = re.sub(r"//[^\n]*", "", open(ISA, encoding="utf-8").read())
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
        parts.append(",".join("%x" % x for x in operands) + ":" + ",".join("%x" % x for x in result))
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


# ---------------------------------------------------------------- integer rows


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
    elif op in ("min", "max"):
        f = min if op == "min" else max
        if t.endswith("X2"):
            h = t[:-2]
            emit(row, plain % "", packed(lambda a, b: cut(f(value(a, h), value(b, h)), h)), sm=sm)
        else:
            emit(row, plain % "", lambda a, b: cut(f(v(a), v(b)), t))
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
    """The row under test is followed by one that shows its carry, or preceded by one that sets it."""
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
    elif op == "fns":
        emit(row, "fns.b32 %d, %a, %b, %c;", fns,
             inputs=[(0xF0F0, 0, 1), (0xF0F0, 0, 5), (0xF0F0, 4, 1), (0xF0F0, 5, 9), (0xF0F0, 4, 0),
                     (0xF0F0, 3, 0), (0xF0F0, 31, 0xFFFFFFFF), (0xF0F0, 6, 0xFFFFFFFE),
                     (0xF0F0, 3, 0xFFFFFFFF)])
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


# ---------------------------------------------------------------- comparisons, selection


def comparison(name, a, b, t, ftz=False):
    """Result of comparing the bits a and b as type t."""
    if t in FORMATS:
        x, y = decode(a, FORMATS[t], ftz), decode(b, FORMATS[t], ftz)
        unordered = NAN in (x[0], y[0])
        if name == "num":
            return not unordered
        if name == "nan":
            return unordered
        if unordered:
            return name.endswith("u") and len(name) == 3
        rank = lambda z: (Fraction(10) ** 400 * (-1 if z[1] else 1)) if z[0] == INF else signed(z)  # noqa: E731
        p, q = rank(x), rank(y)
        name = name[:2]
    else:
        p, q = value(a, t), value(b, t)
        name = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(name, name)
    return {"eq": p == q, "ne": p != q, "lt": p < q, "le": p <= q, "gt": p > q, "ge": p >= q}[name]


def comparisons_of(t):
    ordered = ["eq", "ne", "lt", "le", "gt", "ge"]
    if t in FORMATS or t.endswith("X2"):
        return ordered + [x + "u" for x in ordered] + ["num", "nan"]
    if t[0] == "B":
        return ["eq", "ne"]
    return ordered + (["lo", "ls", "hi", "hs"] if t[0] == "U" else [])


BOOLEAN = {"and": lambda p, c: p and c, "or": lambda p, c: p or c, "xor": lambda p, c: p != c}


def half_sm(t):
    return 90 if t.startswith("BF16") else 80


def compare_inputs(row, t, n=10):
    rng = random.Random(row.id)
    chosen = vectors(rng, [t, t], n)
    same = rng.choice(corners(t))
    return chosen + [(same, same), (corners(t)[2], corners(t)[2])]


def emit_setp(row):
    t = row.type
    ty = t.lower()
    sm = half_sm(t)
    for name in comparisons_of(t):
        if t.endswith("X2"):
            h = t[:-2]
            emit(row, "setp.%s.%s %%d|%%q, %%a, %%b;" % (name, ty),
                 lambda a, b: tuple(int(comparison(name, x, y, h)) for x, y in
                                    zip(halves(a), halves(b))),
                 inputs=compare_inputs(row, t, 8), dest="pp", sm=sm)
            continue
        emit(row, "setp.%s.%s %%d, %%a, %%b;" % (name, ty),
             lambda a, b: int(comparison(name, a, b, t)), inputs=compare_inputs(row, t, 8), sm=sm)
    name = comparisons_of(t)[-1] if t[0] == "B" and t not in FORMATS and not t.endswith("X2") else "lt"
    for word, op in BOOLEAN.items():
        for bang in ("", "!"):
            if t.endswith("X2"):
                continue

            def f(a, b, c):
                c = bool(c) != bool(bang)
                p = comparison(name, a, b, t)
                return int(op(p, c)), int(op(not p, c))
            inputs = [(a, b, c) for a, b in compare_inputs(row, t, 3)[:3] for c in (0, 1)]
            half = t in ("F16", "BF16")  # these have no second destination
            emit(row, "setp.%s.%s.%s %%d%s, %%a, %%b, %s%%c;" % (name, word, ty, "" if half else "|%q", bang),
                 (lambda *x, f=f: f(*x)[0]) if half else f,
                 types=[t, t, "PRED"], inputs=inputs, dest="p" if half else "pp", sm=sm)
    if "M_FTZ" in row.allowed and not t.endswith("X2"):
        tiny = [(1, 0), (0, 1), (1, FORMATS[t].sign | 1), (1, 1 << FORMATS[t].mantissa)]
        emit(row, "setp.eq.ftz.%s %%d, %%a, %%b;" % ty,
             lambda a, b: int(comparison("eq", a, b, t, True)), inputs=tiny, sm=sm)


def emit_set(row):
    d, t = row.type, row.source
    sm = half_sm(t)
    one = FORMATS[d.replace("X2", "")].one if d.replace("X2", "") in FORMATS else (1 << width(d)) - 1
    names = comparisons_of(t)
    base = t.replace("X2", "")
    for name in (names[1], names[-1]):
        if t.endswith("X2"):
            f = packed(lambda a, b: one if comparison(name, a, b, base) else 0)
        else:
            def f(a, b):
                return one if comparison(name, a, b, t) else 0
        emit(row, "set.%s.%s.%s %%d, %%a, %%b;" % (name, d.lower(), t.lower()), f,
             inputs=compare_inputs(row, t, 6), sm=sm)
    if t.endswith("X2"):
        return

    def g(a, b, c):
        return one if comparison(names[0], a, b, t) != bool(c) else 0
    emit(row, "set.%s.xor.%s.%s %%d, %%a, %%b, %%c;" % (names[0], d.lower(), t.lower()), g,
         types=[t, t, "PRED"], inputs=[(a, b, c) for a, b in compare_inputs(row, t, 3)[:3]
                                       for c in (0, 1)], sm=sm)


def emit_testp(row):
    fmt = FORMATS[row.type]

    def f(test):
        def g(a):
            kind, _, x = decode(a, fmt)
            subnormal = kind == NUM and 0 < x < Fraction(2) ** fmt.least
            return int({"finite": kind == NUM, "infinite": kind == INF, "number": kind != NAN,
                        "notanumber": kind == NAN, "normal": kind == NUM and not subnormal,
                        "subnormal": subnormal}[test])
        return g
    for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        emit(row, "testp.%s.%s %%d, %%a;" % (test, row.type.lower()), f(test), n=12)


def emit_move(row):
    t, op = row.type, row.opcode
    ty = t.lower()
    if op == "mov":
        emit(row, "mov.%s %%d, %%a;" % ty, lambda a: a, n=6)
    elif op == "selp":
        emit(row, "selp.%s %%d, %%a, %%b, %%c;" % ty, lambda a, b, c: a if c else b, n=6)
    elif op == "slct":
        c_type = row.source
        picks = [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF] if c_type == "S32" else [
            0, 0x80000000, 0x3F800000, 0xBF800000, 0x7FC00000, 0x80000001, 0x7F800000, 0xFF800000]

        def f(ftz):
            def g(a, b, c):
                if c_type == "S32":
                    return a if value(c, "S32") >= 0 else b
                kind, negative, x = decode(c, F32, ftz)
                return b if kind == NAN or (negative and (kind == INF or x)) else a
            return g
        rng = random.Random(row.id)
        inputs = [(draw(rng, t), draw(rng, t), c) for c in picks]
        emit(row, "slct.%s.%s %%d, %%a, %%b, %%c;" % (ty, c_type.lower()), f(False), inputs=inputs)
        if c_type == "F32" and t == "U32":
            emit(row, "slct.ftz.u32.f32 %d, %a, %b, %c;", f(True), inputs=inputs)


# ---------------------------------------------------------------- floating point


def min_max(op, nan_wins, xorsign, fmt, ftz=False):
    def f(a, b):
        if ftz:
            a, b = (x & fmt.sign if (x & (fmt.sign - 1)) < 1 << fmt.mantissa else x for x in (a, b))
        sign = (a ^ b) & fmt.sign
        x, y = decode(a, fmt), decode(b, fmt)
        nans = (x[0] == NAN) + (y[0] == NAN)
        if nans == 2 or (nans and nan_wins):
            return fmt.nan
        if xorsign:
            a, b = a & (fmt.sign - 1), b & (fmt.sign - 1)
        rank = lambda z: -(z & (fmt.sign - 1)) - 1 if z & fmt.sign else z  # noqa: E731
        if x[0] == NAN:
            r = b
        elif y[0] == NAN:
            r = a
        else:
            r = (min if op == "min" else max)(a, b, key=rank)
        return r | sign if xorsign else r
    return f


def arithmetic(op, fmt, mode="rn", ftz=False, sat=False):
    def f(*bits):
        x = [decode(b, fmt, ftz) for b in bits]
        if op == "add":
            r = add(x[0], x[1], mode)
        elif op == "sub":
            r = add(x[0], negate(x[1]), mode)
        elif op == "mul":
            r = mul(x[0], x[1])
        elif op in ("fma", "mad"):
            r = add(mul(x[0], x[1]), x[2], mode)
        elif op == "div":
            r = div(x[0], x[1])
        elif op == "rcp":
            r = div((NUM, False, Fraction(1)), x[0])
        elif op == "sqrt":
            r = root(x[0])
        if fmt is F64 and r[0] == NAN:
            return nan_f64(bits)
        return encode(r, fmt, mode, ftz, sat)
    return f


def nan_f64(bits):
    """Double precision keeps the first NaN operand, quieted; an invalid operation makes its own."""
    for b in bits:
        if decode(b, F64)[0] == NAN:
            return b | 1 << 51
    return 0xFFF8000000000000


def to_double(value_):
    kind, negative, x = value_
    r = math.nan if kind == NAN else math.inf if kind == INF else float(x)
    return -r if negative else r


def from_double(x, fmt):
    if x != x:
        return fmt.nan
    negative = math.copysign(1, x) < 0
    if math.isinf(x):
        return encode((INF, negative, Fraction(0)), fmt)
    return encode((NUM, negative, abs(Fraction(x))), fmt)


def real_function(op):
    def rsqrt(x):
        return math.copysign(math.inf, x) if x == 0 else math.nan if x < 0 else (
            0.0 if math.isinf(x) else 1 / math.sqrt(x))

    def lg2(x):
        return -math.inf if x == 0 else math.nan if x < 0 else math.inf if math.isinf(x) else math.log2(x)

    def ex2(x):
        if x > 1000:
            return math.inf
        return 0.0 if x < -1000 else 2.0 ** x
    trig = lambda g: lambda x: math.nan if math.isinf(x) else g(x)  # noqa: E731
    return {"rsqrt": rsqrt, "lg2": lg2, "ex2": ex2, "sin": trig(math.sin), "cos": trig(math.cos),
            "tanh": math.tanh}[op]


def approximate(op, fmt, ftz=False):
    def f(a):
        x = to_double(decode(a, fmt, ftz))
        r = math.nan if x != x else real_function(op)(x)
        bits = from_double(r, fmt)
        if ftz and (bits & (fmt.sign - 1)) < 1 << fmt.mantissa:
            bits &= fmt.sign
        return bits
    return f


F32_BOUND = {"rsqrt": "RELATIVE(F32, 22)", "lg2": "ABSOLUTE(F32, 22)", "ex2": "RELATIVE(F32, 22)",
             "sin": "ABSOLUTE(F32, 20)", "cos": "ABSOLUTE(F32, 20)", "tanh": "RELATIVE(F32, 10)"}
FUNCTION_INPUTS = {  # besides the corners
    "rsqrt": "40000000 41100000 3e800000 42c80000 5f000000 00200000",
    "lg2": "40000000 3f800001 3f7fffff 41200000 3dcccccd 5f000000 00400000",
    "ex2": "3f000000 c1200000 41200000 42ff0000 c3160000 c3170000 c2fe0000 3dcccccd 43010000",
    "sin": "3fc90fdb 3f490fdb 40c00000 c0000000 3c23d70a 40a00000",
    "cos": "3fc90fdb 3f490fdb 40c00000 c0000000 3c23d70a 40a00000",
    "tanh": "3f000000 c1200000 41200000 3dcccccd 3a83126f",
}


def function_inputs(op, t):
    fmt = FORMATS[t]
    own = []
    for x in FUNCTION_INPUTS[op].split():
        own.append((from_double(to_double(decode(int(x, 16), F32)), fmt),))
    rest = [(x,) for x in corners(t)]
    if op in ("sin", "cos"):  # promised near the origin only
        rest = [x for x in rest if decode(x[0], fmt)[0] != NUM or decode(x[0], fmt)[2] < 7]
    if op == "lg2":  # the bound is relative outside (1/2, 2): keep |result| below 4 or exact
        rest = [x for x in rest if decode(x[0], fmt)[0] != NUM or decode(x[0], fmt)[2] == 0 or
                Fraction(1, 16) < decode(x[0], fmt)[2] < 16 or decode(x[0], fmt)[2].numerator == 1]
        own = own[:5]
    return own + rest


def emit_float(row):
    t, op, req = row.type, row.opcode, row.required
    fmt, ty = FORMATS[t], t.lower()
    text = "%s%%s.%s %%%%d, %s;" % (op, ty, operands_of(row.n, True))
    approx = req & {"M_APPROX", "M_FULL"}
    if op in ("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt") and not approx:
        modes = ["rn", "rz", "rm", "rp"]
        forced = "M_RND" in req
        if not forced:
            emit(row, text % "", arithmetic(op, fmt), n=18)
        for mode in modes:
            emit(row, text % ("." + mode), arithmetic(op, fmt, mode), n=12 if not forced or mode != "rn" else 24)
        if "M_FTZ" in row.allowed:
            tiny = {1: [(0x1,), (0x80000001,), (0x007FFFFF,), (0x7F000001,), (0x00800000,)],
                    2: [(0x1, 0x3F800000), (0x00800000, 0x807FFFFF), (0x00FFFFFF, 0x80800000),
                        (0x00800000, 0x3F000000), (0x3F800000, 0x1), (0x80800000, 0x40000000)],
                    3: [(0x1, 0x3F800000, 0x3F800000), (0x00800000, 0x3F000000, 0x0),
                        (0x00800000, 0x3F800000, 0x80C00000), (0x3F800000, 0x3F800000, 0x1)]}[row.n]
            for mode in (".rn", ".rz"):
                emit(row, text % (mode + ".ftz"), arithmetic(op, fmt, mode[1:], True), n=8, extra=tiny)
        if "M_SAT" in row.allowed:
            emit(row, text % (".rn.sat" if forced else ".sat"), arithmetic(op, fmt, "rn", False, True), n=12)
            emit(row, text % ".rp.ftz.sat", arithmetic(op, fmt, "rp", True, True), n=8)
    elif op == "div":
        near = [(random_float(random.Random(i), "F32"), random_float(random.Random(i + 99), "F32"))
                for i in range(8)]
        special = [(0x3F800000, 0), (0xBF800000, 0), (0, 0), (0x7F800000, 0x40000000),
                   (0x3F800000, 0x7F800000), (0xBF800000, 0x7E800000), (0x7FC00000, 0x3F800000), (0x7F800000, 0x7F800000)]
        word = ".approx" if "M_APPROX" in req else ".full"
        emit(row, text % word, arithmetic(op, fmt), inputs=near + special, tolerance="ULPS(F32, 2)")
        emit(row, text % (word + ".ftz"), arithmetic(op, fmt, "rn", True), inputs=near + special +
             [(1, 0x3F800000), (0x3F800000, 1)], tolerance="ULPS(F32, 2)")
    elif op in ("rcp", "sqrt") and t == "F32":
        emit(row, text % ".approx", arithmetic(op, fmt), n=20, tolerance="ULPS(F32, 1)")
        emit(row, text % ".approx.ftz", arithmetic(op, fmt, "rn", True), n=20, tolerance="ULPS(F32, 1)")
    elif op == "rcp":
        emit(row, text % ".approx.ftz", lambda a: encode(div((NUM, False, Fraction(1)), decode(a, F64, True)), F64, "rn", True),
             n=18, tolerance="RELATIVE(F64, 20)")
    elif op == "rsqrt" and t == "F64":
        word = ".approx.ftz" if "M_FTZ" in req else ".approx"
        emit(row, text % word, approximate(op, fmt, "M_FTZ" in req), n=18,
             tolerance="RELATIVE(F64, %d)" % (20 if "M_FTZ" in req else 50))
    elif op in F32_BOUND:
        emit(row, text % ".approx", approximate(op, fmt), inputs=function_inputs(op, t),
             tolerance=F32_BOUND[op])
        if "M_FTZ" in row.allowed:
            emit(row, text % ".approx.ftz", approximate(op, fmt, True), inputs=function_inputs(op, t),
                 tolerance=F32_BOUND[op])
    elif op in ("abs", "neg"):
        def f(ftz):
            def g(a):
                kind, negative, x = decode(a, fmt, ftz)
                if kind == NAN:
                    return fmt.nan
                return encode((kind, False if op == "abs" else not negative, x), fmt)
            return g
        numbers = [(x,) for x in corners(t) if decode(x, fmt)[0] != NAN]
        emit(row, text % "", f(False), inputs=numbers)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".ftz", f(True), inputs=numbers)
    elif op in ("min", "max"):
        nan, xorsign = "M_NAN" in req, "M_XORSIGN_ABS" in req
        word = (".NaN" if nan else "") + (".xorsign.abs" if xorsign else "")
        sm = 86 if xorsign else 80
        zeros = [(0, fmt.sign), (fmt.sign, 0), (fmt.nan, 5), (fmt.one, fmt.nan), (fmt.nan, fmt.nan)]
        emit(row, text % word, min_max(op, nan, xorsign, fmt), n=14, extra=zeros, sm=sm)
        if "M_FTZ" in row.allowed:
            emit(row, text % (".ftz" + word), min_max(op, nan, xorsign, fmt, True), n=8,
                 extra=[(1, 2), (fmt.sign | 1, 1), (1, fmt.one)], sm=sm)
    elif op == "copysign":
        emit(row, text % "", lambda a, b: (a & fmt.sign) | (b & (fmt.sign - 1)), n=8)


HALF_BOUND = {("ex2", "F16"): "RELATIVE(F16, 9)", ("ex2", "BF16"): "RELATIVE(BF16, 7)",
              ("tanh", "F16"): "ABSOLUTE(F16, 10)", ("tanh", "BF16"): "RELATIVE(BF16, 7)"}


def emit_half(row):
    t, op, req = row.type, row.opcode, row.required
    x2 = t.endswith("X2")
    base = t.replace("X2", "")
    fmt, ty = FORMATS[base], t.lower()
    sm = 90 if base == "BF16" else 80
    text = "%s%%s.%s %%%%d, %s;" % (op, ty, operands_of(row.n, True))
    both = packed if x2 else (lambda f: f)
    if op in ("add", "sub", "mul", "fma"):
        forced = "M_RND" in req
        emit(row, text % (".rn" if forced else ""), both(arithmetic(op, fmt)), n=18,
             sm=80 if op == "fma" else sm)
        if not forced:
            emit(row, text % ".rn", both(arithmetic(op, fmt)), n=6, sm=sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".rn.sat", both(arithmetic(op, fmt, sat=True)), n=12, sm=sm)
            tiny = {2: [(1, 0x3C00), (0x400, 0x83FF), (0x7FF, 0x8400), (0x400, 0x3800)],
                    3: [(1, 0x3C00, 0x3C00), (0x400, 0x3800, 0), (0x3C00, 0x3C00, 1)]}[row.n]
            emit(row, text % ".rn.ftz", both(arithmetic(op, fmt, ftz=True)), n=8, extra=tiny, sm=sm)
    elif op in ("abs", "neg"):
        def f(ftz):
            def g(a):
                if ftz and (a & (fmt.sign - 1)) < 1 << fmt.mantissa:
                    a &= fmt.sign
                return a & (fmt.sign - 1) if op == "abs" else a ^ fmt.sign
            return g
        numbers = [x for x in corners(base) if decode(x, fmt)[0] != NAN]
        pairs = [(x | y << 16,) for x, y in zip(numbers, reversed(numbers))] if x2 else [(x,) for x in numbers]
        emit(row, text % "", both(f(False)), inputs=pairs)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".ftz", both(f(True)), inputs=pairs)
    elif op in ("min", "max"):
        nan, xorsign = "M_NAN" in req, "M_XORSIGN_ABS" in req
        word = (".NaN" if nan else "") + (".xorsign.abs" if xorsign else "")
        msm = 86 if xorsign else 80
        zeros = [(0, fmt.sign), (fmt.sign, 0), (fmt.nan, 5), (fmt.one, fmt.nan), (fmt.nan, fmt.nan)]
        emit(row, text % word, both(min_max(op, nan, xorsign, fmt)), n=14, extra=zeros, sm=msm)
        if "M_FTZ" in row.allowed:
            emit(row, text % (".ftz" + word), both(min_max(op, nan, xorsign, fmt, True)), n=8,
                 extra=[(1, 2), (fmt.sign | 1, 1), (1, fmt.one)], sm=msm)
    elif op in ("ex2", "tanh"):
        inputs = function_inputs(op, base)
        if x2:
            flat = [x[0] for x in inputs]
            inputs = [(x | y << 16,) for x, y in zip(flat, flat[3:] + flat[:3])]
        ftz = ".ftz" if "M_FTZ" in req else ""
        bound = HALF_BOUND[(op, base)]
        if x2:
            bound = bound.replace("16,", "16X2,")
        emit(row, text % (".approx" + ftz), both(approximate(op, fmt, bool(ftz))), inputs=inputs,
             tolerance=bound, sm=90 if base == "BF16" else 80)


# ---------------------------------------------------------------- conversions


def integers_for(t):
    w = width(t)
    c = integer_corners(t) + [x & ((1 << w) - 1) for x in (127, 128, 255, 256, 32768, 65536, 0x7FFFFFFF,
                                                           0x80000000, 0xFFFFFFFF, 0x1000001,
                                                           0x20000000000001, 0x7FFFFFFFFFFFFC00)]
    rng = random.Random(t)
    return sorted(set(c)) + [rng.getrandbits(w) for _ in range(3)]


def extend(x, t, bits):
    """The value x of type t as the bits of a register of `bits` bits."""
    return value(x, t) & ((1 << bits) - 1)


REGISTER = {"U8": 16, "S8": 16}


def register_bits(t):
    return REGISTER.get(t, width(t))


TYPE_OF_BITS = {16: "B16", 32: "B32", 64: "B64"}


def emit_cvt_integers(row):
    d, a = row.type, row.source
    db, ab = register_bits(d), register_bits(a)

    def f(sat, bits):
        def g(x):
            v = value(x, a)
            return extend(clamp(v, d) if sat else v, d, bits)
        return g
    text = "cvt%%s.%s.%s %%%%d, %%%%a;" % (d.lower(), a.lower())
    inputs = [(x,) for x in integers_for(a)]
    emit(row, text % "", f(False, db), types=[TYPE_OF_BITS[ab]], inputs=inputs, dest=letter(TYPE_OF_BITS[db]))
    if "M_SAT" in row.allowed:
        emit(row, text % ".sat", f(True, db), types=[TYPE_OF_BITS[ab]], inputs=inputs,
             dest=letter(TYPE_OF_BITS[db]))
    rng = random.Random(row.id)
    if db < 64 or ab < 64:  # registers wider than the types
        emit(row, text % "", f(False, 64), types=["B64"], dest="d",
             inputs=[(rng.getrandbits(64),) for _ in range(4)])
        if db < 32 and ab < 32:
            emit(row, text % "", f(False, 32), types=["B32"], dest="r",
                 inputs=[(rng.getrandbits(32),) for _ in range(4)])


def float_inputs(t, d):
    """Values around the limits of the integer type d, and halves for the ties."""
    fmt = FORMATS[t]
    w = width(d)
    values = [Fraction(0), Fraction(1, 2), Fraction(3, 2), Fraction(5, 2), Fraction(-1, 2),
              Fraction(-3, 2), Fraction(-5, 2), Fraction(7, 10), Fraction(-7, 10), Fraction(99, 10),
              Fraction(2) ** (w - 1), Fraction(2) ** (w - 1) - 1, -Fraction(2) ** (w - 1),
              -Fraction(2) ** (w - 1) - 1, Fraction(2) ** w, Fraction(2) ** w - 1,
              Fraction(123456789, 1000), Fraction(10) ** 15 + Fraction(1, 3)]
    bits = [encode(number(x), fmt) for x in values]
    return [(b,) for b in dict.fromkeys(bits + [fmt.inf, fmt.inf | fmt.sign, fmt.nan, fmt.sign, 1])]


def emit_cvt_to_integer(row):
    d, a = row.type, row.source
    fmt = FORMATS[a]
    sm = 90 if a == "BF16" else 80

    def f(mode, bits, ftz=False):
        def g(x):
            kind, negative, size = decode(x, fmt, ftz)
            if kind == NAN:
                top = 1 << (width(d) - 1)
                return extend(top if a == "F64" or width(d) == 64 else 0, d, bits)
            if kind == INF:
                v = -(1 << 70) if negative else 1 << 70
            else:
                v = round_integer(size, negative, mode)
                v = -v if negative else v
            return extend(clamp(v, d), d, bits)
        return g
    db = register_bits(d)
    for mode in ("rn", "rz", "rm", "rp"):
        emit(row, "cvt.%si.%s.%s %%d, %%a;" % (mode, d.lower(), a.lower()), f(mode, db),
             inputs=float_inputs(a, d), dest=letter(TYPE_OF_BITS[db]), sm=sm)
    if a == "F32":
        emit(row, "cvt.rpi.ftz.%s.f32 %%d, %%a;" % d.lower(), f("rp", db, True),
             inputs=[(1,), (0x007FFFFF,), (0x00800000,), (0x3F800001,)],
             dest=letter(TYPE_OF_BITS[db]))
    if db < 64 and a != "BF16":
        emit(row, "cvt.rzi.%s.%s %%d, %%a;" % (d.lower(), a.lower()), f("rz", 64),
             inputs=float_inputs(a, d)[:12], dest="d", sm=sm)


def emit_cvt_from_integer(row):
    d, a = row.type, row.source
    fmt = FORMATS[d]
    sm = 90 if d == "BF16" else 80

    def f(mode, sat=False):
        return lambda x: encode(number(Fraction(value(x, a))), fmt, mode, sat=sat)
    ab = register_bits(a)
    inputs = [(x,) for x in integers_for(a)]
    for mode in ("rn", "rz", "rm", "rp"):
        emit(row, "cvt.%s.%s.%s %%d, %%a;" % (mode, d.lower(), a.lower()), f(mode),
             types=[TYPE_OF_BITS[ab]], inputs=inputs if mode == "rn" else inputs[-12:], sm=sm)
    if "M_SAT" in row.allowed:
        emit(row, "cvt.rn.sat.%s.%s %%d, %%a;" % (d.lower(), a.lower()), f("rn", True),
             types=[TYPE_OF_BITS[ab]], inputs=inputs[:6], sm=sm)
    if ab < 64 and d != "BF16":
        rng = random.Random(row.id)
        emit(row, "cvt.rn.%s.%s %%d, %%a;" % (d.lower(), a.lower()), f("rn"), types=["B64"],
             inputs=[(rng.getrandbits(64),) for _ in range(4)], sm=sm)


def moved_nan(bits, af, df):
    """Sign and upper payload of a NaN of format af as a quiet NaN of format df."""
    payload = bits & ((1 << af.mantissa) - 1)
    payload = payload << 52 - af.mantissa >> 52 - df.mantissa
    return (df.sign if bits & af.sign else 0) | df.inf | 1 << df.mantissa - 1 | payload


def emit_cvt_floats(row):
    d, a = row.type, row.source
    df, af = FORMATS[d], FORMATS[a]
    text = "cvt%%s.%s.%s %%%%d, %%%%a;" % (d.lower(), a.lower())
    bf = "BF16" in (d, a)
    sm = 80 if not bf or {d, a} == {"BF16", "F32"} else 90

    def f(mode="rn", ftz=False, sat=False, integral=False):
        def g(x):
            v = decode(x, af, ftz and a == "F32")
            if v[0] == NAN and not sat and (d == "F64" or a == "F64" or (a, d) == ("BF16", "F32")):
                return moved_nan(F32.nan if ftz and a == "F32" else x, af, df)
            if integral and v[0] == NUM:
                v = (NUM, v[1], Fraction(round_integer(v[2], v[1], mode)))
            return encode(v, df, mode, ftz and d == "F32", sat)
        return g
    ties = []
    if af.mantissa > df.mantissa:  # halfway between neighbours of the shorter format, +- one place
        step = 1 << (af.mantissa - df.mantissa)
        for base in (1.0, -1.5, 60000.0, 3e38):
            if from_double(base, af) & (af.sign - 1) == af.inf:
                continue
            b = from_double(base, af)
            b -= b % step
            ties += [(b + step // 2,), (b + step // 2 + 1,), (b + 3 * step // 2,), (b + 1,)]
        least = Fraction(2) ** (df.least - df.mantissa)
        ties += [(encode(number(least * k), af),) for k in (Fraction(1, 2), Fraction(3, 2), Fraction(1, 4), Fraction(3, 4))]
    inputs = ties + [(x,) for x in corners(a)]
    if d == a:
        halfway = [(from_double(x, af),) for x in (0.5, 1.5, 2.5, -0.5, -2.5, 0.7, -0.7, 99.5)]
        for mode in ("rn", "rz", "rm", "rp"):
            emit(row, text % ("." + mode + "i"), f(mode, integral=True), inputs=halfway + inputs, sm=sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".sat", f(sat=True), inputs=inputs, sm=sm)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".rni.ftz", f("rn", True, integral=True), inputs=inputs[-9:], sm=sm)
    elif "M_RND" in row.required:
        for mode in ("rn", "rz", "rm", "rp"):
            emit(row, text % ("." + mode), f(mode), inputs=inputs, sm=sm if mode in ("rn", "rz") else max(sm, 90 if bf else 80))
        if "M_SAT" in row.allowed:
            emit(row, text % ".rn.sat", f(sat=True), inputs=inputs[-12:], sm=90 if bf else sm)
        if "M_FTZ" in row.allowed and not bf:
            emit(row, text % ".rn.ftz", f(ftz=True), inputs=inputs[-12:], sm=sm)
    else:
        emit(row, text % "", f(), inputs=inputs, sm=90 if bf else sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".sat", f(sat=True), inputs=inputs, sm=sm)
        if "M_FTZ" in row.allowed and not bf:
            emit(row, text % ".ftz", f(ftz=True), inputs=inputs, sm=sm)


def emit_cvt_packed(row):
    fmt = FORMATS[row.type.replace("X2", "")]
    for mode in ("rn", "rz"):
        emit(row, "cvt.%s.%s.f32 %%d, %%a, %%b;" % (mode, row.type.lower()),
             lambda a, b: encode(decode(a, F32), fmt, mode) << 16 | encode(decode(b, F32), fmt, mode),
             n=16)


def emit_cvt(row):
    d_float, a_float = row.type in FORMATS, row.source in FORMATS
    if row.type.endswith("X2"):
        emit_cvt_packed(row)
    elif d_float and a_float:
        emit_cvt_floats(row)
    elif d_float:
        emit_cvt_from_integer(row)
    elif a_float:
        emit_cvt_to_integer(row)
    else:
        emit_cvt_integers(row)


# ---------------------------------------------------------------- all of them


def emit_row(row):
    if row.form not in ("LANES", "SETP") or row.id == "MOV_B128":
        return
    if row.opcode == "cvt":
        emit_cvt(row)
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
    with open(OUT, "w", encoding="utf-8") as out:
        out.write(HEAD + "\n" + "\n".join(OUTPUT) + "\n")
    print("%d cases for %d rows" % (len(OUTPUT), len(COVERED)))


if __name__ == "__main__":
    main()
