# SPDX-License-Identifier: MIT
"""Exact arithmetic for the opcode cases: binary formats, fractions rounded once, integers of any
length, and the operands that are tried. Independent of the simulator."""
import math
import re
from fractions import Fraction


# ---- formats and exact floats

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
    if ftz:  # judged as if exponents had no end
        unit = Fraction(2) ** (exponent_of(x) - fmt.mantissa)
        if round_integer(x / unit, negative, mode) * unit < Fraction(2) ** fmt.least:
            return sign
    e = max(exponent_of(x), fmt.least)
    units = round_integer(x / Fraction(2) ** (e - fmt.mantissa), negative, mode)
    bits = units + ((e - fmt.least) << fmt.mantissa)  # the leading one adds 1 to the exponent
    if bits >= fmt.inf:
        finite = mode == "rz" or mode == ("rp" if negative else "rm")
        return sign | (fmt.inf - 1 if finite else fmt.inf)
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
    scaled_root = Fraction(low) if exact else Fraction(2 * low + 1, 2)
    return NUM, False, scaled_root / Fraction(2) ** (shift // 2)


# ---- integers

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


# ---- operands

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
