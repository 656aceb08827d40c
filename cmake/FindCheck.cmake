# SPDX-License-Identifier: MIT
# Finds the Check unit-test library (https://libcheck.github.io/check) and defines Check::check.
# Debian's static library needs subunit, libm, librt and threads besides.

find_path(Check_INCLUDE_DIR check.h)
find_library(Check_LIBRARY NAMES check check_pic)
find_library(Check_SUBUNIT_LIBRARY subunit)
mark_as_advanced(Check_INCLUDE_DIR Check_LIBRARY Check_SUBUNIT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Check
  REQUIRED_VARS Check_LIBRARY Check_INCLUDE_DIR)

if(Check_FOUND AND NOT TARGET Check::check)
  find_package(Threads REQUIRED)
  add_library(Check::check UNKNOWN IMPORTED)
  set_target_properties(Check::check PROPERTIES
    IMPORTED_LOCATION "${Check_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Check_INCLUDE_DIR}")
  if(Check_SUBUNIT_LIBRARY)
    target_link_libraries(Check::check INTERFACE "${Check_SUBUNIT_LIBRARY}")
  endif()
  target_link_libraries(Check::check INTERFACE m Threads::Threads)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_libraries(Check::check INTERFACE rt)
  endif()
endif()
