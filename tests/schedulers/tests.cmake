# Real workload managers on loopback (scripts/install-packages schedulers); without them these are
# skipped, which is red in scripts/test: that installs them.
leasehold_integration_test(slurm)
leasehold_integration_test(slurm_reclaim)
leasehold_integration_test(slurm_parts)
leasehold_integration_test(slurm_power)
leasehold_integration_test(slurm_owner)
leasehold_integration_test(slurm_slow)

leasehold_add_site_test(NAME "stress: slurm"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/stress_slurm.py --seconds 20 --seed 7)
set_tests_properties("stress: slurm" PROPERTIES LABELS integration
  SKIP_RETURN_CODE 77
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

leasehold_add_site_test(NAME "schedulers: slot_watch"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/slot_watch_test.py)

# Of label long: they fetch and install what the others do not need (scripts/stress-slurm --help).
foreach(kind "slurm 24.11" "slurm 26.05" "whole-nodes" "accounting")
  string(REPLACE " " ";" words "--${kind}")
  leasehold_add_site_test(NAME "stress: ${kind}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/stress_slurm.py ${words} --seconds 60)
  set_tests_properties("stress: ${kind}" PROPERTIES LABELS long
    SKIP_RETURN_CODE 77 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin;\
LEASEHOLD_BUILD=${CMAKE_BINARY_DIR}")
endforeach()

# Of label long as well: a quarter of an hour of an operator's acts under load, with leases and with a plan.
foreach(kind "acts" "acts --plan")
  string(REPLACE " " ";" words "--${kind}")
  leasehold_add_site_test(NAME "stress: ${kind}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/stress_slurm.py ${words} --minutes 15)
  set_tests_properties("stress: ${kind}" PROPERTIES LABELS long
    SKIP_RETURN_CODE 77 ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
endforeach()
