# SPDX-License-Identifier: MIT
# Finds what the build needs from the system, anew each time: a package that was installed or
# removed since the last configuration is noticed.
#
#   workbook_require(NAME what-it-is-for debian fedora brew)
#     find_package, and where it is missing an error that names the packages. What a command of the
#     Makefile needs is never left out silently: its absence is an error here, or when it is run.

# Repeats look-ups that found nothing, or a file that no longer exists.
get_cmake_property(workbook_cached CACHE_VARIABLES)
foreach(name IN LISTS workbook_cached)
  if("$CACHE{${name}}" MATCHES "-NOTFOUND$")
    unset(${name} CACHE)
  elseif((name MATCHES "^(Check|BOOK|OpenCL|CURSES|LibArchive)_.*$"
          OR name MATCHES "^(cJSON_DIR|DOXYGEN_EXECUTABLE|WORKBOOK_NVCC)$")
         AND IS_ABSOLUTE "$CACHE{${name}}" AND NOT EXISTS "$CACHE{${name}}")
    unset(${name} CACHE)
  endif()
endforeach()

macro(workbook_require name purpose debian fedora brew) # a macro: the package's variables stay
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing: it ${purpose}. Debian/Ubuntu: apt install ${debian}; "
      "Fedora: dnf install ${fedora}; macOS: brew install ${brew}. `make setup` does that "
      "with apt. Then repeat the command.")
  endif()
endmacro()
