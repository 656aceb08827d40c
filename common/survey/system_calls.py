# SPDX-License-Identifier: MIT
"""The system calls that no surveyed compiler or program has a use for, and that ways out of
sandboxes are made of: a filter for bubblewrap, which refuses them with EPERM.

The list is the grader's (common/grade/fence.c) but for two: processes of one program talk over
sockets, which in a name space without a network lead to no other; and a program that was built with
a sanitizer asks for another personality, to be loaded at addresses it knows.
"""

import errno
import platform
import struct

# name: number on x86-64 and on AArch64. These numbers never change.
REFUSED = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "bpf": (321, 280),
    "perf_event_open": (298, 241), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "userfaultfd": (323, 282), "kexec_load": (246, 104),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "open_by_handle_at": (304, 265), "swapon": (167, 224), "reboot": (169, 142),
    "acct": (163, 89), "quotactl": (179, 60), "io_uring_setup": (425, 425),
    "pidfd_getfd": (438, 438),
}
ARCHITECTURES = {"x86_64": (0, 0xc000003e), "aarch64": (1, 0xc00000b7)}  # column, AUDIT_ARCH_...
SECOND_TABLE = 0x40000000  # x86's calls with 32-bit pointers

# linux/filter.h, linux/seccomp.h
LOAD_WORD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000 | errno.EPERM, 0x7fff0000
NUMBER, ARCHITECTURE = 0, 4  # offsets in struct seccomp_data


def program(machine):
    """The filter as bubblewrap reads it; b"" for a machine whose numbers are not known."""
    if machine not in ARCHITECTURES:
        return b""
    column, architecture = ARCHITECTURES[machine]
    steps = [(LOAD_WORD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, architecture),
             (RETURN, 0, 0, KILL),
             (LOAD_WORD, 0, 0, NUMBER), (JUMP_AT_LEAST, 0, 1, SECOND_TABLE), (RETURN, 0, 0, REFUSE)]
    for numbers in REFUSED.values():
        steps += [(JUMP_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, REFUSE)]
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def filter_here():
    return program(platform.machine())
