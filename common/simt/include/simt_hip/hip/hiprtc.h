// SPDX-License-Identifier: MIT
// hiprtc.h - refused by name: there is no compiler in the program.
#error                                                                                             \
    "no hiprtc here: compile with the program, or with 'simtcc --genco' and call hipModuleLoad"
