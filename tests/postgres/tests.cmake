# The store on a real PostgreSQL: one server for all cases of the program.
add_test(NAME "postgres: store"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/postgres_server.py
          $<TARGET_FILE:test_postgres>)
math(EXPR timeout "300 * ${LEASEHOLD_PATIENCE}")
set_tests_properties("postgres: store" PROPERTIES LABELS integration TIMEOUT ${timeout} COST 40)
