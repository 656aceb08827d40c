# SPDX-License-Identifier: MIT
"""Is every rung of the ladder a step? Each is held against the rung that it improves on, as
measured with 256 threads and n = 2^28: two are *apart* when p10 to p90 of their times do not
overlap, else they tie. {{rungs}} is the table; {{rung 02}} says it of one lesson in its chapter, so
that a chapter cannot claim a step that the stored run does not show.

A rung that is no step needs a reason in WHY, which the chapter then gives; a reason for a rung that
is one is a leftover. The test book_scripts holds both against the stored data.
"""

from macros import grouped
from stored_data import UnknownKey

N, BLOCK = "2^28", 256

# lesson/variant of each rung, and the one it improves on: as a rule in the same program, timed in
# turns.
PAIRS = (
    ("01_shared_tree/modulo", "00_naive_atomic/one_address"),
    ("01_shared_tree/strided", "01_shared_tree/modulo"),
    ("02_bank_conflicts/sequential", "02_bank_conflicts/strided"),
    ("03_upper_half/first_add", "03_upper_half/sequential"),
    ("04_warp_sync/barrier_first", "04_warp_sync/full_tree"),
    ("04_warp_sync/warp_fold", "04_warp_sync/barrier_first"),
    ("04_warp_sync/unrolled", "04_warp_sync/warp_fold"),
    ("05_shuffle/last_warp", "05_shuffle/unrolled"),
    ("05_shuffle/warp_first", "05_shuffle/last_warp"),
    ("06_grid_stride/vectors", "05_shuffle/warp_first"),
)

# Why a rung ties with the one before (or is slower).
WHY = {
    "04_warp_sync/barrier_first": "one barrier of nine is saved, and what it cost is less than two "
                                  "runs differ",
}


class Rung:
    """One rung beside the one before it; UnknownKey where the stored run lacks one of them."""

    def __init__(self, data, name, before):
        self.name, self.before = name, before
        mine, other = self.times(data, name), self.times(data, before)
        self.ratio = other[1] / mine[1]
        self.mine = mine
        self.verdict = ("faster" if mine[2] < other[0] else "slower" if mine[0] > other[2]
                        else "ties")

    @staticmethod
    def times(data, name):
        """p10, median and p90 in ms."""
        return [float(data.value(f"h200-sweep:{name}/-/{N}/{BLOCK}:{quantity}"))
                for quantity in ("time_p10_ms", "time_ms", "time_p90_ms")]

    def words(self):
        if self.verdict == "ties":
            why = WHY.get(self.name, "and we do not know why")
            return f"takes the same time, as far as p10 to p90 can tell: {why}"
        text = f"is {grouped(self.ratio, 2 if self.ratio < 100 else 0)} times as fast"
        if self.verdict == "slower" and self.name in WHY:
            text += f": {WHY[self.name]}"
        return text


def measured(data):
    """The rungs that the stored run holds."""
    found = []
    for name, before in PAIRS:
        try:
            found.append(Rung(data, name, before))
        except UnknownKey:
            continue
    return found


def table(data):
    """{{rungs}}"""
    lines = ["| Rung | Before it | ms | p10 to p90 | Times as fast | |",
             "|---|---|--:|--:|--:|---|"]
    for rung in measured(data):
        p10, median, p90 = rung.mine
        lines.append(f"| `{rung.name}` | `{rung.before}` | {median:.4g} | {p10:.4g} to {p90:.4g} | "
                     f"{grouped(rung.ratio, 2 if rung.ratio < 100 else 0)} | "
                     f"{'apart' if rung.verdict != 'ties' else 'ties'} |")
    return "\n".join(lines)


def of_lesson(data, number):
    """{{rung 02}}: the rungs of one lesson, a sentence each."""
    found = [rung for rung in measured(data) if rung.name.startswith(number + "_")]
    if not found:
        raise UnknownKey(f"no rung of lesson {number} was measured with n = {N}")
    return " ".join(f"Compared with `{rung.before.split('/')[1]}`, "
                    f"`{rung.name.split('/')[1]}` {rung.words()}."
                    for rung in found)


def complaints(data):
    """Ties without a reason, and reasons without a tie; what is missing."""
    found = measured(data)
    for rung in found:
        if rung.verdict != "faster" and rung.name not in WHY:
            yield f"{rung.name} {rung.verdict} beside {rung.before}: its reason is missing in WHY"
        if rung.verdict == "faster" and rung.name in WHY:
            yield f"{rung.name} is a step ({rung.ratio:.3f}): its reason in WHY is a leftover"
    left_out = " ".join(data.table("h200-sweep").provenance.get("left_out", []))
    for name, before in PAIRS:
        if name in {rung.name for rung in found} or name in left_out or before in left_out:
            continue
        yield f"{name} or {before} was not measured with n = {N} and {BLOCK} threads"
