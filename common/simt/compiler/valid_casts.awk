# SPDX-License-Identifier: MIT
# valid_casts.awk - LLVM IR with a cast that clang makes wrongly, of tables of virtual bases to
# another address space, as one that can be read again: prints it.

/ bitcast \(ptr getelementptr .* to ptr addrspace\([0-9]+\)\)/ {
  gsub(/ bitcast \(ptr getelementptr/, " addrspacecast (ptr getelementptr")
}
{ print }
