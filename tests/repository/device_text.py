# SPDX-License-Identifier: MIT
"""The device code in a CUDA file: which functions, variables and structures with device functions
it defines, and their text."""

import re

# What has to be read as a whole: in a comment or a string a brace is not a brace.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
                   r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|[{};]|\S", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
IS_DEVICE = re.compile(r"\b__(?:global|device)__\b")
# Between a function's attributes and its name, with parentheses of their own.
BEFORE_NAME = re.compile(r"__launch_bounds__\s*\([^()]*\)|extern\s+\"C\"")

# A structure whose members may be device functions; with what it is a specialisation for.
STRUCTURE = re.compile(r"\s*(?:struct|class)\s+(\w+(?:<[^<>]*>)?)\s*\{")


def items(text):
    """The definitions and declarations of the outermost level, as they are written. Comments and
    preprocessor lines between them belong to none."""
    begin, depth = None, 0
    tokens = list(TOKEN.finditer(text))
    for index, match in enumerate(tokens):
        token = match.group(0)
        if begin is None:
            if token.startswith(("//", "/*")) or token.lstrip().startswith("#"):
                continue
            begin = match.start()
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        follows = tokens[index + 1].group(0) if index + 1 < len(tokens) else ""
        if depth == 0 and (token == ";" or token == "}" and follows != ";"):
            yield text[begin:match.end()]
            begin = None


def without_template(item):
    """The definition without `template <...>` before it."""
    head = re.match(r"template\s*<", item)
    if not head:
        return item
    depth, end = 1, head.end()
    while depth > 0:
        depth += {"<": 1, ">": -1}.get(item[end], 0)
        end += 1
    return item[end:]


def name_of(item):
    """The name of the function or variable that `item` defines."""
    declaration = BEFORE_NAME.sub("", COMMENT.sub("", without_template(item)))
    structure = STRUCTURE.match(declaration)
    if structure:
        return structure.group(1)
    match = re.search(r"(\w+)\s*(?:\(|\[|=|;)", declaration)
    return match.group(1) if match else ""


def device_code(text):
    """{name: [text...]} of what is marked __global__ or __device__, itself or in its members;
    overloads have several."""
    found = {}
    for item in items(text):
        code = COMMENT.sub("", item)
        is_structure = STRUCTURE.match(without_template(code))
        if IS_DEVICE.search(code if is_structure else code.split("{")[0]):
            found.setdefault(name_of(item), []).append(item)
    return found


def plain(item, comments=True):
    """The text as it is compared: the harness's prefix, `inline` and the layout do not count."""
    item = item if comments else COMMENT.sub("", item)
    return " ".join(re.sub(r"\bwb_|\binline ", "", item).split())
