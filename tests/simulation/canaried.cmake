# What the simulation with canaries compiles anew (tests.cmake): the files that have one. Known where
# no tests are built, too: files that stand alone then are the same ones, and nothing is compiled
# again when tests come.
set(canaried_sources "")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/agent/*.cpp
  ${CMAKE_SOURCE_DIR}/broker/*.cpp ${CMAKE_SOURCE_DIR}/common/*.cpp
  ${CMAKE_SOURCE_DIR}/tests/simulation/*.cpp)
foreach(source ${sources})
  file(STRINGS ${source} canaries REGEX "LEASEHOLD_CANARY\\(" LIMIT_COUNT 1)
  if(canaries)
    list(APPEND canaried_sources ${source})
  endif()
endforeach()
# A new canary gets its name there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/common/canary.hpp)
if(NOT LEASEHOLD_SANITIZE)
  set_property(GLOBAL APPEND PROPERTY LEASEHOLD_COMPILED_ANEW ${canaried_sources})
endif()
