# SPDX-License-Identifier: MIT
"""Cases of f32, f64, f16 and bf16 arithmetic."""
import math
import random
from fractions import Fraction

from opcode_model import (
    F32, F64, FORMATS, INF, NAN, NUM, add, corners, decode, div, encode, mul, negate, packed,
    random_float, root)
from opcode_rows import emit, operands_of


def flushed(bits, fmt):
    """A subnormal becomes a zero of its sign."""
    return bits & fmt.sign if (bits & (fmt.sign - 1)) < 1 << fmt.mantissa else bits


def min_max(op, nan_wins, xorsign, fmt, ftz=False):
    def f(a, b):
        if ftz:
            a, b = flushed(a, fmt), flushed(b, fmt)
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
        if x <= 0:
            return -math.inf if x == 0 else math.nan
        return x if math.isinf(x) else math.log2(x)

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
        return flushed(bits, fmt) if ftz else bits
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


TINY = {  # operands whose results .ftz flushes, by number of sources
    1: [(0x1,), (0x80000001,), (0x007FFFFF,), (0x7F000001,), (0x00800000,)],
    2: [(0x1, 0x3F800000), (0x00800000, 0x807FFFFF), (0x00FFFFFF, 0x80800000),
        (0x00800000, 0x3F000000), (0x3F800000, 0x1), (0x80800000, 0x40000000),
        (0x00FFFFFF, 0x3F000000), (0x80FFFFFF, 0x3F000000), (0x00800001, 0x3F7FFFFF)],
    3: [(0x1, 0x3F800000, 0x3F800000), (0x00800000, 0x3F000000, 0x0),
        (0x00800000, 0x3F800000, 0x80C00000), (0x3F800000, 0x3F800000, 0x1),
        (0x00800000, 0xB3000000, 0x00800000), (0x1FFFFFFF, 0x1FFFFFFF, 0)],
}


def zeros_and_nans(fmt):
    return [(0, fmt.sign), (fmt.sign, 0), (fmt.nan, 5), (fmt.one, fmt.nan), (fmt.nan, fmt.nan)]


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
            n = 24 if forced and mode == "rn" else 12
            emit(row, text % ("." + mode), arithmetic(op, fmt, mode), n=n)
        if "M_FTZ" in row.allowed:
            for mode in ("rn", "rz", "rp"):
                emit(row, text % ("." + mode + ".ftz"), arithmetic(op, fmt, mode, True), n=8,
                     extra=TINY[row.n])
        if "M_SAT" in row.allowed:
            emit(row, text % (".rn.sat" if forced else ".sat"),
                 arithmetic(op, fmt, "rn", False, True), n=12)
            emit(row, text % ".rp.ftz.sat", arithmetic(op, fmt, "rp", True, True), n=8)
    elif op == "div":
        near = [(random_float(random.Random(i), "F32"), random_float(random.Random(i + 99), "F32"))
                for i in range(8)]
        special = [(0x3F800000, 0), (0xBF800000, 0), (0, 0), (0x7F800000, 0x40000000),
                   (0x3F800000, 0x7F800000), (0xBF800000, 0x7E800000), (0x7FC00000, 0x3F800000),
                   (0x7F800000, 0x7F800000)]
        word = ".approx" if "M_APPROX" in req else ".full"
        emit(row, text % word, arithmetic(op, fmt), inputs=near + special,
             tolerance="ULPS(F32, 2)")
        emit(row, text % (word + ".ftz"), arithmetic(op, fmt, "rn", True), inputs=near + special +
             [(1, 0x3F800000), (0x3F800000, 1)], tolerance="ULPS(F32, 2)")
    elif op in ("rcp", "sqrt") and t == "F32":
        emit(row, text % ".approx", arithmetic(op, fmt), n=20, tolerance="ULPS(F32, 1)")
        emit(row, text % ".approx.ftz", arithmetic(op, fmt, "rn", True), n=20,
             tolerance="ULPS(F32, 1)")
    elif op == "rcp":
        emit(row, text % ".approx.ftz", arithmetic(op, fmt, "rn", True), n=18,
             tolerance="RELATIVE(F64, 20)")
    elif op == "rsqrt" and t == "F64":
        word = ".approx.ftz" if "M_FTZ" in req else ".approx"
        emit(row, text % word, approximate(op, fmt, "M_FTZ" in req), n=18,
             tolerance="RELATIVE(F64, %d)" % (20 if "M_FTZ" in req else 50))
    elif op in F32_BOUND:
        emit(row, text % ".approx", approximate(op, fmt), inputs=function_inputs(op, t),
             tolerance=F32_BOUND[op])
        if "M_FTZ" in row.allowed:
            emit(row, text % ".approx.ftz", approximate(op, fmt, True),
                 inputs=function_inputs(op, t), tolerance=F32_BOUND[op])
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
        emit(row, text % word, min_max(op, nan, xorsign, fmt), n=14, extra=zeros_and_nans(fmt),
             sm=sm)
        if "M_FTZ" in row.allowed:
            emit(row, text % (".ftz" + word), min_max(op, nan, xorsign, fmt, True), n=8,
                 extra=[(1, 2), (fmt.sign | 1, 1), (1, fmt.one)], sm=sm)
    elif op == "copysign":
        emit(row, text % "", lambda a, b: (a & fmt.sign) | (b & (fmt.sign - 1)), n=8)


HALF_BOUND = {("ex2", "F16"): "RELATIVE(F16, 9)", ("ex2", "BF16"): "RELATIVE(BF16, 7)",
              ("tanh", "F16"): "ABSOLUTE(F16, 10)", ("tanh", "BF16"): "RELATIVE(BF16, 7)"}


def emit_rectified(row, text, fmt, both):
    def rectified(ftz):
        def f(*bits):
            r = arithmetic(row.opcode, fmt, ftz=ftz)(*bits)
            return fmt.nan if decode(r, fmt)[0] == NAN else 0 if r & fmt.sign else r
        return f
    emit(row, text % ".rn.relu", both(rectified(False)), n=18)
    if "M_FTZ" in row.allowed:
        emit(row, text % ".rn.ftz.relu", both(rectified(True)), n=6)


def emit_half(row):
    t, op, req = row.type, row.opcode, row.required
    x2 = t.endswith("X2")
    base = t.replace("X2", "")
    fmt, ty = FORMATS[base], t.lower()
    sm = 90 if base == "BF16" else 80
    text = "%s%%s.%s %%%%d, %s;" % (op, ty, operands_of(row.n, True))
    both = packed if x2 else (lambda f: f)
    if "M_RELU" in req:
        emit_rectified(row, text, fmt, both)
    elif op in ("add", "sub", "mul", "fma"):
        forced = "M_RND" in req
        emit(row, text % (".rn" if forced else ""), both(arithmetic(op, fmt)), n=18,
             sm=80 if op == "fma" else sm)
        if not forced:
            emit(row, text % ".rn", both(arithmetic(op, fmt)), n=6, sm=sm)
        if "M_SAT" in row.allowed:
            emit(row, text % ".rn.sat", both(arithmetic(op, fmt, sat=True)), n=12, sm=sm)
            tiny = {2: [(1, 0x3C00), (0x400, 0x83FF), (0x7FF, 0x8400), (0x400, 0x3800),
                        (0x7FF, 0x3800)],
                    3: [(1, 0x3C00, 0x3C00), (0x400, 0x3800, 0), (0x3C00, 0x3C00, 1),
                        (0x8640, 0xA7F, 0x400)]}[row.n]
            emit(row, text % ".rn.ftz", both(arithmetic(op, fmt, ftz=True)), n=8, extra=tiny,
                 sm=sm)
            emit(row, text % ".rn.ftz.sat", both(arithmetic(op, fmt, ftz=True, sat=True)), n=4,
                 extra=tiny, sm=sm)
    elif op in ("abs", "neg"):
        def f(ftz):
            def g(a):
                a = flushed(a, fmt) if ftz else a
                if decode(a, fmt)[0] == NAN:
                    return fmt.nan  # as measured on an H100
                return a & (fmt.sign - 1) if op == "abs" else a ^ fmt.sign
            return g
        numbers = corners(base)
        uppers = reversed(numbers) if x2 else [0] * len(numbers)
        pairs = [(x | y << 16,) for x, y in zip(numbers, uppers)]
        emit(row, text % "", both(f(False)), inputs=pairs)
        if "M_FTZ" in row.allowed:
            emit(row, text % ".ftz", both(f(True)), inputs=pairs)
    elif op in ("min", "max"):
        nan, xorsign = "M_NAN" in req, "M_XORSIGN_ABS" in req
        word = (".NaN" if nan else "") + (".xorsign.abs" if xorsign else "")
        msm = 86 if xorsign else 80
        emit(row, text % word, both(min_max(op, nan, xorsign, fmt)), n=14,
             extra=zeros_and_nans(fmt), sm=msm)
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
