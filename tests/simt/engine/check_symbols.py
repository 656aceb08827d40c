#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An engine without I/O: what the objects of the rooms below runtime/ take from outside, and what
they keep.

    check_symbols.py OBJECT...

They may call what ALLOWED lists: the heap, strings, formatting into buffers, arithmetic. They may
not define data that can change: state belongs to an engine, a launch or a caller. Prints one line
per offence and exits 1 when there is any. It looks into the objects, so what an inline function or
a macro of the C library brings along counts too.
"""

import re
import subprocess
import sys

ALLOWED = set("""
malloc calloc realloc free
memchr memcmp memcpy memmove memset
strchr strcmp strcspn strdup strlen strncmp strrchr strspn strstr strcat strncat strcpy
snprintf vsnprintf qsort bsearch strtod strtoul strtoull
localeconv __ctype_b_loc __ctype_toupper_loc __ctype_tolower_loc toupper tolower
fma fmaf fmin fminf fmax fmod pow exp2 log2 sin cos ilogb ilogbf ldexp fabs sqrt
floor ceil round rint nearbyint trunc
fegetround fesetround
__assert_fail
__cpu_model __cpu_features2 __cpu_indicator_init __popcountdi2
_GLOBAL_OFFSET_TABLE_ __stack_chk_fail
""".split())
# __assert_fail: for our own bugs only. localeconv: to undo what a locale does to strtod.
# fesetround: restored before the function returns. __cpu_…, __popcountdi2: the compiler's.

FORTIFIED = re.compile(r"^__(\w+)_chk$")  # snprintf with _FORTIFY_SOURCE


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(objects, *options):
    """[(object, name)] of nm's output in its portable format."""
    found, current = [], None
    for line in run("nm", "-A", "--format=posix", *options, *objects).splitlines():
        current, _, rest = line.partition(": ")
        found.append((current, rest.split()[0]))
    return found


def is_allowed(name):
    fortified = FORTIFIED.match(name)
    return name in ALLOWED or bool(fortified and fortified.group(1) in ALLOWED)


def undefined(objects):
    own = {name for _, name in symbols(objects, "--defined-only", "--extern-only")}
    for where, name in symbols(objects, "--undefined-only"):
        if name not in own and not is_allowed(name):
            yield f"{where}: calls {name}, which the rooms below runtime/ must not"


def changeable(objects):
    """Variables: symbols of size > 0 in writable sections (relocated constants are not)."""
    for path in objects:
        for line in run("objdump", "-t", path).splitlines():
            fields = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+(.*)$", line)
            if not fields or int(fields.group(3), 16) == 0:
                continue
            section = fields.group(2)
            if re.match(r"^\.(data(?!\.rel\.ro)|bss|tdata|tbss)|^\*COM\*", section):
                yield f"{path}: {fields.group(4)} in {section}: state outside of any object"


def main():
    objects = []
    for argument in sys.argv[1:]:
        objects += argument.split(";")
    if len(objects) < 50:
        print(f"only {len(objects)} objects: this is not the engine")
        return 1
    complaints = list(undefined(objects)) + list(changeable(objects))
    for complaint in complaints:
        print(complaint)
    print(f"{len(objects)} objects, {len(complaints)} offences")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
