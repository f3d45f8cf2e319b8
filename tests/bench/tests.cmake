# Benchmarks (README.md here). scripts/bench builds them with -DLEASEHOLD_BENCH=ON, as fast as the
# programs; with the tests they are built unoptimized and run for a moment, so that none rots.
find_package(benchmark CONFIG REQUIRED)

add_library(leasehold_bench_fleet STATIC bench/fleet.cpp bench/plan_fleet.cpp)
target_link_libraries(leasehold_bench_fleet PUBLIC leasehold_daemon leasehold_options)

add_library(leasehold_bench_agents STATIC bench/agents.cpp bench/generator.cpp bench/served.cpp)
target_link_libraries(leasehold_bench_agents PUBLIC leasehold_daemon cppzmq msgpackc-cxx)

# Objects: they count in programs that link them, and in no other.
add_library(leasehold_bench_allocations OBJECT bench/allocations.cpp)
target_link_libraries(leasehold_bench_allocations PRIVATE leasehold_options)

add_executable(bench_memory bench/memory.cpp)
target_link_libraries(bench_memory PRIVATE leasehold_bench_fleet leasehold_bench_allocations)

add_executable(bench_evaluate bench/evaluate.cpp bench/rows.cpp bench/empty_groups.cpp bench/host_sets.cpp)
target_link_libraries(bench_evaluate PRIVATE leasehold_bench_fleet leasehold_bench_allocations leasehold_agent_core
  benchmark::benchmark)

add_executable(bench_by_demand bench/by_demand.cpp)
target_link_libraries(bench_by_demand PRIVATE leasehold_bench_fleet benchmark::benchmark)

add_executable(bench_plan bench/plan_bench.cpp bench/plan_core.cpp bench/statements.cpp)
target_link_libraries(bench_plan PRIVATE leasehold_bench_fleet leasehold_bench_allocations benchmark::benchmark sqlite3)

add_executable(bench_postgres bench/postgres.cpp bench/server_loop.cpp)
target_link_libraries(bench_postgres PRIVATE leasehold_bench_fleet leasehold_bench_agents benchmark::benchmark)

add_executable(bench_week bench/week.cpp)
target_link_libraries(bench_week PRIVATE leasehold_bench_fleet leasehold_replay)

add_executable(bench_lease_end bench/lease_end.cpp)
target_link_libraries(bench_lease_end PRIVATE leasehold_bench_fleet sqlite3)

add_executable(bench_list bench/list.cpp)
target_link_libraries(bench_list PRIVATE leasehold_bench_fleet leasehold_views)

add_executable(bench_tables bench/tables.cpp)
target_link_libraries(bench_tables PRIVATE leasehold_bench_fleet)

add_executable(bench_restart bench/restart.cpp)
target_link_libraries(bench_restart PRIVATE leasehold_bench_fleet benchmark::benchmark sqlite3)

file(GLOB bench_load_sources CONFIGURE_DEPENDS bench/load*.cpp bench/bare_*.cpp)
add_executable(bench_load ${bench_load_sources} bench/batches.cpp)
target_link_libraries(bench_load PRIVATE leasehold_bench_agents sqlite3)

add_executable(bench_gridengine bench/gridengine.cpp)
target_link_libraries(bench_gridengine PRIVATE leasehold_workload leasehold_wire benchmark::benchmark)
target_compile_definitions(bench_gridengine PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_slurm bench/slurm.cpp)
target_link_libraries(bench_slurm PRIVATE leasehold_workload leasehold_wire benchmark::benchmark)
target_compile_definitions(bench_slurm PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_polls bench/polls.cpp)
target_link_libraries(bench_polls PRIVATE leasehold_workload)

# Beside etcd (etcd/beside.py): where gRPC is; scripts/install-packages etcd. Its code is generated.
pkg_check_modules(grpc IMPORTED_TARGET QUIET grpc++ protobuf)
find_program(PROTOC protoc)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin)
if(grpc_FOUND AND PROTOC AND GRPC_CPP_PLUGIN)
  set(generated ${CMAKE_BINARY_DIR}/generated/etcd)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(OUTPUT ${generated}/lease.pb.cc ${generated}/lease.grpc.pb.cc
    COMMAND ${PROTOC} --proto_path=${CMAKE_CURRENT_LIST_DIR}/etcd --cpp_out=${generated}
      --grpc_out=${generated} --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} lease.proto
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/etcd/lease.proto VERBATIM)
  add_executable(bench_etcd bench/etcd/grants.cpp ${generated}/lease.pb.cc
    ${generated}/lease.grpc.pb.cc)
  target_include_directories(bench_etcd SYSTEM PRIVATE ${generated})
  target_link_libraries(bench_etcd PRIVATE PkgConfig::grpc)
  set_target_properties(bench_etcd PROPERTIES UNITY_BUILD OFF DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(benches bench_memory bench_evaluate bench_by_demand bench_plan bench_lease_end bench_list bench_tables bench_restart
  bench_load bench_gridengine bench_slurm bench_polls bench_week
  bench_postgres)
add_custom_target(benches DEPENDS ${benches} $<$<TARGET_EXISTS:bench_etcd>:bench_etcd>)
foreach(program ${benches} leasehold_bench_fleet leasehold_bench_agents leasehold_bench_allocations)
  if(NOT LEASEHOLD_BENCH)
    target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endforeach()

# leasehold_bench_moment(NAME argument...): it runs, whatever it measures: no figure is judged.
function(leasehold_bench_moment name)
  leasehold_add_test(NAME "bench: ${name} runs" COMMAND bench_${name} ${ARGN})
  set_tests_properties("bench: ${name} runs" PROPERTIES LABELS bench
    FAIL_REGULAR_EXPRESSION "Failed to match;ERROR OCCURRED" ENVIRONMENT "LEASEHOLD_BENCH_SIDE=10")
endfunction()

set(shortest --benchmark_repetitions=1 --benchmark_min_time=0.001)
leasehold_bench_moment(memory 10)
leasehold_add_test(NAME "bench: growth runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/growth.py --build ${CMAKE_BINARY_DIR}
    --sides 2 --leaves 100 --shortest)
set_tests_properties("bench: growth runs" PROPERTIES LABELS bench)
leasehold_bench_moment(evaluate ${shortest} "--benchmark_filter=decide.*/1/|evaluate|unchanged|report_rows.*/10000/|owner_lacks/10000/|report_empty_groups/2000/|order_sets.*/10000/")
leasehold_bench_moment(by_demand ${shortest} --benchmark_filter=by_demand_all/2)
leasehold_bench_moment(plan ${shortest} "--benchmark_filter=^[a-z_]+(/[a-z_]+)?/100(/1(/1|00)/.*)?$")
leasehold_bench_moment(lease_end 10 10)
leasehold_bench_moment(list 10 10 1)
leasehold_bench_moment(tables 10 10 10)
leasehold_bench_moment(restart ${shortest})
leasehold_bench_moment(week 1 4 5)
leasehold_add_test(NAME "bench: beside etcd runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/etcd/beside.py
    --build ${CMAKE_BINARY_DIR} --runs 1 --seconds 0.2 --clients 4)
set_tests_properties("bench: beside etcd runs" PROPERTIES LABELS bench
  SKIP_RETURN_CODE 77)
leasehold_add_site_test(NAME "bench: postgres runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../postgres/postgres_server.py
    $<TARGET_FILE:bench_postgres> 20 64 0.2 5)
set_tests_properties("bench: postgres runs" PROPERTIES LABELS bench)
leasehold_bench_moment(load --runs 1 --rounds 20 --seconds 0.2)
leasehold_bench_moment(gridengine ${shortest} "--benchmark_filter=-/300000")
leasehold_bench_moment(slurm ${shortest} "--benchmark_filter=-/300000")
leasehold_bench_moment(polls 5)
# It judges: exit 1 says that it was too slow.
set_tests_properties("bench: polls runs" PROPERTIES PASS_REGULAR_EXPRESSION "lsf: bhosts, bjobs")
leasehold_add_site_test(NAME "bench: past runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/past.py --delay 1h --instants 2)
set_tests_properties("bench: past runs" PROPERTIES LABELS bench
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
leasehold_add_site_test(NAME "bench: scale runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/scale/scale.py --agents 20 --leases 400
    --minutes 0 --flips 60 --report 0.5 --delay 1 --period 10 --sample 3 --look 8 --kill 1 --kill-broker 8)
set_tests_properties("bench: scale runs" PROPERTIES LABELS bench
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
