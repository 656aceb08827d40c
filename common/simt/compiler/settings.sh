# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# settings.sh - every variable that more than one part of simtcc uses, but for those of shared.sh.
# What is not here is local to a function. Numbers are 0 or 1 unless they say otherwise; flags are
# arrays, for a word of theirs may have blanks.

# ---- What the command line and the environment ask for (options.sh).
inputs=()               # files, as they are named
output=''               # -o
mode='link'             # what is made: link, object, ptx, pch, dlink, or version
language=''             # -x
standard=''             # -std=...
precompiled=''          # -include-pch
host_optimisation=-O2   # -O...
device_optimisation=-O3 # -O0 with -G
arch=sm_80              # what device code is compiled for
named_arch=75           # what code finds in __CUDA_ARCH__, where it is another; at first nvcc 13's
separate=0              # -rdc=true
shared=0                # -shared
fmad=1                  # -fmad
ftz=0                   # -ftz
exact_div=1             # -prec-div
exact_sqrt=1            # -prec-sqrt
fast=0                  # -use_fast_math, besides the four above
maths=auto              # --maths: own, toolkit, auto or a file
mending=1               # SIMTCC_MEND
verbose=0               # -v
dryrun=0                # --dryrun

# The user's own flags, handed on as they are.
common_options=()  # for host and device code
host_options=()    # for the host's compiler
warning_options=() # -W..., for both
depend_options=()  # -MD and the like
link_options=()    # for the linker

# ---- The clang (clang.sh).
clang=''      # the command
clang_major=0 # its version

# ---- Flags that all files have in common (flags.sh, maths.sh).
cuda_flags=()   # CUDA as nvcc takes it, in host and in device code
device_flags=() # the device pass alone
text_flags=()   # whatever makes PTX, also of intermediate code
mild_flags=()   # what gcc at most warns of
color_flags=()  # on a terminal
libdevice=''    # bitcode of the math functions; '': they are in simt_cuda/math*.h
mend_facts=()   # variables of the awk programs that mend

# ---- Temporary files.
tmp='' # their folder

# ---- The file that is being compiled (device.sh).
file=''           # as it is named
stem=''           # its temporary files begin with this
headers=()        # those it includes, without ours and the compiler's; known after a device pass
toolkit_flags=()  # headers of a CUDA toolkit (toolkit.sh)
platform_flags=() # HIP's names
separate_flags=() # -rdc=true
list_flags=()     # -MD and the like, where PTX is all that is made
overlay_flags=()  # files that clang reads as copies, of all files compiled so far (texts.sh)

# How its device pass differs from others' (traits.sh): flags; (): no different.
shuffle_flags=()   # it has shuffles
print_flags=()     # it prints
wide_flags=()      # it divides or converts 128-bit integers
libdevice_flags=() # libdevice, or one whose rounding is kept
extreme_flags=()   # it may convert constants that do not fit
keeping_flags=()   # it computes with the bits of floats
readable=1         # clang can read the intermediate code that it writes
owning=0           # it has classes with destructors
nameless=0         # it has variables in nameless namespaces or types
long_double=-mlong-double-128
