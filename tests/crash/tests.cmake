# Real processes that die: scripts/crashtest in short, its own checks, and files lost or put back.
foreach(name limits put_back full_disk)
  leasehold_add_site_test(NAME "crash: ${name}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py)
endforeach()
leasehold_add_site_test(NAME "crash: rounds"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/crashtest.py --rounds 20 --seed 11)
set_tests_properties("crash: limits" "crash: put_back" "crash: full_disk" "crash: rounds" PROPERTIES
  LABELS integration
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
