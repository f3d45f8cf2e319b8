# Real processes that die: scripts/crashtest in short, its own checks, and files lost or put back.
foreach(name limits put_back full_disk)
  add_test(NAME "crash: ${name}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py)
endforeach()
math(EXPR seconds "12 * ${LEASEHOLD_PATIENCE}")
add_test(NAME "crash: rounds"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/crashtest.py --rounds 100
    --seconds ${seconds} --seed 11)
math(EXPR timeout "900 * ${LEASEHOLD_PATIENCE}")
set_tests_properties("crash: limits" "crash: put_back" "crash: full_disk" "crash: rounds" PROPERTIES
  LABELS integration TIMEOUT ${timeout} COST 100
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin;LEASEHOLD_PATIENCE=${LEASEHOLD_PATIENCE}")
