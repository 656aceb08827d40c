# SPDX-License-Identifier: MIT
"""Pictures of who does what: threads and their elements, trees, divergence, shuffles, scans."""

from svg import FOUR, Picture, number
from traces import accesses, additions, rounds, words_after

LEFT, WIDTH = 96, 760
SIZE = (WIDTH - LEFT) / 32


def index_map(traces, _data):
    """Blocks, threads and the elements they take: the values of i, and who passes the guard."""
    n, block = 75, 32
    p = Picture(WIDTH, f"{n} elements, blocks of {block} threads: the index of each thread")
    x, size = 4, (WIDTH - 32) / (3 * block)
    for b in range(3):
        steps = traces.steps("00_naive_atomic", "one_address", n, block, which=b)
        index = next(s["r"][2] for s in steps if s["x"].startswith("mad.lo"))
        having = {lane for s in accesses(steps, "load", "global") for lane in s["lanes"]}
        p.text(x, 12, f"block {b}", "i-bold")
        p.cells(x, 18, size, [FOUR[b] if t in having else "i-cell" for t in range(block)],
                height=18)
        for t in (0, block - 1):
            anchor = "end" if t else "start"
            at = x + (t + 1 if t else 0) * size
            p.text(at, 50, f"threadIdx.x {t}", "i-small i-dim", anchor)
            p.text(at, 63, f"i = {index[t]}", "i-small", anchor)
        x += block * size + 12
    p.text(4, 82, "i = blockIdx.x * blockDim.x + threadIdx.x. Filled: threads that have an "
           f"element, i < {n}; the others do nothing.", "i-small")
    return p.save()


def atomics(traces, _data):
    """Lanes of a warp and the addresses they add to."""
    p = Picture(WIDTH, "The 32 lanes of a warp add to one address, or each to its own")
    y = 16
    for variant, words in (("one_address", "one address"), ("spread_32", "32 addresses")):
        step = accesses(traces.steps("00_naive_atomic", variant, 32, 32), "atomic", "global")[0]
        at = step["a"]["at"]
        places = sorted(set(at))
        first = places[0]
        longest = max(at.count(a) for a in places)
        p.text(0, y + 4, words, "i-bold")
        p.text(0, y + 66, f"queue: {longest}", "i-dim")
        p.cells(LEFT, y - 8, SIZE, ["i-a"] * 32)
        for place in places:
            target = LEFT + ((place - first) / 4 if len(places) > 1 else 15.5) * SIZE
            depth = 0
            for lane, address in enumerate(at):
                if address != place:
                    continue
                depth += 1
                p.curve(LEFT + lane * SIZE + SIZE / 2, y + SIZE - 8, target + SIZE / 2, y + 52)
            p.rect(target, y + 52, SIZE - 1.5, SIZE - 1.5, "i-bad" if depth > 1 else "i-b",
                   f"{depth} additions")
        y += 104
    return p.save()


def workers(p, y, steps, threads):
    """A row per round of a tree: the threads that add, coloured by warp. Returns the next y."""
    size = (WIDTH - LEFT) / threads
    for part in rounds(steps):
        adding = {32 * s["w"] + lane for s in additions(part) for lane in s["lanes"]}
        if not adding:
            continue
        busy = len({t // 32 for t in adding})
        p.text(0, y + 10, f"{len(adding)} add, {busy} warp{'s' if busy > 1 else ''}", "i-small")
        p.cells(LEFT, y, size, [FOUR[t // 32 % 4] if t in adding else "i-cell"
                                for t in range(threads)], height=14)
        y += 17
    return y


def tree(traces, _data):
    p = Picture(WIDTH, "Which of 128 threads add in each step of the tree, modulo and strided; "
                       "one colour per warp")
    y = 14
    for variant, words in (("modulo", "modulo: t % (2 * s) == 0"),
                           ("strided", "strided: place = 2 * s * t")):
        p.text(0, y, words, "i-bold")
        y = workers(p, y + 8, traces.steps("01_shared_tree", variant, 128, 128), 128) + 22
    return p.save()


def divergence(traces, _data):
    """Time runs to the right: a column per instruction of warp 0, a row per lane."""
    p = Picture(WIDTH, "Active lanes of warp 0, instruction by instruction, modulo and strided")
    y = 14
    for variant in ("modulo", "strided"):
        steps = [s for s in traces.steps("01_shared_tree", variant, 64, 64) if s["w"] == 0]
        narrow = sum(len(s["lanes"]) < 32 for s in steps)
        p.text(0, y, f"{variant}: {len(steps)} instructions of warp 0, {narrow} of them with "
                     "inactive lanes", "i-bold")
        width = (WIDTH - 4) / max(len(steps), 1)
        for i, step in enumerate(steps):
            kind = "i-on" if len(step["lanes"]) == 32 else "i-c"
            runs, start = [], None
            for lane in range(33):
                if lane < 32 and lane in step["lanes"]:
                    start = lane if start is None else start
                elif start is not None:
                    runs.append((start, lane))
                    start = None
            for first, last in runs:
                p.rect(2 + i * width, y + 6 + first * 2.4, width, (last - first) * 2.4, kind)
        y += 106
    p.text(0, y - 4, "Blue: all 32 lanes. Brown: some of them; the others wait.", "i-small")
    return p.save()


def upper_half(traces, _data):
    p = Picture(WIDTH, "Loads and additions of 64 threads: sequential, and adding while loading")
    y = 14
    for variant in ("sequential", "first_add"):
        steps = traces.steps("03_upper_half", variant, 128, 64)
        loads = accesses(steps, "load", "global")
        count = sum(len(s["lanes"]) for s in loads)
        p.text(0, y, f"{variant}: a block of 64 threads loads {count} elements", "i-bold")
        size = (WIDTH - LEFT) / 64
        per_thread = [sum(32 * s["w"] + lane == t for s in loads for lane in s["lanes"])
                      for t in range(64)]
        p.text(0, y + 18, "loads", "i-small")
        p.cells(LEFT, y + 8, size, ["i-b" if k else "i-cell" for k in per_thread], per_thread, 14)
        y = workers(p, y + 26, steps, 64) + 22
    return p.save()


def lane_order(traces, _data):
    """Which lane executes when, under two schedules that CUDA allows."""
    p = Picture(WIDTH, "The unsynchronised fold: reads and writes, in lockstep and lane by lane")
    y = 14
    for schedule, words in ((None, "in lockstep: every step all lanes together"),
                            ("lane-serial", "lane by lane, which CUDA allows as well")):
        recorded = traces.steps("04_warp_sync", "volatile_fold", 128, 64, schedule=schedule)
        steps = [s for s in recorded if s["w"] == 0 and "a" in s and s["a"]["space"] == "shared"]
        fold = [s for s in steps if max(s["lanes"]) < 32][-200:]
        p.text(0, y, f"{words} ({len(fold)} accesses shown)", "i-bold")
        width = (WIDTH - 4) / len(fold)
        for i, s in enumerate(fold):
            kind = "i-a" if s["a"]["kind"] == "load" else "i-c"
            for lane in s["lanes"]:
                p.rect(2 + i * width, y + 6 + lane * 2.4, max(width, 1.2), 2.2, kind)
        y += 104
    p.text(0, y - 4, "Time runs to the right, a line per lane. Blue reads, brown writes.",
           "i-small")
    return p.save()


def shuffles(traces, _data):
    p = Picture(WIDTH, "Shuffles of a warp: down in five steps, and the butterfly")
    y = 14
    for variant, words in (("warp_first", "__shfl_down_sync: towards lane 0"),
                           ("butterfly", "__shfl_xor_sync: both partners get the sum")):
        steps = [s for s in traces.steps("05_shuffle", variant, 64, 32) if s["w"] == 0]
        p.text(0, y, words, "i-bold")
        y += 8
        shown = 0
        for i, step in enumerate(steps):
            if step.get("c", {}).get("kind") != "shuffle" or shown == 5:
                continue
            shown += 1
            distance = max(abs(f - k) for k, f in enumerate(step["c"]["from"]) if f is not None)
            p.text(0, y + 26, f"distance {distance}", "i-small")
            for lane, source in enumerate(step["c"]["from"]):
                if source is not None and source != lane:
                    p.curve(LEFT + (source + 0.5) * SIZE, y, LEFT + (lane + 0.5) * SIZE, y + 30)
            total = next(s for s in steps[i:] if s["x"].startswith("add") and "r" in s)["r"][2]
            p.cells(LEFT, y + 31, SIZE, ["i-cell"] * 32, [number(v) for v in total], 15)
            y += 48
        y += 24
    p.text(0, y - 6, "The last row has the value of lane 0 only: the compiler makes the last "
           "addition where its result is used.", "i-small")
    return p.save()


def warp_scan(traces, _data):
    """Hillis and Steele in the registers of a warp."""
    steps = [s for s in traces.steps("09_scan", "warp_scan", 64, 32) if s["w"] == 0]
    p = Picture(WIDTH, "The scan of a warp by five shuffles: each lane adds the value of the lane "
                       "1, 2, 4, 8, 16 places before")
    p.text(0, 12, "__shfl_up_sync, and an addition where there is a lane so far before", "i-bold")
    loaded = accesses(steps, "load", "global")[0]["r"][2]
    p.text(0, 32, "loaded", "i-small")
    p.cells(LEFT, 21, SIZE, ["i-cell"] * 32, [number(v) for v in loaded], 15)
    y, shuffled = 36, [i for i, s in enumerate(steps) if s.get("c", {}).get("kind") == "shuffle"]
    for i in shuffled[:5]:
        source = steps[i]["c"]["from"]
        after = next(s for s in steps[i:] if s["x"].startswith("selp"))["r"][2]
        distance = max(lane - f for lane, f in enumerate(source))
        p.text(0, y + 35, f"distance {distance}", "i-small")
        for lane, f in enumerate(source):
            if f != lane:
                p.curve(LEFT + (f + 0.5) * SIZE, y, LEFT + (lane + 0.5) * SIZE, y + 24)
        p.cells(LEFT, y + 25, SIZE, ["i-a" if lane >= distance else "i-cell" for lane in range(32)],
                [number(v) for v in after], 15)
        y += 41
    return p.save()


def sources(part, before, now):
    """[(place, place)]: from which words of the step before a word was made. A lane's loads and
    stores are known, and a word is the copy of one or the sum of two of those that it loaded."""
    loads, found = {}, []
    for step in part:
        for lane, address in enumerate(step.get("a", {}).get("at", ())):
            if address is None or step["a"]["space"] != "shared":
                continue
            mine = loads.setdefault((step["w"], lane), set())
            if step["a"]["kind"] == "load":
                mine.add(address // 4)
                continue
            place = address // 4
            if place >= len(now) or max(mine, default=0) >= len(before):
                continue
            copied = [a for a in mine if a != place and before[a] == now[place]]
            added = [(a, b) for a in mine for b in mine
                     if a < b and before[a] + before[b] == now[place]]
            used = added[0] if added else copied[:1]
            found += [(a, place) for a in used]
    return sorted(set(found))


def scans(traces, _data):
    p = Picture(WIDTH, "Shared memory after each step of two scans")
    y, n = 14, 32
    for variant, words in (
            ("hillis_steele", "Hillis and Steele: each step adds the value d places before"),
            ("blelloch", "Blelloch: up the tree, then down")):
        p.text(0, y, f"{words} (the first 16 of {n} places)", "i-bold")
        y += 8
        steps, before, row = traces.steps("09_scan", variant, n, n), None, 0
        done, part = [], []
        for more in rounds(steps):
            done, part = done + more, part + more
            now = words_after(done, 40)[:16]
            if now == before or all(v is None for v in now):
                continue
            changed = [before is None or a != b for a, b in zip(now, before or now)]
            for source, place in sources(part, before, now) if before else ():
                p.line(LEFT + (2 * source + 0.95) * SIZE, y - 19 + 17, LEFT
                       + (2 * place + 0.95) * SIZE, y + 13, "i-arrow")
            y += 13 if before else 0
            p.text(0, y + 11, f"step {row}" if row else "loaded", "i-small")
            p.cells(LEFT, y, 2 * SIZE, ["i-a" if c and row else "i-cell" for c in changed],
                    [number(v) for v in now], 16)
            y, before, row, part = y + 18, now, row + 1, []
        y += 22
    p.text(0, y - 6, "Blue: changed by the step; the lines come from the words that were added or "
           "copied.", "i-small")
    return p.save()


def halves(traces, _data):
    """A wave of 64 lanes that is two warps: where each step's values come from."""
    steps = traces.steps("14_portable", "first_64", 128, 64)
    size = (WIDTH - LEFT) / 64
    p = Picture(WIDTH, "The six steps of a wave of 64 lanes that is two warps: the first crosses "
                       "from half to half through shared memory, the others are shuffles")
    p.text(LEFT, 12, "lanes 0 to 31, a warp", "i-bold")
    p.text(LEFT + 32 * size, 12, "lanes 32 to 63, another", "i-bold")
    y = 20
    for step, sources in enumerate(sources_of_64(steps)):
        distance = 32 >> step
        p.text(0, y + 22, f"distance {distance}", "i-small")
        p.text(0, y + 34, "two barriers" if step == 0 else "a shuffle", "i-small i-dim")
        p.cells(LEFT, y, size, ["i-a"] * 32 + ["i-b"] * 32, height=9)
        for lane, source in sources.items():
            kind = "i-to-c" if source // 32 != lane // 32 else "i-arrow"
            p.curve(LEFT + (source + 0.45) * size, y + 8, LEFT + (lane + 0.45) * size, y + 38, kind)
        p.cells(LEFT, y + 38, size, ["i-a"] * 32 + ["i-b"] * 32, height=9)
        y += 58
    p.text(0, y, "Brown: through shared memory, to the other half. Blue: between registers of the "
           "same warp.", "i-small")
    return p.save()


def sources_of_64(steps):
    """[{lane: the lane it reads}] of the first fold of a wave of 64: a step through shared memory,
    then five shuffles."""
    stores, loads = accesses(steps, "store", "shared"), accesses(steps, "load", "shared")
    owner = {place: 32 * s["w"] + lane for s in reversed(stores[:2])
             for lane, place in zip(s["lanes"], s["a"]["at"])}
    crossing = {32 * s["w"] + lane: owner[place] for s in loads[:2]
                for lane, place in zip(s["lanes"], s["a"]["at"])}
    found = [crossing, {}, {}, {}, {}, {}]
    seen = {}
    for step in steps:
        if step.get("c", {}).get("kind") == "shuffle":
            seen[step["w"]] = seen.get(step["w"], 0) + 1
            if seen[step["w"]] <= 5:
                found[seen[step["w"]]] |= {32 * step["w"] + lane: 32 * step["w"] + source
                                           for lane, source in enumerate(step["c"]["from"])}
    return found


PICTURES = {"index_map": index_map, "atomics": atomics, "tree": tree, "divergence": divergence,
            "upper_half": upper_half, "lane_order": lane_order, "shuffles": shuffles,
            "scans": scans, "warp_scan": warp_scan, "halves": halves}
