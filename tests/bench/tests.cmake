# Benchmarks (README.md here). scripts/bench builds them with -DLEASEHOLD_BENCH=ON, as fast as the
# programs; with the tests they are built unoptimized and run for a moment, so that none rots.
find_package(benchmark CONFIG REQUIRED)

add_library(leasehold_bench_fleet STATIC bench/fleet.cpp)
target_link_libraries(leasehold_bench_fleet PUBLIC leasehold_daemon leasehold_options)

add_executable(bench_memory bench/memory.cpp bench/allocations.cpp)
target_link_libraries(bench_memory PRIVATE leasehold_bench_fleet)

add_executable(bench_evaluate bench/evaluate.cpp bench/allocations.cpp)
target_link_libraries(bench_evaluate PRIVATE leasehold_bench_fleet benchmark::benchmark)

add_executable(bench_plan bench/plan_bench.cpp bench/plan_core.cpp bench/statements.cpp
  bench/plan_fleet.cpp
  bench/allocations.cpp)
target_link_libraries(bench_plan PRIVATE leasehold_bench_fleet benchmark::benchmark sqlite3)

add_executable(bench_lease_end bench/lease_end.cpp)
target_link_libraries(bench_lease_end PRIVATE leasehold_bench_fleet sqlite3)

add_executable(bench_restart bench/restart.cpp)
target_link_libraries(bench_restart PRIVATE leasehold_bench_fleet benchmark::benchmark sqlite3)

file(GLOB bench_load_sources CONFIGURE_DEPENDS bench/load*.cpp bench/bare_*.cpp)
add_executable(bench_load ${bench_load_sources} bench/agents.cpp bench/generator.cpp
  bench/served.cpp bench/batches.cpp)
target_link_libraries(bench_load PRIVATE leasehold_daemon sqlite3 cppzmq msgpackc-cxx)

add_executable(bench_gridengine bench/gridengine.cpp)
target_link_libraries(bench_gridengine PRIVATE leasehold_workload benchmark::benchmark)
target_compile_definitions(bench_gridengine PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_slurm bench/slurm.cpp)
target_link_libraries(bench_slurm PRIVATE leasehold_workload benchmark::benchmark)
target_compile_definitions(bench_slurm PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_polls bench/polls.cpp)
target_link_libraries(bench_polls PRIVATE leasehold_workload)

foreach(program bench_memory bench_evaluate bench_plan bench_lease_end bench_restart bench_load
    bench_gridengine bench_slurm bench_polls leasehold_bench_fleet)
  if(NOT LEASEHOLD_BENCH)
    target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endforeach()

# leasehold_bench_moment(NAME argument...): it runs, whatever it measures: no figure is judged.
function(leasehold_bench_moment name)
  add_test(NAME "bench: ${name} runs" COMMAND bench_${name} ${ARGN})
  set_tests_properties("bench: ${name} runs" PROPERTIES LABELS bench TIMEOUT 300
    FAIL_REGULAR_EXPRESSION "Failed to match" ENVIRONMENT "LEASEHOLD_BENCH_SIDE=10")
endfunction()

set(shortest --benchmark_repetitions=1 --benchmark_min_time=0.001)
leasehold_bench_moment(memory 10)
leasehold_bench_moment(evaluate ${shortest} --benchmark_filter=evaluate_and_order)
leasehold_bench_moment(plan ${shortest} "--benchmark_filter=^[a-z_]+(/[a-z_]+)?/100(/1(/1|00)/.*)?$")
leasehold_bench_moment(lease_end 10 10)
leasehold_bench_moment(restart ${shortest})
leasehold_bench_moment(load --runs 1 --rounds 20 --seconds 0.2)
leasehold_bench_moment(gridengine ${shortest})
leasehold_bench_moment(slurm ${shortest})
leasehold_bench_moment(polls)
# It judges: exit 1 says that it was too slow.
set_tests_properties("bench: polls runs" PROPERTIES PASS_REGULAR_EXPRESSION "lsf: bhosts, bjobs")
add_test(NAME "bench: past runs"
  COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/past.py --delay 1h --instants 2)
set_tests_properties("bench: past runs" PROPERTIES LABELS bench TIMEOUT 300
  ENVIRONMENT "LEASEHOLD_BIN=${CMAKE_BINARY_DIR}/bin")
