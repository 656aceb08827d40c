# SPDX-License-Identifier: MIT
"""From the grader's verdicts to what is handed back: policy, report, other programs' forms."""
