# demand-aware beside the idle comparison over a recorded workload; the whole: scripts/demand-study.
add_test(NAME "demand: no scenario with free slots moves more of them than the idle comparison"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/study.py --short --jobs 1500)
add_test(NAME "demand: what differs beyond chance is told"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/study.py --short --jobs 600 --seeds 3)
set_tests_properties("demand: what differs beyond chance is told"
  PROPERTIES LABELS simulation TIMEOUT 300 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
set_tests_properties("demand: no scenario with free slots moves more of them than the idle comparison"
  PROPERTIES LABELS simulation TIMEOUT 300 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

add_test(NAME "demand: on hosts, too, none with free slots moves more of them than the idle comparison"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/hosts.py --seeds 2 --days 5 --made 3 4 --hosts-of 16 128)
set_tests_properties("demand: on hosts, too, none with free slots moves more of them than the idle comparison"
  PROPERTIES LABELS simulation TIMEOUT 300 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

add_test(NAME "demand: the picture is what simulate draws"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/picture.py)
set_tests_properties("demand: the picture is what simulate draws"
  PROPERTIES LABELS simulation TIMEOUT 300 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
