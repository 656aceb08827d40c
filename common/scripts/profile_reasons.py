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
]


def reason_for(metric, lesson, variant, software, gpu):
    direction = "more" if gpu > software else "fewer"
    for of_metric, pattern, way, text in REASONS:
        if of_metric == metric and way in ("any", direction) and re.search(
                pattern, f"{lesson}/{variant}"):
            return text
    return ""
