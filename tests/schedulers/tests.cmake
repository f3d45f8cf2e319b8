# Real workload managers on loopback (scripts/install-packages schedulers); without them these are
# skipped, which their output says.
leasehold_integration_test(slurm)
leasehold_integration_test(slurm_parts)

add_test(NAME "stress: slurm"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/stress_slurm.py --seconds 20 --seed 7)
math(EXPR timeout "900 * ${LEASEHOLD_PATIENCE}")
set_tests_properties("stress: slurm" PROPERTIES LABELS integration TIMEOUT ${timeout} COST 100
  SKIP_RETURN_CODE 77
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin;LEASEHOLD_PATIENCE=${LEASEHOLD_PATIENCE}")

# They wait longest, so they start first (COST).
set_tests_properties("integration: slurm" PROPERTIES COST 300 TIMEOUT ${timeout})
set_tests_properties("integration: slurm_parts" PROPERTIES COST 250 TIMEOUT ${timeout})
set_tests_properties("stress: slurm" PROPERTIES COST 200)

add_test(NAME "schedulers: slot_watch"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/slot_watch_test.py)

# Of label long: they fetch and install what the others do not need (scripts/stress-slurm --help).
foreach(kind "slurm 24.11" "slurm 26.05" "whole-nodes" "accounting")
  string(REPLACE " " ";" words "--${kind}")
  add_test(NAME "stress: ${kind}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/stress_slurm.py ${words} --seconds 60)
  math(EXPR timeout "1200 * ${LEASEHOLD_PATIENCE}")
  set_tests_properties("stress: ${kind}" PROPERTIES LABELS long TIMEOUT ${timeout} PROCESSORS 2
    SKIP_RETURN_CODE 77 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin;\
LEASEHOLD_BUILD=${CMAKE_BINARY_DIR};LEASEHOLD_PATIENCE=${LEASEHOLD_PATIENCE}")
endforeach()
