# SPDX-License-Identifier: MIT
# show_nameless.awk - LLVM IR with the variables of nameless namespaces and types seen from outside,
# as clang 16 and later have them: prints it. Variables of functions (_ZZ) stay as they are.

/^@/ && !/^@"?_ZZ/ && / = internal addrspace\([14]\) global / &&
    (/^@[^ ]*_GLOBAL__N_/ || / global [^%{]*%"?(struct|union|class)\.anon/) {
  sub(/ = internal /, " = dso_local ")
  sub(/ global /, " externally_initialized global ")
}
{ print }
