# SPDX-License-Identifier: MIT
# What the build needs from the system, and fresh answers: a package installed or removed since the last
# configuration is seen by this one.
#
#   workbook_require(NAME what-it-is-for debian fedora brew)
#     find_package, and where it is missing an error that names the packages. Nothing that a command of
#     the Makefile needs is left out because it was not found: this, or an error when it is run.

# Look-ups that found nothing, or a file that has gone since, are made again.
get_cmake_property(workbook_cached CACHE_VARIABLES)
foreach(name IN LISTS workbook_cached)
  if("$CACHE{${name}}" MATCHES "-NOTFOUND$")
    unset(${name} CACHE)
  elseif((name MATCHES "^(Check_.*|cJSON_DIR|DOXYGEN_EXECUTABLE|BOOK_.*_DIR|OpenCL_.*|CURSES_.*|WORKBOOK_NVCC)$"
          OR name MATCHES "^LibArchive_.*$")
         AND IS_ABSOLUTE "$CACHE{${name}}" AND NOT EXISTS "$CACHE{${name}}")
    unset(${name} CACHE)
  endif()
endforeach()

macro(workbook_require name purpose debian fedora brew) # a macro: the package's variables stay
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing: it ${purpose}. Debian/Ubuntu: apt install ${debian}; "
      "Fedora: dnf install ${fedora}; macOS: brew install ${brew}. `make setup` does that with apt. Then "
      "repeat the command.")
  endif()
endmacro()
