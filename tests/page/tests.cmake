# The page: what needs no browser, and all of it in a real one. Without the page there is nothing to
# test: that is said by a test that fails, unless it was left out on purpose.
if(NOT LEASEHOLD_PAGE)
  return()
endif()
if(NOT TARGET leasehold_page)
  leasehold_add_test(NAME "page: is built" COMMAND ${CMAKE_COMMAND} -E echo
    "the page is not built: see what cmake says of it, or leave it out with -DLEASEHOLD_PAGE=OFF")
  set_tests_properties("page: is built" PROPERTIES FAIL_REGULAR_EXPRESSION "not built")
  return()
endif()

leasehold_add_test(NAME "page: types, and what needs no browser"
  COMMAND ${LEASEHOLD_NODE} ${CMAKE_CURRENT_LIST_DIR}/unit/run.mjs --modules ${LEASEHOLD_PAGE_MODULES} --types)
set_tests_properties("page: types, and what needs no browser" PROPERTIES LABELS page)

# A browser and what it looks at.
leasehold_add_site_test(NAME "page: in a browser" COMMAND ${LEASEHOLD_PYTHON} -B
  ${CMAKE_CURRENT_LIST_DIR}/../integration/places.py --places 2 ${LEASEHOLD_NODE} ${CMAKE_CURRENT_LIST_DIR}/browser/run.mjs)
set_tests_properties("page: in a browser" PROPERTIES LABELS page
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin;LEASEHOLD_PYTHON=${LEASEHOLD_PYTHON};LEASEHOLD_PAGE=${LEASEHOLD_PAGE_BUILT};LEASEHOLD_PAGE_MODULES=${LEASEHOLD_PAGE_MODULES};LEASEHOLD_PAGE_PICTURES=${CMAKE_BINARY_DIR}/pictures")
