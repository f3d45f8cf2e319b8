# demand-aware beside the idle comparison over a recorded workload; the whole: scripts/demand-study.
add_test(NAME "demand: no scenario with free slots moves more of them than the idle comparison"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/study.py --short --jobs 1500)
set_tests_properties("demand: no scenario with free slots moves more of them than the idle comparison"
  PROPERTIES LABELS simulation TIMEOUT 300 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
