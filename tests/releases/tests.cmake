# Programs of two releases in one site: scripts/mixed-releases runs all of it. Here the same programs stand
# on both sides, so that only what nothing else plays is run: the broker killed in the middle of flips with
# each agent started again after it, and the way back by a copy.
leasehold_add_site_test(NAME "releases: mixed"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/mixed_releases_test.py
  in_the_middle_of_flips_after_a_kill by_the_copy)
set_tests_properties("releases: mixed" PROPERTIES LABELS integration
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
