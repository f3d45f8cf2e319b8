# What the simulation with canaries compiles anew (tests.cmake). Known where no tests are built, too:
# files that stand alone then are the same ones, and nothing is compiled again when tests come.
file(GLOB_RECURSE canaried_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/broker/core/*.cpp
  ${CMAKE_SOURCE_DIR}/broker/rules/*.cpp ${CMAKE_SOURCE_DIR}/agent/core/*.cpp
  ${CMAKE_SOURCE_DIR}/agent/io/agent/*.cpp ${CMAKE_SOURCE_DIR}/broker/ports/agents/port.cpp
  ${CMAKE_SOURCE_DIR}/broker/ports/agents/heard.cpp
  ${CMAKE_SOURCE_DIR}/broker/daemon/broker.cpp ${CMAKE_SOURCE_DIR}/broker/record/images.cpp ${CMAKE_SOURCE_DIR}/broker/daemon/engine.cpp)
set_property(GLOBAL APPEND PROPERTY LEASEHOLD_COMPILED_ANEW ${canaried_sources})
