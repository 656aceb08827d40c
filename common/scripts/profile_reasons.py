# SPDX-License-Identifier: MIT
"""Why a GPU's count is not the software GPU's, by metric and class of variant.

The software GPU counts PTX, warp by warp; a GPU runs the machine code that ptxas makes of it, and
its counters look at that. Each reason holds for a metric, for lessons and variants that match, and
in one direction; the first that fits is given. What no reason fits has none, and the check of the
stored table (profile.py --check) then fails.
"""

import re

# metric, pattern of lesson/variant, "more" or "fewer" on the GPU or "any", the reason
REASONS = [
    *[(metric, r"^10_.*/(vectors|ahead)$", "fewer",
       "The software GPU counts clang's PTX, which loads one of a tile's four rows twice; the "
       "second time the L1 has it. nvcc keeps it in registers.")
      for metric in ("global load requests", "global load sectors")],
    ("hit rate of L1", r"^10_.*/(vectors|ahead|groups|groups_ints)$", "fewer",
     "The software GPU runs clang's PTX, which loads one of a tile's four rows twice; the second "
     "time the L1 has it. nvcc keeps it in registers."),
    ("hit rate of L1", r"^10_", "fewer",
     "A waiting tile polls, past the L1; how often depends on timing."),
    ("hit rate of L2", r"^10_.*/(chained|plain|window|one_by_one)$", "more",
     "A waiting tile polls, and finds the same word in the L2; how often depends on timing."),
    *[(metric, r"^09_|^10_.*/three_phases|^11_.*/scaled", way,
       "The profiler empties the caches before each kernel, so a second one reads the input from "
       "DRAM again; the software GPU empties them before a variant, and the input is still in the "
       "L2.")
      for metric, way in (("hit rate of L2", "fewer"), ("bytes read from DRAM", "more"))],
    ("hit rate of L2", r"^06_.*/chunked", "more",
     "DRAM gives two sectors at a time. The second is in the L2 when a thread asks for it, which "
     "the profiler calls a hit; here both count as read from DRAM. The bytes agree."),
    ("bytes read from DRAM", r"^12_.*_skewed", "fewer",
     "The L2 is simulated for a sample of its lines, and scaled by the touches in it. Here one "
     "line, outside the sample, has half of all touches: the others are scaled up too far."),
    *[(metric, r"^13_", "any",
       "The software GPU ran the lesson with four GPUs, the profiler with one: other launches and "
       "other partial sums.")
      for metric in ("kernel launches", "global load requests", "global load sectors",
                     "global store requests", "global store sectors", "shared load requests",
                     "shared load wavefronts", "shared store requests", "shared store wavefronts",
                     "barriers (warps at them)", "shuffles", "hit rate of L1", "hit rate of L2",
                     "bytes read from DRAM", "bytes written to DRAM")],
    ("barriers (warps at them)", r"^14_.*_64$", "fewer",
     "The software GPU counts barriers, and takes each for one of the whole block; those here "
     "hold two warps."),
    *[(metric, r"^10_.*/groups", "fewer",
       "The software GPU counts clang's PTX, which moves the sixteen bytes kept in shared memory "
       "word by word; nvcc moves them at once.")
      for metric in ("global load requests", "global load sectors", "shared load requests",
                     "shared load wavefronts", "shared store requests", "shared store wavefronts",
                     "shared bank conflicts", "bytes read from memory")],
    ("active lanes per instruction", r"^10_", "fewer",
     "A waiting tile polls, in part with a single lane; how often depends on timing."),
    *[(metric, r"^06_.*/adaptive", "more",
       "The collecting block empties the other blocks' slots as their sums arrive; a lane whose "
       "sum arrives later stores in a request of its own. How many do so depends on timing.")
      for metric in ("global store requests", "global store sectors", "global load requests",
                     "global load sectors")],
    ("votes, warp reductions", r"^06_.*/adaptive", "more",
     "The compiler inserts one vote per warp; the PTX has none."),
    ("warp barriers", r"^06_.*/adaptive", "more",
     "After lanes have polled separately, the compiler makes the warp reconverge before the "
     "shuffles."),

    ("shared store wavefronts", r"^10_", "fewer",
     "A tile's ticket is stored by one lane, 8 bytes. The software GPU counts a pass for each half "
     "of the warp, as such stores were timed (h200-wavefronts.csv); the profiler counts one where "
     "one lane stores."),

    ("warp instructions", r"^00_.*/spread_|^01_.*/modulo", "more",
     "A remainder is one PTX instruction and about twenty machine instructions."),
    ("warp instructions", r"/int_one_address", "more",
     "The compiler adds up the ints of a warp first, which takes instructions."),
    ("warp instructions", r"", "any",
     "A different instruction set: a PTX instruction becomes several machine instructions, or none "
     "(a conversion, a constant, an address that fits a load)."),

    ("active lanes per instruction", r"^08_.*_skewed|^11_|^12_|^13_", "fewer",
     "Where lanes go apart, the machine code has another number of instructions for few of them "
     "than the PTX."),
    ("active lanes per instruction", r"/grid_sync", "fewer",
     "In NVIDIA's grid barrier one thread of each block polls."),
    ("active lanes per instruction", r"", "more",
     "Short branches become predicates: lanes that do nothing still count as active."),

    ("diverging branches", r"", "fewer",
     "The compiler turns short branches into predicates; only what is left of them can diverge."),

    ("shared load requests", r"^08_", "fewer",
     "The compiler joins four loads of neighbouring words into one of 16 bytes."),
    ("shared load wavefronts", r"^08_", "fewer",
     "Four loads in one: the 16-byte loads need fewer passes over the banks."),
    ("shared bank conflicts", r"^08_", "fewer",
     "Four loads in one: the 16-byte loads need fewer passes over the banks."),
    ("shared load wavefronts", r"", "more",
     "The profiler also counts passes lost to other traffic in the L1 (data arriving from memory "
     "uses the same banks); their number differs from run to run."),
    ("shared store wavefronts", r"", "more",
     "The profiler also counts passes lost to other traffic in the L1 (data arriving from memory "
     "uses the same banks); their number differs from run to run."),
    ("shared bank conflicts", r"", "more",
     "The profiler also counts passes lost to other traffic in the L1 (data arriving from memory "
     "uses the same banks); their number differs from run to run."),

    ("global load requests", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code: one thread of a block reads the flag until it changes."),
    ("barriers (warps at them)", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code, with a block barrier before and after; the software GPU's is "
     "counted separately."),
    ("shuffles", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),
    ("fences", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code, with a fence in every block."),
    ("global atomics", r"/grid_sync", "more",
     "NVIDIA's grid barrier is code, with an atomic for every block."),
    ("warp barriers", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),
    ("votes, warp reductions", r"/grid_sync", "more", "NVIDIA's grid barrier is code of its own."),

    ("global load requests", r"^10_", "more",
     "A waiting tile polls; how often depends on timing."),
    ("global load sectors", r"^10_", "more",
     "A waiting tile polls; how often depends on timing."),
    ("shuffles", r"^10_", "more",
     "A waiting tile polls; how often depends on timing."),
    ("votes, warp reductions", r"^10_", "more",
     "A waiting tile polls; how often depends on timing."),

    ("votes, warp reductions", r"/int_one_address", "more",
     "The compiler adds up the ints of a warp and sends one atomic: a vote and a reduction per "
     "warp."),
    ("votes, warp reductions", r"/masked", "more",
     "A shuffle whose mask is known only at run time is preceded by a vote."),
    ("warp barriers", r"/masked|^09_|^10_", "more",
     "Where the compiler cannot prove that a warp has converged, it makes it reconverge before a "
     "shuffle."),
    *[(metric, r"^11_|^13_.*/exact", "more",
       "Where lanes may have gone apart in a loop, the compiler makes the warp agree (a vote) or "
       "reconverge before what all lanes take part in.")
      for metric in ("votes, warp reductions", "warp barriers")],
    ("warp barriers", r"^12_", "more",
     "Where the compiler cannot prove that a warp has converged, it makes it reconverge before a "
     "vote or a shuffle."),
    ("barriers (warps at them)", r"^11_.*/columns", "fewer",
     "The software GPU counts barriers, and takes the mean number of warps in a block; the "
     "second kernel's only block has one."),
    *[(metric, r"^11_.*/(any_order|fixed_order)", "fewer",
       "The kernel is one for pairs of floats. A plain sum's second float is always 0, and nvcc "
       "leaves it out.")
      for metric in ("shuffles", "shared load requests", "shared load wavefronts")],
    ("shared store wavefronts", r"^11_.*/global", "fewer",
     "Single lanes store 8 bytes. The software GPU counts a pass for each half of the warp, as "
     "such stores were timed (h200-wavefronts.csv); the profiler counts one where one lane "
     "stores."),
    ("warp barriers", r"", "fewer",
     "A barrier for a full warp that has not diverged orders nothing: the compiler leaves it out."),

    ("bytes read from memory", r"/chunked", "fewer",
     "A sector holds eight elements of one thread: seven of its eight reads find it in the L1."),
    ("bytes read from memory", r"", "fewer",
     "What several blocks or loads read (the sums of the tiles) comes from a cache after the "
     "first read."),
    ("bytes read from memory", r"^11_|^13_.*/exact", "more",
     "The program's code and constants are read, too."),
    ("bytes read from memory", r"^00_|^08_|^12_", "more",
     "Atomics fetch the words that they change; the program's code and constants are read, too."),
]


def reason_for(metric, lesson, variant, software, gpu):
    direction = "more" if gpu > software else "fewer"
    for of_metric, pattern, way, text in REASONS:
        if of_metric == metric and way in ("any", direction) and re.search(
                pattern, f"{lesson}/{variant}"):
            return text
    return ""
