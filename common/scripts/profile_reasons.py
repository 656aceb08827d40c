# SPDX-License-Identifier: MIT
"""Why a GPU's count is not the software GPU's, by metric and class of variant.

The software GPU counts PTX, warp by warp; a GPU runs the machine code that ptxas makes of it, and its
counters look at that. Each reason holds for a metric, for lessons and variants that match, and in one
direction; the first that fits is given. What no reason fits has none, and the check of the stored
table (profile.py --check) then fails.
"""

import re

# metric, pattern of lesson/variant, "more" or "fewer" on the GPU or "any", the reason
REASONS = [
    *[(metric, r"^10_.*/groups", "fewer",
       "Ours are counts of clang's PTX, which takes the sixteen bytes kept in shared memory apart, into words; "
       "nvcc moves them at once.")
      for metric in ("global load requests", "global load sectors", "shared load requests",
                     "shared load wavefronts", "shared store requests", "shared store wavefronts",
                     "shared bank conflicts", "bytes read from memory")],
    ("active lanes per instruction", r"^10_", "fewer",
     "A tile that waits looks again and again, in part with a single lane; how often is a matter of timing."),
    *[(metric, r"^06_.*/adaptive", "more",
       "The collecting block empties the other blocks' places as they come: lanes whose turn comes later "
       "store apart. How many is a matter of timing.")
      for metric in ("global store requests", "global store sectors", "global load requests",
                     "global load sectors")],
    ("votes, warp reductions", r"^06_.*/adaptive", "more",
     "One vote a warp that the compiler puts in; the PTX has none."),
    ("warp barriers", r"^06_.*/adaptive", "more",
     "After lanes have waited apart the compiler brings the warp together, before the shuffles."),

    ("shared store wavefronts", r"^10_", "fewer",
     "A tile's ticket is stored by one lane, 8 bytes. The software GPU counts a pass for each half of the "
     "warp, as such stores were timed (h200-wavefronts.csv); the profiler counts one where one lane stores."),

    ("warp instructions", r"^00_.*/spread_|^01_.*/modulo", "more",
     "A remainder is one PTX instruction and some twenty of the machine."),
    ("warp instructions", r"/int_one_address", "more",
     "The compiler adds up the ints of a warp first, and that takes instructions."),
    ("warp instructions", r"", "any",
     "Another instruction set: a PTX instruction becomes several of the machine, or none (a "
     "conversion, a constant, an address that fits a load)."),

    ("active lanes per instruction", r"/grid_sync", "fewer",
     "In NVIDIA's grid barrier one thread of a block waits and looks, again and again."),
    ("active lanes per instruction", r"", "more",
     "Short branches become predicates: the lanes that do nothing count as active."),

    ("diverging branches", r"", "fewer",
     "The compiler turns short branches into predicates; only what is left of them can diverge."),

    ("shared load requests", r"^08_", "fewer",
     "The compiler joins four loads of neighbouring words into one of 16 bytes."),
    ("shared load wavefronts", r"^08_", "fewer",
     "Four loads in one: the 16-byte loads need fewer passes over the banks."),
    ("shared bank conflicts", r"^08_", "fewer",
     "Four loads in one: the 16-byte loads need fewer passes over the banks."),
    ("shared load wavefronts", r"", "more",
     "The profiler counts passes lost to other traffic in the L1 too (data coming from memory uses "
     "the same banks); their number differs from run to run."),
    ("shared store wavefronts", r"", "more",
     "The profiler counts passes lost to other traffic in the L1 too (data coming from memory uses "
     "the same banks); their number differs from run to run."),
    ("shared bank conflicts", r"", "more",
     "The profiler counts passes lost to other traffic in the L1 too (data coming from memory uses "
     "the same banks); their number differs from run to run."),

    ("global load requests", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code: one thread of a block reads the flag until it changes."),
    ("barriers (warps at them)", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code, with a block barrier before and after; ours is counted apart."),
    ("shuffles", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),
    ("fences", r"/grid_sync", "more", "NVIDIA's grid barrier is code, with a fence in every block."),
    ("global atomics", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code, with an atomic for every block."),
    ("warp barriers", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),
    ("votes, warp reductions", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),

    ("global load requests", r"^10_", "more",
     "A tile that waits looks again and again; how often is a matter of timing."),
    ("global load sectors", r"^10_", "more",
     "A tile that waits looks again and again; how often is a matter of timing."),
    ("shuffles", r"^10_", "more",
     "A tile that waits looks again and again; how often is a matter of timing."),
    ("votes, warp reductions", r"^10_", "more",
     "A tile that waits looks again and again; how often is a matter of timing."),

    ("votes, warp reductions", r"/int_one_address", "more",
     "The compiler adds up the ints of a warp and sends one atomic: a vote and a reduction a warp."),
    ("votes, warp reductions", r"/masked", "more",
     "A shuffle whose mask is known only at run time is preceded by a vote."),
    ("warp barriers", r"/masked|^09_|^10_", "more",
     "Where the compiler cannot prove that a warp is together, it brings it together before a "
     "shuffle."),
    ("warp barriers", r"", "fewer",
     "A barrier of a full warp that is together anyway costs nothing: the compiler leaves it out."),

    ("bytes read from memory", r"/chunked", "fewer",
     "A sector holds eight elements of one thread: seven of its eight reads find it in the L1."),
    ("bytes read from memory", r"", "fewer",
     "What several blocks or loads read, the sums of the tiles, comes from a cache after the first."),
    ("bytes read from memory", r"^00_|^08_", "more",
     "Atomics fetch the words that they change; the program's own text and constants are read too."),
]


def reason_for(metric, lesson, variant, software, gpu):
    direction = "more" if gpu > software else "fewer"
    for of_metric, pattern, way, text in REASONS:
        if of_metric == metric and way in ("any", direction) and re.search(
                pattern, f"{lesson}/{variant}"):
            return text
    return ""
