# SPDX-License-Identifier: MIT
"""Pictures of memory: banks, sectors, private counters, latencies and bytes in flight."""

import re
from pathlib import Path

from svg import Picture
from traces import accesses

ROOT = Path(__file__).resolve().parents[1]
LEFT, WIDTH = 150, 760
SECTOR = 32  # bytes
SIZE = (WIDTH - LEFT) / 32


def banks_of(access):
    """{bank: words asked of it}"""
    found = {}
    for address in access["at"]:
        if address is not None:
            found.setdefault(address // 4 % 32, set()).add(address // 4)
    return found


def bank_row(p, y, words, access):
    banks = banks_of(access)
    most = max(len(w) for w in banks.values())
    p.text(0, y + 12, words, "i-small")
    for bank in range(32):
        n = len(banks.get(bank, ()))
        kind = "i-cell" if n == 0 else "i-b" if n == 1 else "i-bad"
        p.rect(LEFT + bank * SIZE, y, SIZE - 1.5, 16, kind, f"bank {bank}: {n} words")
        if n:
            p.text(LEFT + bank * SIZE + SIZE / 2, y + 12, n, "i-small i-white", "middle")
    p.text(0, y + 25, f"{most} wavefront{'s' if most > 1 else ''}", "i-small i-dim")
    return y + 32


def banks(traces, _data):
    p = Picture(WIDTH, "Words that a warp wants of each of the 32 banks, by distance of its lanes")
    p.text(0, 12, "words that warp 0 wants of each bank", "i-bold")
    y = 22
    for variant in ("strided", "padded", "sequential"):
        loads = [s for s in accesses(traces.steps("02_bank_conflicts", variant, 1024, 1024), "load",
                                     "shared") if s["w"] == 0 and len(s["lanes"]) == 32]
        seen = set()
        for step in loads:
            at = step["a"]["at"]
            stride = (at[1] - at[0]) // 4
            if stride in seen or len(seen) == 6 or (variant != "strided" and seen):
                continue
            seen.add(stride)
            y = bank_row(p, y, f"{variant}, lanes {stride} apart", step["a"])
    return p.save()


def sectors(traces, _data):
    p = Picture(WIDTH, "The sectors that the first load of a warp touches: chunked and grid-stride")
    y = 14
    for variant in ("chunked", "grid_stride"):
        step = accesses(traces.steps("06_grid_stride", variant, 4096, 128), "load", "global")[0]
        at = [a for a in step["a"]["at"] if a is not None]
        first = min(at)
        touched = sorted({a // 32 for a in at})
        p.text(0, y, f"{variant}: {len(at)} lanes want {4 * len(at)} bytes and touch "
                     f"{len(touched)} sectors, {32 * len(touched)} bytes", "i-bold")
        width = (WIDTH - 4) / 32
        for i, sector in enumerate(touched[:32]):
            p.rect(2 + i * width, y + 10, width - 3, 22, "i-cell", f"bytes {32 * sector - first}")
            for word in range(8):
                asked = (sector * 32 + word * 4) in at
                if asked:
                    part = (width - 5) / 8
                    p.rect(3 + i * width + word * part, y + 12, part - 0.4, 18, "i-a")
        p.text(2, y + 46, f"neighbouring lanes are {at[1] - at[0]} bytes apart", "i-small i-dim")
        y += 74
    return p.save()


def histograms(traces, _data):
    p = Picture(WIDTH, "Lanes of a warp that add to the same counter in shared memory")
    p.text(0, 12, "32 equal samples: additions per bank of shared memory", "i-bold")
    y = 22
    for variant, words in (("block_equal", "a copy for the block"),
                           ("lanes_equal", "eight interleaved copies")):
        step = next(s for s in accesses(traces.steps("08_histogram", variant, 2048, 256), "atomic",
                                        "shared") if len(s["lanes"]) == 32)
        at = step["a"]["at"]
        p.text(0, y + 12, words, "i-small")
        most = max(at.count(a) for a in at)
        for bank in range(32):
            n = sum(a // 4 % 32 == bank for a in at)
            p.rect(LEFT + bank * SIZE, y, SIZE - 1.5, 16,
                   "i-cell" if n == 0 else "i-bad" if n > 8 else "i-c" if n > 1 else "i-b")
            if n:
                p.text(LEFT + bank * SIZE + SIZE / 2, y + 12, n, "i-small i-white", "middle")
        p.text(0, y + 25, f"queue of {most}", "i-small i-dim")
        y += 34
    return p.save()


LEVELS = (("registers: an addition", "latency/fma/block_256/-:cycles"),
          ("shuffle", "latency/shuffle/block_256/-:cycles"),
          ("shared memory", "latency/shared_load/block_256/-:cycles"),
          ("global memory, 512 MB walked", "latency/pointer_chase/512_mb/-:cycles"),
          ("global memory, 2 GB walked", "latency/pointer_chase/2048_mb/-:cycles"))


def latencies(_traces, data):
    p = Picture(WIDTH, "Cycles until a value is there, measured on an H200")
    p.text(0, 12, "latency in cycles", "i-bold")
    rows = [(words, float(data.value("h200-baseline:" + key))) for words, key in LEVELS]
    most, y = max(cycles for _, cycles in rows), 22
    for words, cycles in rows:
        width = max(3, (WIDTH - 280) * cycles / most)
        p.text(0, y + 13, words)
        p.rect(200, y, width, 18, "i-a")
        p.text(206 + width, y + 13, f"{cycles:.0f}")
        y += 25
    return p.save()


def device_constant(name):
    """A number of the H200 as the software GPU describes it."""
    text = (ROOT / "common/simt/profile/devices/h200.def").read_text("utf-8")
    return float(re.search(rf"\.{name} = ([\d.]+)", text)[1])


def pyramid(_traces, data):
    """Size, bandwidth and latency of each kind of memory, of the whole GPU."""
    def calibrated(name):
        return float(data.value(f"h200-calibration:{name}:value"))

    def cycles(key):
        return f"{float(data.value(f'h200-baseline:latency/{key}/-:cycles')):.0f} cycles"

    sms = calibrated("n_sms")
    shared = 128 / calibrated("interval_shared_load_4") * calibrated("clock_hz") * sms
    levels = (
        ("registers", "one thread", device_constant("registers_per_sm") * 4 * sms, None,
         cycles("fma/block_256")),
        ("shared memory", "one block", calibrated("shared_bytes_per_sm") * sms, shared,
         cycles("shared_load/block_256")),
        ("L2 cache", "all blocks", calibrated("l2_bytes"), calibrated("read_l2") * 1e9,
         cycles("pointer_chase/32_mb")),
        ("global memory", "all blocks", device_constant("dram_bytes"),
         float(data.value("ceiling")) * 1e9, cycles("pointer_chase/2048_mb")))
    p = Picture(WIDTH, "The memories of an H200: who can use them, size, bandwidth and latency")
    for x, words in ((470, "size"), (570, "TB/s"), (WIDTH - 6, "latency")):
        p.text(x, 12, words, "i-small i-dim", "end" if x > 700 else "middle")
    for i, (name, who, size, rate, latency) in enumerate(levels):
        y, width = 22 + 46 * i, 170 + 70 * i
        p.rect(200 - width / 2, y, width, 38, ("i-b", "i-a", "i-d", "i-c")[i])
        p.text(200, y + 17, name, "i-bold i-white", "middle")
        p.text(200, y + 31, f"for {who}", "i-small i-white", "middle")
        small = size < 1e9
        p.text(470, y + 24, f"{size / 1e6:.0f} MB" if small else f"{size / 1e9:.0f} GB", "",
               "middle")
        p.text(570, y + 24, f"{rate / 1e12:.1f}" if rate else "", "", "middle")
        p.text(WIDTH - 6, y + 24, latency, "", "end")
    p.text(0, 22 + 46 * len(levels) + 8, "Measured on an H200, sizes and TB/s of all its "
           f"{sms:.0f} multiprocessors together.", "i-small")
    return p.save()


def in_flight(traces, data):
    """Little's law: what must be under way, and what a multiprocessor full of threads has."""
    p = Picture(WIDTH, "Bytes a multiprocessor must have in flight, and what three loops have")
    ceiling = float(data.value("ceiling"))
    cycles = float(data.value("h200-baseline:latency/pointer_chase/2048_mb/-:cycles"))
    needed = ceiling * cycles / 1.98 / 132
    rows = [("needed: bandwidth × latency", needed, "i-c")]
    for variant in ("grid_stride", "unroll_8", "vectors"):
        row = "simt-lessons:06_grid_stride/" + variant + ":counters."
        mean = float(data.value(row + "global_load_bytes")) / float(
            data.value(row + "global_load_groups"))
        per_warp = SECTOR * round(mean / SECTOR)  # the last turns, which load less, left out
        rows.append((f"{variant}: 64 warps × {per_warp:,} bytes", 64 * per_warp,
                     "i-b" if 64 * per_warp >= needed else "i-bad"))
    most, y = max(value for _, value, _ in rows), 10
    limit = 240 + (WIDTH - 330) * needed / most
    for words, value, kind in rows:
        width = (WIDTH - 330) * value / most
        p.text(0, y + 13, words)
        p.rect(240, y, width, 18, kind)
        p.text(6 + max(240 + width, limit), y + 13, f"{value / 1000:.1f} kB")
        y += 25
    p.line(limit, 4, limit, y)
    return p.save()


PICTURES = {"pyramid": pyramid, "banks": banks, "sectors": sectors, "histograms": histograms,
            "latencies": latencies, "in_flight": in_flight}
