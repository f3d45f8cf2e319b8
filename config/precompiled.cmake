# Headers that nearly all files read, read once for all targets that are compiled alike: a quarter of
# the time of an object of the tests. Only where several files are compiled as one
# (config/unity.cmake): elsewhere a file is compiled with what it includes and nothing else. Not where
# ccache is, which keeps no object that such headers are in, not by clang, and not what is compiled at
# -O3: there it saves least, and costs warnings (compile_options.cmake).

set(leasehold_headers_of_all algorithm filesystem functional map memory optional set span sstream string
  unordered_map variant vector tl/expected.hpp)
# For all but unit tests: to many of those they are more to load than they save, and an agent's have
# other things of these names.
set(leasehold_headers_of_state common/result.hpp common/wire/message.hpp broker/core/model/state.hpp
  broker/core/model/event.hpp)

# leasehold_precompiled(TARGET): the last -O of its options is the one that counts.
function(leasehold_precompiled target)
  foreach(property TYPE COMPILE_OPTIONS LINK_LIBRARIES DISABLE_PRECOMPILE_HEADERS)
    get_target_property(${property} ${target} ${property})
  endforeach()
  string(REGEX MATCH ".*(-O[0-9])" found "${COMPILE_OPTIONS}")
  set(level "${CMAKE_MATCH_1}")
  # Only in Release builds is the level what it says.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR CMAKE_CXX_COMPILER_LAUNCHER OR TYPE STREQUAL MODULE_LIBRARY
      OR NOT CMAKE_BUILD_TYPE STREQUAL Release
      OR DISABLE_PRECOMPILE_HEADERS OR NOT level MATCHES "-O[01]" OR target MATCHES "^leasehold_headers")
    return()
  endif()
  set(headers ${leasehold_headers_of_all})
  set(name "leasehold_headers${level}")
  set(alike leasehold_options)
  if(level STREQUAL -O0 AND leasehold_test_main IN_LIST LINK_LIBRARIES)
    list(APPEND headers catch2/catch.hpp)
    list(APPEND alike leasehold_test_main)
    string(APPEND name _tests)
  else()
    list(APPEND headers ${leasehold_headers_of_state})
    if(level STREQUAL -O1)  # at -O0 a quarter of the files read it, and all would load it
      list(APPEND headers nlohmann/json.hpp)
    endif()
  endif()
  if(NOT TARGET ${name})
    leasehold_precompiled_set(${name} "${level}" "${alike}" ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  if(level STREQUAL -O1)
    leasehold_headers_precompiled(${target})
  endif()
endfunction()

function(leasehold_precompiled_set name level alike)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/precompiled.cpp "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
  target_link_libraries(${name} PRIVATE ${alike})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
  list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${name} PRIVATE ${headers})
endfunction()
