# Independent programs that must agree with ours. LEASEHOLD_TRACES names a folder of real traces.
if(TARGET leasectl)
  leasehold_add_test(NAME "reference: simulate agrees with an independent program"
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/reference/compare_simulate.py
      $<TARGET_FILE:leasectl>)
  leasehold_add_test(NAME "reference: plan agrees with an independent program"
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/reference/compare_plan.py
      $<TARGET_FILE:leasectl> --count 320)
endif()
