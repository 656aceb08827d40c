# SPDX-License-Identifier: MIT
"""What a modelled time is bound by: a short name, a sentence, and the counter in which to look for
the line of source that is to blame."""

BOUNDS = {
    "launch": ("launch", "The fixed cost of a launch is most of it: give it more elements "
               "(N=2^24).", None),
    "latency": ("latency", "Its warps mostly wait for each other and for memory: more independent "
                "loads per thread, or fewer steps one after another, would shorten it.",
                "global_requests"),
    "dram": ("DRAM", "It moves data as fast as the memory does: the limit of a reduction.",
             "global_sectors"),
    "l2": ("L2", "It is held up by the L2 cache: fewer sectors would help.", "global_sectors"),
    "l1": ("L1", "It is held up by scattered accesses: neighbouring lanes should access "
           "neighbouring words.", "global_sectors"),
    "shared": ("shared memory", "It is held up by passes over shared memory's banks.",
               "shared_wavefronts"),
    "issue": ("issue", "It is held up by the sheer number of instructions.", "warp_instructions"),
    "lanes": ("units", "It is held up by the sheer number of instructions of one kind.",
              "warp_instructions"),
    "barrier": ("barriers", "It is held up by warps that arrive at barriers.", "block_barriers"),
    "block": ("block starts", "It is held up by the start of blocks: let a block do more.", None),
    "atomic": ("atomics", "It is held up by atomics that wait for each other.", "atomic_lanes"),
    "link": ("link", "It is held up by the link to another device's memory.", None),
}


def name(bound):
    """The short name; "-" where there is none, as of a time that was measured or not judged."""
    return BOUNDS[bound][0] if bound in BOUNDS else bound or "-"


def sentence(bound):
    return BOUNDS[bound][1] if bound in BOUNDS else ""


def counter(bound):
    return BOUNDS[bound][2] if bound in BOUNDS else None
