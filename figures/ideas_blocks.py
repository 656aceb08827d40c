# SPDX-License-Identifier: MIT
"""Pictures of threads and blocks in time: who comes before whom, and who waits for whom."""

import re
import struct

from ideas_memory import device_constant
from svg import Picture, number
from traces import accesses

WIDTH = 760
BLOCK = 256  # threads, where it does not matter for the picture


def operand(steps, step):
    """What each lane stores: the value of the last operand, as an earlier step left it."""
    name = re.findall(r"%\w+", step["x"])[-1]
    values = [None] * 32
    for s in steps:
        if s["w"] == step["w"] and s["t"] < step["t"] and s.get("r", ("",))[0] == name:
            values = [old if new is None else new for old, new in zip(values, s["r"][2])]
    return values


# ---- Two threads and one number.

def update_events(steps):
    """[(thread, words, kind)] in the order in which the steps ran."""
    target = accesses(steps, "store", "global") or accesses(steps, "atomic", "global")
    place = next(a for a in target[0]["a"]["at"] if a is not None)
    found = []
    for step in steps:
        at = step.get("a", {}).get("at", [None] * 32)
        for lane in step["lanes"]:
            if at[lane] == place and step["a"]["kind"] == "load":
                found.append((lane, f"reads {step['r'][2][lane]}", "i-a"))
            elif at[lane] == place and step["a"]["kind"] == "store":
                found.append((lane, f"writes {operand(steps, step)[lane]}", "i-c"))
            elif at[lane] == place:
                found.append((lane, f"adds {operand(steps, step)[lane]}", "i-b"))
            elif step["x"].startswith("add.s32") and step["r"][2][lane] is not None:
                found.append((lane, f"makes {step['r'][2][lane]}", "i-d"))
    return found


def lost_update(traces, _data):
    p = Picture(WIDTH, "Two threads add 3 and 5 to one number that begins at 10: in step, one "
                       "after the other, and by atomicAdd")
    y = 14
    for variant, schedule, words in (
            ("plain", None, "sum += 3 and sum += 5, both threads in step"),
            ("plain", "lane-serial", "the same program, one thread after the other"),
            ("atomic", None, "atomicAdd: reading, adding and writing are one")):
        events = update_events(traces.steps("lost_update", variant, 2, 2, schedule=schedule))
        said, _ = traces.entries("lost_update", variant, 2, 2, schedule=schedule)
        total = next(entry["sum"] for entry in said if "sum" in entry)
        p.text(0, y, words, "i-bold")
        for thread in range(2):
            p.text(0, y + 22 + 24 * thread, f"thread {thread}", "i-small")
        for i, (thread, event, kind) in enumerate(events):
            p.rect(70 + 92 * i, y + 8 + 24 * thread, 88, 20, kind)
            p.text(114 + 92 * i, y + 22 + 24 * thread, event, "i-small i-white", "middle")
        p.text(WIDTH - 4, y + 34, f"sum = {total}", "i-bold" if total == 18 else "i-bold i-wrong",
               "end")
        y += 78
    p.text(0, y - 8, "Time runs to the right. 18 is right; nothing reports the lost addition.",
           "i-small")
    return p.save()


# ---- Two passes, or a last block.

def finish_events(steps, n_blocks):
    """[(block, words, kind, what)] of thread 0: partial sums, fences, counts, reads."""
    partials = {next(a for a in accesses([s for s in steps if s["block"] == b], "store",
                                         "global")[0]["a"]["at"] if a is not None)
                for b in range(n_blocks)}
    found, reading = [], set()
    for step in steps:
        at = [a for a in step.get("a", {}).get("at", ()) if a is not None]
        kind = step.get("a", {}).get("kind")
        if kind == "store" and set(at) & partials:
            found.append((step["block"], "stores its sum", "i-a", "store"))
        elif kind == "atomic":
            old = step["r"][2][step["lanes"][0]]
            found.append((step["block"], f"counts: {old + 1} of {n_blocks}", "i-d", "count"))
        elif step["x"].startswith(("membar", "fence")) and 0 in step["lanes"]:
            found.append((step["block"], "fence", "i-c", "fence"))
        elif kind == "load" and set(at) & partials and step["block"] not in reading:
            reading.add(step["block"])
            found.append((step["block"], "reads all sums", "i-b", "read"))
        elif kind == "store" and reading and step["a"]["space"] == "global":
            found.append((step["block"], "total", "i-b", "total"))
    return found


def draw_events(p, y, events, n_rows, width, left=56):
    """Boxes, one column per event; the sums that are read have lines to where they were stored."""
    read = next((i for i, event in enumerate(events) if event[3] == "read"), None)
    for row in range(n_rows):
        p.text(0, y + 14 + 24 * row, f"block {row}", "i-small")
    for i, (row, words, kind, what) in enumerate(events):
        x = left + width * i
        if what == "store" and read is not None:
            to = left + width * read
            p.curve(x + width / 2, y + 20 + 24 * row, to + 4, y + 24 * events[read][0] + 10)
    for i, (row, words, kind, what) in enumerate(events):
        x, lines = left + width * i, words.split(" ", 1)
        p.rect(x, y + 24 * row, width - 3, 20, kind, f"block {row} {words}")
        for k, line in enumerate(lines):
            p.text(x + (width - 3) / 2, y + 24 * row + (13 if len(lines) == 1 else 8.5 + 8 * k),
                   line, "i-tiny i-white", "middle")
    return y + 24 * n_rows


def finishing(traces, _data):
    n_blocks, n, block = 4, 4096, 32
    p = Picture(WIDTH, f"{n_blocks} blocks finish a sum: in two launches, and by the block that "
                       "counts last")
    p.text(0, 12, "two passes: the end of a launch orders everything before it", "i-bold")
    first = finish_events(traces.blocks("06_grid_stride", "vectors", n, block, n_blocks,
                                        schedule="random:1"), n_blocks)
    second = traces.blocks("06_grid_stride", "vectors", n_blocks, block, 1)
    events = first + [(0, "reads all sums", "i-b", "read")]
    assert accesses(second, "load", "global") and accesses(second, "store", "global")
    events.append((0, "total", "i-b", "total"))
    y = draw_events(p, 22, events, n_blocks, 60)
    border = 56 + 60 * len(first) - 2
    p.line(border, 18, border, y)
    p.text(border + 4, y + 6, "launch 2", "i-small")
    p.text(border - 8, y + 6, "launch 1", "i-small", "end")
    y += 30
    p.text(0, y, "one launch: the block that completes the count is the last", "i-bold")
    events = finish_events(traces.blocks("06_grid_stride", "last_block", n, block, n_blocks,
                                         schedule="random:1"), n_blocks)
    y = draw_events(p, y + 10, events, n_blocks, (WIDTH - 60) / len(events))
    p.text(0, y + 12, "The first fence of a block puts its sum before its count; the second puts "
                      "the full count before the reading of the sums.", "i-small")
    return p.save()


# ---- A barrier for the grid.

def residents(p, y, multiprocessors, each):
    """A column for each multiprocessor, a cell for each of its places; one block is left over."""
    fit, size = multiprocessors * each, (WIDTH - 60) / multiprocessors
    p.text(0, y, f"{fit:,} blocks of {BLOCK} threads fit: {each} on each of {multiprocessors} "
           "multiprocessors", "i-bold")
    for sm in range(multiprocessors):
        for place in range(each):
            p.rect(sm * size, y + 8 + place * 7, size - 0.8, 6, "i-b")
    p.rect(WIDTH - 40, y + 8 + 7 * (each - 1), size + 3, 6, "i-bad")
    p.text(WIDTH, y + 8 + 7 * each + 12, f"block {fit:,} has no place", "i-small i-wrong", "end")
    p.text(0, y + 8 + 7 * each + 12, "If all wait for the one that has no place, none ever ends: "
           "so the launch is refused.", "i-small")
    return y + 8 + 7 * each + 18


def grid_barrier(traces, _data):
    n_blocks, n, block = 4, 4096, 32
    p = Picture(WIDTH, "Four blocks at a grid barrier, and how many blocks can be resident")
    steps = traces.blocks("07_cooperative_groups", "grid_sync", n, block, n_blocks)
    at_barrier = {s["p"] for s in steps if any(g[1] == "grid" for g in s["g"])}
    end, left = max(s["t"] for s in steps) + 1, 56
    scale = (WIDTH - left - 4) / end
    p.text(0, 12, "grid.sync(): every block waits for every other", "i-bold")
    for b in range(n_blocks):
        mine = [s for s in steps if s["block"] == b]
        arrives = next(i for i, s in enumerate(mine) if s["p"] in at_barrier)
        first, stop = mine[0]["t"], mine[arrives]["t"]
        goes_on, last = mine[arrives + 1]["t"], mine[-1]["t"]
        y = 24 + 24 * b
        p.text(0, y + 13, f"block {b}", "i-small")
        p.rect(left + first * scale, y, (stop - first + 1) * scale, 18, "i-a", "its own sum")
        p.rect(left + (stop + 1) * scale, y + 7, (goes_on - stop - 1) * scale, 4, "i-c", "waits")
        p.rect(left + goes_on * scale, y, max(3, (last - goes_on + 1) * scale), 18, "i-b",
               "after the barrier")
    p.text(0, 24 + 24 * n_blocks + 10, f"Time runs to the right, {end:,} warp instructions in all. "
           "Blue: its own sum. Brown: waits. Green: after the barrier; block 0 adds the sums up.",
           "i-small")
    residents(p, 24 + 24 * n_blocks + 40, round(device_constant("n_sms")),
              round(device_constant("max_threads_per_sm")) // BLOCK)
    return p.save()


# ---- Looking back.

STATUS = ("invalid", "aggregate", "inclusive prefix")
STATUS_KIND = ("i-cell", "i-c", "i-b")
STATUS_LINE = ("i-line i-faint", "i-to-c", "i-to-b")


def as_float(bits):
    return struct.unpack("f", struct.pack("I", bits))[0]


def look_back_events(steps):
    """[(tile, what, other tile or None, status, value)], and nothing twice in a row."""
    tickets, found = {}, []
    words = [a for s in accesses(steps, "store", "global") if s["a"]["bytes"] == 8
             for a in s["a"]["at"] if a is not None]
    base = min(words)
    for step in steps:
        kind, wide = step.get("a", {}).get("kind"), step.get("a", {}).get("bytes") == 8
        at = next((a for a in step.get("a", {}).get("at", ()) if a is not None), None)
        if kind == "atomic":
            tickets[step["block"]] = step["r"][2][step["lanes"][0]]
            found.append((tickets[step["block"]], "draws", None, 0, None))
        elif kind == "store" and wide:
            mine = [s for s in steps if s["block"] == step["block"]]
            word = operand(mine, step)[step["lanes"][0]]
            value = as_float(word >> 32)
            found.append((tickets[step["block"]], "publishes", None, word & 3, value))
        elif kind == "load" and wide and at >= base and 0 in step["lanes"] and "r" in step:
            word = step["r"][2][0]
            event = (tickets[step["block"]], "reads", (at - base) // 8, word & 3, None)
            if event not in found[-len(tickets):]:
                found.append(event)
    return found


def look_back(traces, _data):
    n_tiles, block = 6, 32
    steps = traces.blocks("10_single_pass_scan", "plain", 4 * block * n_tiles, block, n_tiles,
                          schedule="random:17")
    events = [e for e in look_back_events(steps) if e[1] != "draws"]
    p = Picture(WIDTH, f"{n_tiles} tiles publish and look back, in the order in which it happened")
    left, row = 50, 40
    width = (WIDTH - left - 4) / len(events)
    p.text(0, 12, "the variant plain: what each tile publishes, and which words it reads", "i-bold")
    for tile in range(n_tiles):
        y = 24 + row * tile
        p.text(0, y + 14, f"tile {tile}", "i-small")
        p.line(left, y + 10, WIDTH - 4, y + 10, "i-line i-faint")
    for i, (tile, what, other, status, value) in enumerate(events):
        x, y = left + width * (i + 0.5), 24 + row * tile + 10
        half = min(17, width / 2 - 1)
        if what == "publishes":
            kind = STATUS_KIND[status]
            p.rect(x - half, y - 9, 2 * half, 18, kind,
                   f"tile {tile} publishes its {STATUS[status]}")
            p.text(x, y + 3, number(round(value)), "i-tiny i-white", "middle")
        else:
            p.line(x, 24 + row * other + 10, x, y, STATUS_LINE[status])
            p.dot(x, y, 3, STATUS_KIND[status],
                  f"tile {tile} reads the word of tile {other}: {STATUS[status]}")
    y = 24 + row * n_tiles
    p.rect(0, y, 12, 10, "i-c")
    p.text(16, y + 9, "aggregate: the sum of the tile", "i-small")
    p.rect(190, y, 12, 10, "i-b")
    p.text(206, y + 9, "inclusive prefix: the sum up to its end", "i-small")
    p.dot(428, y + 5, 3, "i-cell")
    p.text(436, y + 9, "nothing published yet: read again", "i-small")
    return p.save()


PICTURES = {"lost_update": lost_update, "finishing": finishing, "grid_barrier": grid_barrier,
            "look_back": look_back}
