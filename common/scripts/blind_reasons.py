# SPDX-License-Identifier: MIT
"""Why kernels of the second blind set's open half are modelled more than a fifth off, kernel by
kernel. Every such kernel needs a row, and no other may have one; the kept half is not looked at.
"""

import blind_second

FAR = 0.2  # of the measured time

TWO_COMPILERS = ("Two compilers: with the PTX that nvcc makes of it, which unrolls its loop, the "
                 "same model is off by {}.")
NOT_THE_COMPILER = "The PTX that nvcc makes of it gives the same. "

REASONS = {
    "kepler": "A mistake of the model: it charged a division of doubles like a product, and not "
              "what its micro-benchmark had measured (div_f64).",
    "unit_vectors": "Three stores of neighbouring words, one after the other: the model sends the "
                    "sectors of each to the L2. The time measured leaves room for them only once, "
                    "so they must be joined before.",
    "queens": "Arrays that are indexed by the thread lie in local memory. The model takes them for "
              "other memory; how an L1 keeps them was not measured.",
    "cyclic": TWO_COMPILERS.format("15 %, 7 % and 0 %"),
    "two_places": "Reads all over 64 MiB, more than half an L2: like gather and scatter of the "
                  "first set. The L2's two halves and the TLB are not modelled.",
    "overlap": NOT_THE_COMPILER + "Each lane walks along two stretches of 64 bytes. Not known.",
    "pull": NOT_THE_COMPILER + "Each lane walks along a stretch until it finds something. Not "
            "known.",
    "forest": NOT_THE_COMPILER + "Few warps, and loads of many lines, each of which depends on "
              "the one before: how long such a load takes was not measured.",
    "fir": "Sixteen loads per thread, one word further each, so nearly all of them straddle two "
           "lines. Perhaps these cost the L1 more: the cost of two lines is cited for other "
           "strides.",
    "carry_along": NOT_THE_COMPILER + "Its loads straddle lines, as fir's do.",
    "lamps": NOT_THE_COMPILER + "At the smallest size only. Not known.",
    "big_multiply": NOT_THE_COMPILER + "The assembler makes one instruction of a wide product and "
                    "both sums that it goes into; the model, of a product and one sum.",
    "pack": "At the smallest size only: the atomics' bound is their rate, without the time until "
            "the first one is sent and the last one answered.",
}


def errors_of(rows):
    """{kernel: its frozen errors, by size}."""
    found = {}
    for row in sorted(rows, key=lambda row: (row["kernel"], int(row["n"]))):
        found.setdefault(row["kernel"], []).append(row["frozen_ms"] / row["measured_ms"] - 1)
    return found


def explained():
    """[(kernel, its errors as text, why)], those that are off most first."""
    errors = {name: found for name, found in errors_of(blind_second.half("open")).items()
              if max(map(abs, found)) > FAR}
    if set(errors) != set(REASONS):
        raise SystemExit("blind_reasons.py: REASONS needs a row for " +
                         (", ".join(sorted(set(errors) - set(REASONS))) or "none more") +
                         ", and none for " +
                         (", ".join(sorted(set(REASONS) - set(errors))) or "others"))
    return [(name, ", ".join(f"{100 * error:+.0f} %" for error in errors[name]), REASONS[name])
            for name in sorted(errors, key=lambda name: -max(map(abs, errors[name])))]
