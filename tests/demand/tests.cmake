# leasectl simulate with what only studies know: claims of work that is not there, flips put off.
file(GLOB study_simulate_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/simulate/*.cpp)
add_executable(study_simulate ${study_simulate_sources})
target_link_libraries(study_simulate PRIVATE leasehold_options leasehold_simulate CLI11::CLI11)
target_compile_options(study_simulate PRIVATE $<$<CONFIG:Release>:-O1>)

# demand-aware beside the idle comparison over a recorded workload; the whole: scripts/demand-study.
leasehold_add_test(NAME "demand: no scenario with free slots moves more of them than the idle comparison"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/study.py --short --jobs 1500)
leasehold_add_test(NAME "demand: what differs beyond chance is told"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/study.py --short --jobs 600 --seeds 3)
set_tests_properties("demand: what differs beyond chance is told"
  PROPERTIES LABELS simulation ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
set_tests_properties("demand: no scenario with free slots moves more of them than the idle comparison"
  PROPERTIES LABELS simulation ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

leasehold_add_test(NAME "demand: on hosts, too, none with free slots moves more of them, and a lie costs no more than its bound"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/hosts.py --short --seeds 2 --days 5 --made 3 4
    --hosts-of 16 128 --reclaims 3)
set_tests_properties("demand: on hosts, too, none with free slots moves more of them, and a lie costs no more than its bound"
  PROPERTIES LABELS simulation ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

leasehold_add_test(NAME "demand: the picture is what simulate draws"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/picture.py)
set_tests_properties("demand: the picture is what simulate draws"
  PROPERTIES LABELS simulation ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

# Every small state of the rule (tests/demand/README.md, "The proof"): the short form with the other tests, all of it
# where it is asked for. It computes for long, and so is as fast as the programs.
file(GLOB_RECURSE proof_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/proof/*.cpp)
add_executable(demand_proof ${proof_sources})
target_link_libraries(demand_proof PRIVATE leasehold_options leasehold_core leasehold_test_site)
target_compile_options(demand_proof PRIVATE $<$<CONFIG:Release>:-O2>)
leasehold_add_test(NAME "demand: every small state comes to rest, and nothing moves without a taker" COMMAND demand_proof)
set_tests_properties("demand: every small state comes to rest, and nothing moves without a taker"
  PROPERTIES LABELS simulation)
leasehold_add_test(NAME "demand: every state of up to four hosts of up to four slots" COMMAND demand_proof --long)
set_tests_properties("demand: every state of up to four hosts of up to four slots" PROPERTIES LABELS long)
