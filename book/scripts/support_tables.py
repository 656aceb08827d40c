# SPDX-License-Identifier: MIT
"""What the software GPU offers to programs, from its own headers and tables.

  {{api_functions cuda_runtime_api.h}}  the functions that a header declares, by what they are about
  {{public_headers}}                    the headers that programs may include, in their own words
  {{hip_names}}                         HIP's names of the runtime API
  {{left_out}}                          instructions refused on purpose, each with a sentence
  {{old_names}}                         names of older CUDA versions, and what to write today
"""

import re

from tables import cell, code, table

FUNCTION = re.compile(r"^(?:[A-Za-z_][\w ]*[ *\n])\*?((?:cuda|cu)[A-Z]\w*)\(", re.MULTILINE)
# The first row that fits counts.
TOPICS = [
    ("The linker, for texts of PTX", r"^cuLink"),
    ("Errors", r"Error|GetLast"),
    ("Graphs", r"Graph"),
    ("Streams and events", r"Stream|Event|LaunchHostFunc"),
    ("Memory pools", r"MemPool|MallocAsync|FreeAsync|MallocFromPool"),
    ("Textures, surfaces, arrays", r"Tex|Surf|Array|Channel|Mipmapped|[HD]toA|Ato[AHD]"),
    ("Modules and libraries", r"Library|Module|Kernel[CG]|GetKernel|Link|Symbol|FuncBySymbol"),
    ("Launches and functions", r"Launch|Func|Occupancy|KernelSet"),
    ("Devices and contexts", r"^cu(?:da)?(?:Get|Set|Choose|Init)?(?:Valid)?Device|"
     r"Driver|Ctx|^cuInit|Limit|RuntimeGetVersion|Profiler"),
    ("Memory", r"Mem|Malloc|Free|Host|Pointer"),
]


def functions_of(text):
    """Names of the functions that a header declares, in its order."""
    names = list(dict.fromkeys(FUNCTION.findall(re.sub(r"//[^\n]*", "", text))))
    if not names:
        raise ValueError("no function declarations understood")
    return names


def api_functions(text):
    rows = {title: [] for title, _ in TOPICS} | {"Others": []}
    names = functions_of(text)
    for name in names:
        title = next((t for t, pattern in TOPICS if re.search(pattern, name)), "Others")
        rows[title].append(name)
    lines = [[title, " ".join(map(code, found))] for title, found in rows.items() if found]
    return f"{len(names)} functions.\n\n" + table(["About", "Functions"], lines)


def first_sentence(text):
    """What a header says of itself after its name, up to the first full stop."""
    comment = re.match(r"(?://[^\n]*\n)+", text)
    words = " ".join(line[2:].strip() for line in (comment[0] if comment else "").splitlines()[1:])
    match = re.match(r"\S+ - (.*?)(?:[.](?: [A-Z]|$)|$)", words)
    if not match:
        raise ValueError("a header does not say what it is")
    return re.sub(r"(__\w+)", r"`\1`", match[1])


def public_headers(folder):
    """Headers in simt_hip/ are included by their names within it; cuda_names.h is a part of one."""
    names = sorted(path for path in folder.rglob("*") if path.is_file()
                   and path.relative_to(folder).parts[0] != "simt_cuda"
                   and path.suffix not in (".def", ".md") and path.name != "cuda_names.h")
    return table(["Header", "Holds"], [
        [code(path.relative_to(folder).as_posix().removeprefix("simt_hip/")),
         cell(first_sentence(path.read_text(encoding="utf-8")))] for path in names])


def hip_names(names_text, api_text):
    """HIP's runtime API: names that stand for CUDA's, and functions of its own."""
    sections = re.split(r"^// (?=[A-Z])", names_text, flags=re.MULTILINE)
    called = [name for section in sections
              if not re.match(r"Types|Constants|What|Errors\. Where", section)
              for name in re.findall(r"^#define (hip\w+) ", section, re.MULTILINE)]
    functions = re.findall(r"^(?:static inline )?\w+ \*?(hip[A-Z]\w+)\(|"
                           r"^static inline [\w ]+[ *\n](hip[A-Z]\w+)\(", api_text, re.MULTILINE)
    functions = [first or second for first, second in functions]
    if not called or not functions:
        raise ValueError("cuda_names.h or hip_runtime_api.h: no names understood")
    return " ".join(code(name) for name in sorted(set(called + functions)))


def left_out(text):
    """The rows of isa/refusal.c: an opcode and the sentence that refuses it."""
    rows = re.findall(r'\{"(\w+)", "([^"]+)"\}', text)
    if not rows:
        raise ValueError("refusal.c: no rows understood")
    return table(["Instruction", "Why, and what to do"],
                 [[code(opcode), cell(sentence)] for opcode, sentence in rows])


def old_names(text):
    rows = [[code(name), code(now)] for name, now in
            re.findall(r"^SIMT_OLD_CALL\((\w+), (\w+)", text, re.MULTILINE)]
    rows += [[code(name), code(f"{name}_sync")] for name in
             re.findall(r"^SIMT_OLD_(?:SHUFFLE|VOTE)\((?:\w+, )?(__\w+)", text, re.MULTILINE)]
    if not rows:
        raise ValueError("old_names.h: no names understood")
    return table(["Older name", "Today"], rows)


def pieces(simt):
    def text_of(path):
        return path.read_text(encoding="utf-8")

    include = simt / "include"

    def whole(header):
        """A header's text, and that of the headers of simt_cuda/ that are parts of it."""
        text = text_of(include / header)
        parts = re.findall(r'^#include "(simt_cuda/driver_\w+[.]h)"$', text, re.MULTILINE)
        return text + "".join(text_of(include / part) for part in parts)

    return {
        "api_functions": lambda header: api_functions(whole(header)),
        "public_headers": lambda: public_headers(include),
        "hip_names": lambda: hip_names(text_of(include / "simt_hip/hip/cuda_names.h"),
                                       text_of(include / "simt_hip/hip/hip_runtime_api.h")),
        "left_out": lambda: left_out(text_of(simt / "isa/refusal.c")),
        "old_names": lambda: old_names(text_of(include / "simt_cuda/old_names.h")),
    }
