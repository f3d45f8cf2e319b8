# How often forecasts are right (tests/forecast/README.md): scripts/forecast-study prints all of it,
# the tests run a short form, from seeds.
file(GLOB study_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(forecast_study ${study_sources})
target_link_libraries(forecast_study PRIVATE leasehold_options leasehold_simulate leasehold_views
  leasehold_agent_core CLI11::CLI11)
target_compile_options(forecast_study PRIVATE $<$<CONFIG:Release>:-O1>)

# One run of it counts: nothing in it is drawn, nothing waits.
leasehold_add_test(NAME "forecasts: of those with a latest time most are right"
  COMMAND forecast_study --seeds 1 --days 4 --within 95 --far-within 65
  --trace ${CMAKE_SOURCE_DIR}/tests/data/campus.swf.gz)
set_tests_properties("forecasts: of those with a latest time most are right" PROPERTIES
  LABELS simulation)
