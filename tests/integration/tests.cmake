# Tests that are Python programs: the style of the tree, and real processes on loopback.
leasehold_add_test(NAME "style" COMMAND ${LEASEHOLD_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/../tidy/style_test.py)
set_tests_properties("style" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: named tests"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/named_tests.py)
set_tests_properties("style: named tests" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: words of the pages"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/pages_test.py)
set_tests_properties("style: words of the pages" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: names of the glossary"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/words_test.py)
set_tests_properties("style: names of the glossary" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: the guide as a site"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/guide_site_test.py)
set_tests_properties("style: the guide as a site" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: doors"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/doors_test.py)
set_tests_properties("style: doors" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: classes"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/classes_test.py)
set_tests_properties("style: classes" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: one definition"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/one_definition_test.py)
set_tests_properties("style: one definition" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: types of the page"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/page_types_test.py)
set_tests_properties("style: types of the page" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: citations"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/citations_test.py)
set_tests_properties("style: citations" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: metrics, rules and dashboard"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/metrics_test.py)
set_tests_properties("style: metrics, rules and dashboard" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: log events"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/log_events_test.py)
set_tests_properties("style: log events" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: messages"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/messages_test.py)
set_tests_properties("style: messages" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: files compiled as one"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/unity_groups_test.py)
set_tests_properties("style: files compiled as one" PROPERTIES LABELS style)

leasehold_add_test(NAME "style: what scripts/test counts"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../tidy/suite_test.py)
set_tests_properties("style: what scripts/test counts" PROPERTIES LABELS style)

# Not with scripts/test --fast: five seconds of a processor for each file.
leasehold_add_test(NAME "tidy: what the last commit changed"
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/tidy --changed --jobs 1)
set_tests_properties("tidy: what the last commit changed" PROPERTIES LABELS tidy SKIP_RETURN_CODE 77
  ENVIRONMENT "LEASEHOLD_BUILD=${CMAKE_BINARY_DIR}")

leasehold_add_wide_test(NAME "tidy: each file by itself, by two compilers"
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/alone)
set_tests_properties("tidy: each file by itself, by two compilers" PROPERTIES LABELS "long;tidy"
  SKIP_RETURN_CODE 77 ENVIRONMENT "LEASEHOLD_BUILD=${CMAKE_BINARY_DIR}")

# leasehold_integration_test(NAME): integration/NAME_test.py. Its tests run side by side and mostly
# wait, so it counts as one processor.
function(leasehold_integration_test name)
  leasehold_add_site_test(NAME "integration: ${name}"
    COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}_test.py)
  set_tests_properties("integration: ${name}" PROPERTIES LABELS integration
    ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()

foreach(name crash operator lease lease_end manners database bad_input readme ledgers json_schemas plan plan_site consumers security hostile zmtp what_if guide proxy
    command_adapter conformance lsf_adapter release reload told clock peers tables backup cold_standby leaders watch http http_access http_live
    terminal forecast shadow metrics wrong database_file of_record slow_scheduler stuck_file)
  leasehold_integration_test(${name})
endforeach()

leasehold_add_test(NAME "formats: databases of each"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../formats/formats_test.py)
set_tests_properties("formats: databases of each" PROPERTIES LABELS integration
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")

# scripts/test --fast has it: it needs three seconds of a processor.
set_tests_properties("integration: security" PROPERTIES LABELS "integration;security")

# Between real workload managers, started by the test.
foreach(name gridengine mixed_schedulers beside demand site_settings slurm_imported operators_day)
  leasehold_integration_test(${name})
endforeach()
