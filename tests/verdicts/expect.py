# SPDX-License-Identifier: MIT
"""expect.py: what a verdict must say of a wrong submission. Decided by what was changed, and where.

  named    the verdict's place is the changed line or at most NEAR lines from it (or its two lines
           lie around it), and it speaks of the kind of thing that was changed; or, without a place,
           its cause is one that only such a change has
  misled   it is not named, and it prescribes a remedy, or claims a place, that is another mistake's
  named    also, where the suite knows this mistake of its exercise and says so in its words (SAID)
  vague    everything else: what it says is true and leads no further
"""
import re

NEAR = 2

# What a verdict at the changed line must speak of.
WORDS = {
    "barrier": r"__sync|synchronis|barrier",
    "mask": r"\bmask",
    "identity": r"identity|INFINITY|no element|changes no result|index of nothing|uninitialised",
    "bound": r"bound|comparison|condition|no more than|last|tail|not below n|identity",
    "guard": r"condition|statement|only|one of them|which threads|let one|every thread|"
             r"go on alone|bound|return",
    "stride": r"step|stride|number|half|operator|comparison|part of (the|this) line|index|"
              r"never ends",
    "index": r"index|place|element|number|operator|array|part of (the|this) line|statement",
    "operator": r"operator|comparison|condition|index|part of (the|this) line|assign|never ends|>",
    "conversion": r"bits|type",
    "loop": r"loop|condition|statement|tried again",
    "constant": r"number|mask|lanes|step|index|part of (the|this) line|identity|comparison|"
                r"condition|"
                r"statement|atomic",
    "atomic": r"atomic|swap|part of (the|this) line",
    "order": r"statement|arguments|missing|part of|type|number|index|condition|next try|"
             r"no thread of the block had written",
}

# Causes without a place that a change of this class makes, and hardly another.
CAUSES = {
    "bound": {"last_lost", "one_too_many", "tail_lost"},
    "index": {"one_block", "blocks_overlap", "whole_array", "one_per_thread"},
    "identity": {"wrong_identity", "nan_won"},
    "stride": {"even_elements", "first_half", "odd_lost", "power_of_two", "blocks_overlap"},
    "operator": {"wrong_comparison", "wrong_factor", "nan_won"},
    "order": {"first_only"},
}

# A remedy that helps against one mistake only, with the classes that may be that mistake.
REMEDIES = [
    (r"likely missing: (a )?(__sync|barrier|wave::sync)", {"barrier"}),
    (r"use an atomic", {"atomic"}),
    (r"is the bound checked", {"bound", "guard"}),
    (r"0xffffffff names all", {"mask"}),
    (r"wrong identity", {"identity"}),
    (r"use fmaxf", {"identity", "operator"}),
    (r"is the blank filled", {"order"}),
    (r"comparison the wrong way|false for a nan", {"operator"}),
]
# What a checker sees where it shows, and not where the mistake is: a store that is missing.
SEEN_ELSEWHERE = {"order": {"uninitialised_shared", "never_written"}}
# What a suite says of its own exercise and needs no line: the lesson, the changed line as a
# pattern, and the words that name just this mistake. Chosen by hand, mistake by mistake.
SAID = [
    ("04_warp_sync", r"^if \(t >= 32\) return;", "let warp 0 go on alone"),
    ("05_shuffle", r"^unsigned index = n;", "the index of nothing is n"),
    ("06_grid_stride", r" / \(float\)columns;", "is to be divided by the number of columns"),
    ("07_cooperative_groups", r"^return \{max,", "multiply each by exp(its own maximum"),
    ("07_cooperative_groups", r"tile\.size\(\) / 2;", "begin with distance tile.size() / 2?"),
    ("07_cooperative_groups", r" / whole\.sum;", "they are not divided by the sum"),
    ("08_histogram", r"^if \(group\.x == four", "compare all four words"),
    ("09_scan", r"^return before;", "the element itself is counted"),
    ("10_single_pass_scan", r"^publish\(state, tile, INCLUSIVE",
     "it never publishes its inclusive prefix"),
    ("13_many_gpus", r"^const unsigned middle", "its middle is first + (end - first) / 2"),
    ("13_many_gpus", r"^if \(rank >> k & 1\)", "bit k of the rank is 0 for the lower one"),
    ("13_many_gpus", r"^if \(rank >> k & 1\)", "bit k of the rank and all above it are looked at"),
    ("13_many_gpus", r"^if \(rank >> k & 1\)", "every halving looks at bit 0 of the rank"),
    ("13_many_gpus", r"^for \(unsigned k = 0; k < halvings", "the part was halved once too often"),
    ("13_many_gpus", r"^for \(unsigned k = 0; k < halvings", "subject is what is left after it"),
    ("13_many_gpus", r"^const unsigned k =", "on the way back k is too large by one"),
    ("13_many_gpus", r"^const bool halving", "steps 0 to levels - 1 halve"),
    ("13_many_gpus", r"^const unsigned k =", "undone from the last to the first: k ="),
    ("13_many_gpus", r"^const part now", "this step's subject is what is left after it"),
    ("13_many_gpus", r"^const part now", "it lacks the half that the partner has"),
    ("13_many_gpus", r"^const part now", "this GPU's part and the partner's are interchanged"),
    ("13_many_gpus", r"^mine\[i\] =", "they are complete, and to be copied"),
    ("13_many_gpus", r"^mine\[i\] =", "while the parts are halved, they are to be added"),
    ("14_portable", r"^for \(unsigned s = lanes / 2",
     "the first step of a wave of `lanes` lanes has s = lanes / 2"),
    ("14_portable", r"^wave_counts\[which\] = __popcll", "what counts its bits (__popcll)"),
    ("warm_up", r"^out\[i\] = i;", "Is the blank filled in yet?"),
]
PLACE_CLAIMED = r"only this one is wrong|all that is there is right|the check passes"

# Programs that pass, and rightly: the lesson, the changed line as a pattern, and why it is right.
SAME_VALUE = "every thread that stores here stores the same value"
OTHER_THREAD = "another thread stores the same value, and a block of 32 has it"
PASS = [
    ("00_naive_atomic", r"^$", "one swap more, which fails and shows the own value: then it ends"),
    ("01_shared_tree", r"^maxima\[", SAME_VALUE),
    ("02_bank_conflicts", r"^partials\[", SAME_VALUE),
    ("02_bank_conflicts", r"^if \(t (== 1|!= 0)\) partials", OTHER_THREAD),
    ("03_upper_half", r"^if \(t (== 1|!= 0)\) \{", OTHER_THREAD),
    ("03_upper_half", r"^\{", SAME_VALUE),
    ("06_grid_stride", r"^if \(lane == 1\) slots", "after the butterfly all lanes hold the sum"),
    ("07_cooperative_groups", r"KEPT = 32\b", "it keeps half as many elements in registers"),
    ("08_histogram", r"k \+= 32\)", "the threads of a block clear more than their share"),
    ("12_many_bins", r"w \+= 32\) words\[w\] = 0",
     "the threads of a block clear more than their share"),
    ("08_histogram", r"head = ahead <= n \?", "where both are equal, either is right"),
    ("08_histogram", r"head = ahead < n \? ahead : 0",
     "fewer than 16 bytes and no whole group: the tail takes them, from 0 as well"),
    ("08_histogram", r"^atomicAdd\(&bins\[v\], count\);", "to add 0 changes nothing"),
    ("09_scan", r"^(if \(lane (== 1|!= 0)\) )?warp_kept\[warp\]",
     "all lanes know the warp's number"),
    ("09_scan", r"^(if \(threadIdx\.x (== 1|!= 0)\) )?counts\[", "all threads know the total"),
    ("10_single_pass_scan", r"^if \(threadIdx\.x == 1\) (ticket =|\{)",
     "any thread may do it, and a block of 32 has this one"),
    ("10_single_pass_scan", r"^\{", SAME_VALUE),
    ("10_single_pass_scan", r"^(if \(threadIdx\.x (== 1|!= 0)\) )?publish\(state, tile, AGG",
     SAME_VALUE),
    ("10_single_pass_scan", r"^const unsigned lane = threadIdx\.x;",
     "only the first warp looks back: its lanes are its threads"),
    ("11_exact_sum", r"^if \(lane == 1\) atomicAdd", "after the butterfly all lanes hold the sum"),
]


def is_near(mutant, record):
    lines = [int(record["line"])] if record.get("line") else []
    pairs = re.findall(r"between line(?:s|) (\d+) and (?:line |)(\d+)",
                       record.get("explanation", "") + " " + record.get("hint", ""))
    ends = re.findall(r"end of the loop body.*?, after line (\d+)", record.get("hint", ""))
    return (any(abs(line - mutant.line) <= NEAR for line in lines) or
            any(0 <= mutant.line - int(end) <= 2 * NEAR for end in ends) or
            any(int(a) - NEAR <= mutant.line <= int(b) + NEAR for a, b in pairs))


def is_tried_wait(mutant, record):
    """Whether a call that waits was tried and helps, between accesses of which one is at the
    changed line: such a call may stand anywhere on the way from one to the other."""
    said = record.get("explanation", "") + " " + record.get("hint", "")
    accesses = re.findall(r"\(line (\d+)\)", record.get("explanation", ""))
    return (mutant.kind == "barrier" and
            re.search(PLACE_CLAIMED, said) and  # matching: the words are rated
            re.search(r"likely missing: ", said, re.I) and  # matching: the words are rated
            any(abs(int(line) - mutant.line) <= NEAR for line in accesses))


def said_of(mutant):
    """The words of the suite's own text that name this mistake."""
    return [words for lesson, pattern, words in SAID
            if lesson == mutant.lesson and re.search(pattern, mutant.before)]


def rate(mutant, record):
    if not record:
        return "passes"
    said = record.get("explanation", "") + " " + record.get("hint", "")
    cause = record.get("finding", record.get("cause", ""))
    if any(words in said for words in said_of(mutant)) or is_tried_wait(mutant, record):
        return "named"
    if is_near(mutant, record):
        if re.search(WORDS[mutant.kind], said):  # matching: the words are rated
            return "named"
    elif "line" not in record and cause in CAUSES.get(mutant.kind, ()):
        return "named"
    elif cause in SEEN_ELSEWHERE.get(mutant.kind, ()):
        return "named"
    elif re.search(PLACE_CLAIMED, said):  # matching: the words are rated
        return "misled"
    for remedy, kinds in REMEDIES:
        is_said = re.search(remedy, said, re.IGNORECASE)  # matching: the words are rated
        if mutant.kind not in kinds and is_said:
            return "misled"
    return "vague"


def reason_to_pass(lesson, after):
    return next((why for name, pattern, why in PASS if name == lesson and
                 re.search(pattern, after)), None)
