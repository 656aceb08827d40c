# SPDX-License-Identifier: MIT
"""Cases of comparisons, selections and moves."""
import random
from fractions import Fraction

from opcode_model import (
    F32, FORMATS, INF, NAN, NUM, corners, decode, draw, halves, packed, signed, value, vectors,
    width)
from opcode_rows import emit


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
        beyond = Fraction(10) ** 400  # stands for infinity
        p, q = (signed((NUM, z[1], beyond) if z[0] == INF else z) for z in (x, y))
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
    name = "lt" if "lt" in comparisons_of(t) else "ne"
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
            second = "" if half else "|%q"
            emit(row, "setp.%s.%s.%s %%d%s, %%a, %%b, %s%%c;" % (name, word, ty, second, bang),
                 (lambda *x, f=f: f(*x)[0]) if half else f,
                 types=[t, t, "PRED"], inputs=inputs, dest="p" if half else "pp", sm=sm)
    if "M_FTZ" in row.allowed and not t.endswith("X2"):
        tiny = [(1, 0), (0, 1), (1, FORMATS[t].sign | 1), (1, 1 << FORMATS[t].mantissa)]
        emit(row, "setp.eq.ftz.%s %%d, %%a, %%b;" % ty,
             lambda a, b: int(comparison("eq", a, b, t, True)), inputs=tiny, sm=sm)


def emit_set(row):
    d, t = row.type, row.source
    sm = half_sm(t)
    d_base = d.replace("X2", "")
    one = FORMATS[d_base].one if d_base in FORMATS else (1 << width(d)) - 1
    if t.endswith("X2"):
        one &= 0xFFFF  # in each half
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
