# SPDX-License-Identifier: MIT
"""Cases of cvt."""
import random
from fractions import Fraction

from opcode_floats import from_double
from opcode_model import (
    F32, FORMATS, INF, NAN, NUM, clamp, corners, decode, encode, integer_corners, number,
    round_integer, value, width)
from opcode_rows import emit, letter


def integers_for(t):
    w = width(t)
    limits = (127, 128, 255, 256, 32768, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x1000001,
              0x20000000000001, 0x7FFFFFFFFFFFFC00)
    c = integer_corners(t) + [x & ((1 << w) - 1) for x in limits]
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
    emit(row, text % "", f(False, db), types=[TYPE_OF_BITS[ab]], inputs=inputs,
         dest=letter(TYPE_OF_BITS[db]))
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
            if (a, d) == ("BF16", "F32") and v[0] == NAN and not ftz:
                return x << 16  # "an unspecified NaN" (PTX ISA): here a mere shift
            if v[0] == NAN and not sat and "F64" in (a, d):
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
        ties += [(encode(number(least * k / 4), af),) for k in (2, 6, 1, 3)]
    inputs = ties + [(x,) for x in corners(a)]
    if d == a:
        halfway = [(from_double(x, af),) for x in (0.5, 1.5, 2.5, -0.5, -2.5, 0.7, -0.7, 99.5)]
        for mode in ("rn", "rz", "rm", "rp"):
            emit(row, text % ("." + mode + "i"), f(mode, integral=True), inputs=halfway + inputs,
                 sm=sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".sat", f(sat=True), inputs=inputs, sm=sm)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".rni.ftz", f("rn", True, integral=True), inputs=inputs[-9:], sm=sm)
    elif "M_RND" in row.required:
        for mode in ("rn", "rz", "rm", "rp"):
            directed = mode in ("rm", "rp")
            emit(row, text % ("." + mode), f(mode), inputs=inputs, sm=90 if bf and directed else sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".rn.sat", f(sat=True), inputs=inputs[-12:], sm=90 if bf else sm)
        if "M_FTZ" in row.allowed and not bf:
            emit(row, text % ".rn.ftz", f(ftz=True), inputs=inputs[-12:], sm=sm)
    else:
        emit(row, text % "", f(), inputs=inputs, sm=90 if bf else sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".sat", f(sat=True), inputs=inputs, sm=sm)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".ftz", f(ftz=True), inputs=inputs, sm=90 if bf else sm)
        if d == "F32":  # NaNs of both signs, quiet and not, with something in them
            nans = [(af.inf | 1,), (af.sign | af.inf | 1,), (af.sign | af.nan,), (2 * af.sign - 1,)]
            emit(row, text % "", f(), inputs=nans, sm=90 if bf else sm)
            emit(row, text % ".ftz", f(ftz=True), inputs=nans, sm=90 if bf else sm)


def emit_cvt_packed(row):
    fmt = FORMATS[row.type.replace("X2", "")]
    for mode in ("rn", "rz"):
        def half(x, mode=mode):
            return encode(decode(x, F32), fmt, mode)
        relu = "M_RELU" in row.required

        def kept(x):  # without the sign of a number
            return half(0 if x & F32.sign and x <= F32.sign | F32.inf else x)
        each = kept if relu else half
        emit(row, "cvt.%s.%s%s.f32 %%d, %%a, %%b;" % (
            mode, "relu." if relu else "", row.type.lower()),
             lambda a, b, each=each: each(a) << 16 | each(b), n=16)


# The magnitudes of the floats of 8 bits, by their bits: E4M3 has a NaN in the place of its last
# number and no infinity.
EIGHT = {"E4M3X2": [Fraction(n if n < 8 else (8 + n % 8) << n // 8 - 1, 512) for n in range(127)],
         "E5M2X2": [Fraction(n if n < 4 else (4 + n % 4) << n // 4 - 1, 65536)
                    for n in range(124)]}


def narrow_eight(x, t, fmt):
    """The bits of type t nearest to the number with the bits x, what is too large the largest."""
    kind, negative, size = decode(x, fmt)
    if kind == NAN:
        return 0x7F
    sizes = EIGHT[t]
    if kind == INF:
        size = sizes[-1]
    nearest = min(range(len(sizes)), key=lambda n: (abs(sizes[n] - size), n & 1))
    return negative << 7 | nearest


def widen_eight(x, t):
    size, negative = x & 0x7F, bool(x & 0x80)
    if size < len(EIGHT[t]):
        return encode((NUM, negative, EIGHT[t][size]), FORMATS["F16"])
    is_infinity = t == "E5M2X2" and size == 0x7C
    return encode((INF if is_infinity else NAN, negative, Fraction(0)), FORMATS["F16"])


def eight_inputs(t, fmt):
    """Neighbours, the numbers halfway between them and those just beside."""
    sizes = EIGHT[t]
    middles = [(a + b) / 2 for a, b in zip(sizes, sizes[1:])]
    chosen = sizes[:6] + sizes[7:10] + sizes[-3:] + middles[:9] + middles[-3:]
    bits = [encode(number(x), fmt) for x in chosen + [sizes[-1] * 2, Fraction(464), Fraction(465)]]
    bits += [b + d for b in bits[-15:-3] for d in (-1, 1)]
    bits += [b | fmt.sign for b in bits[::3]] + [fmt.inf, fmt.inf | fmt.sign, fmt.nan, fmt.inf | 1]
    return list(dict.fromkeys(bits))


def emit_cvt_eight(row):
    d, a = row.type, row.source
    if a in EIGHT:
        emit(row, "cvt.rn.f16x2.%s %%d, %%a;" % a.lower(),
             lambda x: widen_eight(x >> 8, a) << 16 | widen_eight(x & 0xFF, a),
             inputs=[(n << 8 | 255 - n,) for n in range(0, 256, 3)], sm=90)
        return
    if a == "F32":
        bits = eight_inputs(d, F32)
        emit(row, "cvt.rn.satfinite.%s.f32 %%d, %%a, %%b;" % d.lower(),
             lambda x, y: narrow_eight(x, d, F32) << 8 | narrow_eight(y, d, F32),
             inputs=list(zip(bits, bits[5:] + bits[:5])), sm=90)
        return
    fmt = FORMATS["F16"]
    bits = eight_inputs(d, fmt)
    emit(row, "cvt.rn.satfinite.%s.f16x2 %%d, %%a;" % d.lower(),
         lambda x: narrow_eight(x >> 16, d, fmt) << 8 | narrow_eight(x & 0xFFFF, d, fmt),
         inputs=[(x << 16 | y,) for x, y in zip(bits, bits[7:] + bits[:7])], sm=90)


def emit_cvt_tf32(row):
    """The 19 upper bits of a float, rounded; NaNs as an H100 has them."""
    relu = "M_RELU" in row.required

    def f(mode):
        def g(x):
            kind, negative, size = decode(x, F32)
            if mode == "rna":
                if kind != NUM:
                    return x >> 13 << 13
                units = x & 0x7FFFFFFF
                return (units + 0x1000 >> 13 << 13) | (x & 0x80000000)
            if kind == NAN:
                return 0x7FFFE000
            if relu and x >> 31:
                return 0
            if kind == INF:
                return x
            units = round_integer(Fraction(x & 0x7FFFFFFF, 1 << 13), negative, mode)
            return units << 13 | (x & 0x80000000)
        return g
    inputs = [(x,) for x in (0x3F801000, 0x3F803000, 0xBF801000, 0x3F800FFF, 0x3F801001, 0x7F7FF000,
                             0x7F7FEFFF, 0xFF800001, 0x7FFFFFFF, 0x00000FFF, 0x00001000,
                             0x80001000)] + [(x,) for x in corners("F32")]
    for mode in ["rna"] if "M_RNA" in row.required else ["rn", "rz"]:
        emit(row, "cvt.%s%s.tf32.f32 %%d, %%a;" % (mode, ".relu" if relu else ""), f(mode),
             inputs=inputs, sm=80 if mode == "rna" else 90)


def emit_cvt_pack(row):
    bits = width(row.type)

    def f(a, b, c=0):
        parts = [clamp(value(x, "S32"), row.type) & ((1 << bits) - 1) for x in (a, b)]
        return (c << 2 * bits | parts[0] << bits | parts[1]) & 0xFFFFFFFF
    third = row.n == 3
    emit(row, "cvt.pack.sat.%s.s32%s %%d, %%a, %%b%s;" % (
        row.type.lower(), ".b32" * third, ", %c" * third), f, n=12,
         extra=[(x, y, 0x12345678)[:row.n]
                for x, y in ((1, 2), (-1 & 0xFFFFFFFF, 70000), (300, 127), (0x80000000, 3),
                             (8, 0xFFFFFFF8))])


def emit_cvt(row):
    if row.type == "TF32":
        return emit_cvt_tf32(row)
    if "M_PACK" in row.required:
        return emit_cvt_pack(row)
    d_float, a_float = row.type in FORMATS, row.source in FORMATS
    if row.type in EIGHT or row.source in EIGHT:
        emit_cvt_eight(row)
    elif row.type.endswith("X2"):
        emit_cvt_packed(row)
    elif d_float and a_float:
        emit_cvt_floats(row)
    elif d_float:
        emit_cvt_from_integer(row)
    elif a_float:
        emit_cvt_to_integer(row)
    else:
        emit_cvt_integers(row)
