# The simulation of faults: one program on the libraries that people run, one in which those of their
# files that have canaries are compiled with them (common/canary.hpp).
file(GLOB_RECURSE simulation_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(FILTER simulation_sources EXCLUDE REGEX "/canaries\\.cpp$")
# With the main of both programs (torture.cpp), which reads the command line: that is the slowest of these to compile.
add_library(leasehold_simulation STATIC ${simulation_sources})
# Each part of Chaos knows some kinds of fault and leaves the others to the next part.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/chaos/chaos.cpp
  ${CMAKE_CURRENT_LIST_DIR}/chaos/broker.cpp
  ${CMAKE_CURRENT_LIST_DIR}/chaos/several.cpp PROPERTIES COMPILE_OPTIONS -Wno-switch-enum)
target_link_libraries(leasehold_simulation PUBLIC leasehold_test_disk leasehold_agent_io
  leasehold_daemon leasehold_simulate leasehold_broker_config CLI11::CLI11)

# The world round the programs; these are as people run them.
target_compile_options(leasehold_simulation PRIVATE $<$<CONFIG:Release>:-O1>)

add_executable(torture simulation/canaries.cpp)
target_link_libraries(torture PRIVATE leasehold_simulation)
# Not -O0: of inline functions the linker takes the copies that it has first.
target_compile_options(torture PRIVATE $<$<CONFIG:Release>:-O1>)

leasehold_add_wide_test(NAME "simulation: torture" COMMAND torture --seeds 30 --jobs 2)
set_tests_properties("simulation: torture" PROPERTIES LABELS simulation)

leasehold_add_wide_test(NAME "simulation: several brokers" COMMAND torture --seeds 12 --brokers 3 --jobs 2)
set_tests_properties("simulation: several brokers" PROPERTIES LABELS simulation)

if(LEASEHOLD_SANITIZE)
  return()  # planted faults are for the simulation to find
endif()

# Objects, not a library: every symbol of these files must come from here (canaried.cmake).
add_executable(torture_canaries simulation/canaries.cpp ${canaried_sources})
target_compile_definitions(torture_canaries PRIVATE LEASEHOLD_CANARIES)
target_compile_options(torture_canaries PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(torture_canaries PRIVATE leasehold_simulation)

# Work ended and began again at one instant, and the run never got on.
leasehold_add_test(NAME "simulation: work on slots whose lease is over does not begin for ever"
  COMMAND torture --brokers 2 --seeds 1 --first 20493)
set_tests_properties("simulation: work on slots whose lease is over does not begin for ever"
  PROPERTIES LABELS simulation)

leasehold_add_wide_test(NAME "simulation: canaries" COMMAND ${LEASEHOLD_PYTHON} -B
  ${CMAKE_CURRENT_LIST_DIR}/all_canaries.py $<TARGET_FILE:torture_canaries>
  --known ${CMAKE_CURRENT_LIST_DIR}/canaries.txt)
set_tests_properties("simulation: canaries" PROPERTIES LABELS "simulation;slow")
