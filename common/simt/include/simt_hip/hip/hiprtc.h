// SPDX-License-Identifier: MIT
// hiprtc.h - refused by name: there is no compiler in the program.
#error                                                                                             \
    "hiprtc is not there: compile the kernel with the program, or to PTX with 'simtcc --genco' and call hipModuleLoad"
