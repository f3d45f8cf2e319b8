# Two cores step the same events from the same states: scripts/compare-cores. Here the tree with
# itself, on the database of the coming format: that the tool works, and can fail.
include(${CMAKE_CURRENT_LIST_DIR}/stepper.cmake)
add_executable(kept_steps ${CMAKE_CURRENT_LIST_DIR}/kept_steps.cpp)
target_link_libraries(kept_steps PRIVATE leasehold_store leasehold_options)
target_compile_options(kept_steps PRIVATE $<$<CONFIG:Release>:-O1>)
leasehold_add_test(NAME "two cores: the tree with itself"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/two_cores_test.py)
set_tests_properties("two cores: the tree with itself" PROPERTIES LABELS unit
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
