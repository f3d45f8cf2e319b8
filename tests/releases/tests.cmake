# Programs of two releases in one site: scripts/mixed-releases. Here with the same ones on both sides.
leasehold_add_site_test(NAME "releases: mixed"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/mixed_releases_test.py)
set_tests_properties("releases: mixed" PROPERTIES LABELS integration COST 100
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
