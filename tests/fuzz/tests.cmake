# Fuzz targets (README.md here). In a build by clang with -DLEASEHOLD_FUZZ=ON they are libFuzzer
# programs, made by scripts/fuzz; in every other build each is an ordinary program that runs once on
# every file of its corpus: what fuzzing found is looked at by every run of the tests.
option(LEASEHOLD_FUZZ "build the fuzz targets with libFuzzer: needs clang" OFF)
set(fuzz_folder ${CMAKE_CURRENT_LIST_DIR})

add_library(leasehold_fuzz_target STATIC fuzz/target.cpp)
target_link_libraries(leasehold_fuzz_target PUBLIC leasehold_options leasehold_common)
# Objects: every program counts by them, also one that asks nothing.
add_library(leasehold_fuzz_allocations OBJECT fuzz/allocations.cpp)
target_link_libraries(leasehold_fuzz_allocations PRIVATE leasehold_options)
add_library(leasehold_fuzz_corpus_main STATIC EXCLUDE_FROM_ALL fuzz/corpus_main.cpp)
target_link_libraries(leasehold_fuzz_corpus_main PUBLIC leasehold_options)
if(LEASEHOLD_FUZZ)
  # Debian's toml++ is compiled without coverage: a parser of our own, that fuzzing can see into.
  add_library(leasehold_fuzz_toml_parser OBJECT EXCLUDE_FROM_ALL fuzz/toml_parser.cpp)
  target_link_libraries(leasehold_fuzz_toml_parser PUBLIC leasehold_options tomlplusplus::tomlplusplus)
endif()

# leasehold_fuzz_target(NAME LIBRARIES library... [SOURCES file...] [ALSO path...]): fuzz/NAME.cpp
# with corpus/NAME/ and NAME.dict. ALSO: files and folders of the tree that are inputs too.
function(leasehold_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;SOURCES;ALSO")
  add_executable(fuzz_${name} fuzz/${name}.cpp ${arg_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE leasehold_fuzz_target leasehold_fuzz_allocations ${arg_LIBRARIES})
  if(LEASEHOLD_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(fuzz_${name} PRIVATE LEASEHOLD_FUZZ)
    return()
  endif()
  target_link_libraries(fuzz_${name} PRIVATE leasehold_fuzz_corpus_main)
  target_compile_options(fuzz_${name} PRIVATE $<$<CONFIG:Release>:-O0>)  # as tests
  list(TRANSFORM arg_ALSO PREPEND ${CMAKE_SOURCE_DIR}/)
  leasehold_add_test(NAME "fuzz: every input of ${name}"
    COMMAND fuzz_${name} ${fuzz_folder}/corpus/${name} ${arg_ALSO})
  set_tests_properties("fuzz: every input of ${name}" PROPERTIES LABELS fuzz)
endfunction()

# The libraries of a target are compiled with clang for it, in a build by scripts/fuzz: few of them
# keep that short. Where one file of a library is enough it is compiled as a source.
leasehold_fuzz_target(wire LIBRARIES leasehold_wire SOURCES unit/wire/samples.cpp
  ALSO schema/wire/golden schema/wire/golden/accepted schema/wire/golden/refused)
leasehold_fuzz_target(select LIBRARIES leasehold_rules)
file(GLOB agent_settings CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/agent/workload/*/settings.cpp)
foreach(file io/settings/keys io/settings/read_settings io/settings/read_workload io/settings/read_scheduling
    core/work/scheduling core/work/signals workload/managers workload/support/read_settings)
  list(APPEND agent_settings ${CMAKE_SOURCE_DIR}/agent/${file}.cpp)
endforeach()
leasehold_fuzz_target(toml LIBRARIES leasehold_broker_config leasehold_jobs
  SOURCES fuzz/no_adapters.cpp ${agent_settings}
  ALSO config/broker.toml config/broker-lsf.toml config/plan.toml config/agent.toml config/demo)
leasehold_fuzz_target(lsf LIBRARIES leasehold_broker_config ALSO config/lsf/east/configdir)
leasehold_fuzz_target(ego LIBRARIES leasehold_broker_config pugixml::static)
leasehold_fuzz_target(swf LIBRARIES leasehold_jobs ALSO tests/data/campus.swf.gz)
leasehold_fuzz_target(http LIBRARIES leasehold_views
  SOURCES ${CMAKE_SOURCE_DIR}/broker/ports/http/request/head.cpp
  ${CMAKE_SOURCE_DIR}/broker/ports/http/request/route.cpp)
leasehold_fuzz_target(history LIBRARIES leasehold_record leasehold_views)
foreach(file client/address client/answer_text client/list history/history history/history_pages
    history/usage invocation output/list_output requests/change requests/doctor requests/orders
    requests/show watch/picture)
  list(APPEND answered_commands ${CMAKE_SOURCE_DIR}/broker/ctl/${file}.cpp)
endforeach()
leasehold_fuzz_target(answers LIBRARIES leasehold_views SOURCES fuzz/no_broker.cpp
  ${answered_commands} ${CMAKE_SOURCE_DIR}/broker/replay/timeline.cpp)
if(LEASEHOLD_FUZZ)
  target_sources(fuzz_answers PRIVATE fuzz/other_shapes.cpp)
endif()

# New inputs for some seconds each, where clang can (scripts/fuzz). Most other tests wait more than
# they compute: it starts first, and takes what they leave.
if(NOT LEASEHOLD_SANITIZE)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/fuzz --check RESULT_VARIABLE cannot_fuzz
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT cannot_fuzz)
    leasehold_add_wide_test(NAME "fuzz: new inputs of each target" COMMAND nice -n 10
      sh -c "exec \"$0\" --each \"\${LEASEHOLD_FUZZ_SECONDS:-5}\"" ${CMAKE_SOURCE_DIR}/scripts/fuzz)
    set_tests_properties("fuzz: new inputs of each target" PROPERTIES LABELS "fuzz;new-inputs" COST 400)
  endif()
endif()

foreach(name toml lsf ego)
  if(LEASEHOLD_FUZZ)
    target_link_libraries(fuzz_${name} PRIVATE leasehold_fuzz_toml_parser)
  endif()
endforeach()
