# What an installation puts where (README.md here). The packages themselves: scripts/packages --try.
leasehold_add_test(NAME "packages: an installation"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/installation_test.py ${CMAKE_BINARY_DIR})
