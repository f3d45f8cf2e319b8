# The store on a real PostgreSQL: one server for all cases of the program.
leasehold_add_site_test(NAME "postgres: store"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/postgres_server.py
          $<TARGET_FILE:test_postgres>)
set_tests_properties("postgres: store" PROPERTIES LABELS integration)

# Through a pooler that gives each transaction another session. What a session keeps from its beginning is
# not asked anew there: the cases of [session] are left out.
leasehold_add_site_test(NAME "postgres: store through a pooler"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/postgres_server.py --pooler
          $<TARGET_FILE:test_postgres> ~[session])
set_tests_properties("postgres: store through a pooler" PROPERTIES LABELS integration)

leasehold_add_site_test(NAME "postgres: reading"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/reading_test.py)
set_tests_properties("postgres: reading" PROPERTIES LABELS integration
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

# Several brokers on one server, as processes.
foreach(of standby standby_guide leader_http own_file leasectl moving balancer database_faults replica
           pooler_failover two_sites warm cut_off broker_clock nobody_leads)
  leasehold_add_site_test(NAME "postgres: ${of}" COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/${of}_test.py)
  set_tests_properties("postgres: ${of}" PROPERTIES LABELS integration
    ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
endforeach()

# The short form of a script that anybody can run.
leasehold_add_site_test(NAME "postgres: times of a fail-over"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/failover_times.py
          --kills 1 --pauses 1 --stepdowns 1 --agents 4 --ttl 2s)
set_tests_properties("postgres: times of a fail-over" PROPERTIES LABELS integration
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

# Of label long: 60 rounds of what befalls brokers and their database, about half an hour.
leasehold_add_site_test(NAME "postgres: rounds" COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/rounds.py)
set_tests_properties("postgres: rounds" PROPERTIES LABELS long
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
