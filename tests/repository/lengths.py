# SPDX-License-Identifier: MIT
"""How long a file and a function may be, and which are longer, with the reason of each.

A file tells one story and a function fits a screen. Lengths count all lines, comments too.
"""

import ast
import re
from pathlib import Path

FILE_LINES, TEST_LINES, FUNCTION_LINES = 400, 600, 60

# File -> why it is longer. An entry that is not needed any more is a complaint, too.
LONG_FILES = {
    "bench/gpu_targets.cu": "the kernels of one contest, which are measured in the same run",
    "common/scripts/lesson.sh": "the commands about lessons, one short function each",
    "common/scripts/profile.py": "one table: the profiler's counts beside the software GPU's",
    "common/simt/include/driver_types.h": "CUDA's own header of this name: declarations only",
    "common/simt/include/cuda.h": "CUDA's own header of this name: declarations only",
    "common/simt/include/cuda_runtime_api.h": "CUDA's own header of this name: declarations only",
    "common/simt/include/simt_cuda/intrinsics.h": "a catalogue: CUDA's intrinsics, a line each",
    "common/simt/include/simt_cuda/math_core.h": "a catalogue: CUDA's functions of float",
}

# (file, function) -> why it is longer.
LONG_FUNCTIONS = {
    ("tests/simt/opcode_floats.py", "emit_float"): "a row per opcode",
    ("tests/simt/opcode_integers.py", "emit_bits"): "a row per opcode",
}
# Whole programs as their authors would write them: a list of calls in main().
PROGRAMS = "tests/simt/programs/"

C_SUFFIXES = {".c", ".h", ".cu", ".cuh"}
HEAD = re.compile(r"^(?:[A-Za-z_].*?)?\b([A-Za-z_]\w*)\(")


def c_functions(text):
    """(name, first line, number of lines) of the functions at file scope. By clang-format's layout:
    a head begins in column 0, its body ends with a brace there."""
    name = first = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("}"):
            if name and line == "}":
                yield name, first, number - first + 1
            name = None
        elif line[:1].isalpha() or line[:1] == "_":
            head = HEAD.match(line)
            # A declaration or a call of a macro ends where it begins, or before the next head.
            name, first = (head.group(1), number) if head else (None, None)


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions(name, text):
    suffix = Path(name).suffix
    if suffix in C_SUFFIXES:
        return c_functions(text)
    return python_functions(text) if suffix == ".py" else ()


def check(name, text):
    """(line, complaint) about the source `name`."""
    limit = TEST_LINES if name.startswith("tests/") else FILE_LINES
    n_lines = text.count("\n")
    if n_lines > limit and name not in LONG_FILES:
        yield limit, f"{n_lines} lines; at most {limit} (lengths.py)"
    if n_lines <= limit and name in LONG_FILES:
        yield 1, f"at most {limit} lines now: LONG_FILES in lengths.py says more"
    for function, line, length in functions(name, text):
        is_long = length > FUNCTION_LINES
        if is_long and not name.startswith(PROGRAMS) and (name, function) not in LONG_FUNCTIONS:
            yield line, f"{function}() has {length} lines; at most {FUNCTION_LINES} (lengths.py)"
        if not is_long and (name, function) in LONG_FUNCTIONS:
            yield line, f"{function}() is short now: LONG_FUNCTIONS in lengths.py says it is not"


def gone(names):
    """Files that the lists name and that are not there."""
    return sorted({*LONG_FILES, *(name for name, _ in LONG_FUNCTIONS)} - set(names))
