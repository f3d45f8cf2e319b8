# Benchmarks: built only with -DLEASEHOLD_BENCH=ON, best through scripts/bench. See README.md here.
if(NOT LEASEHOLD_BENCH)
  return()
endif()
find_package(benchmark CONFIG REQUIRED)

add_library(leasehold_bench_fleet STATIC bench/fleet.cpp)
target_link_libraries(leasehold_bench_fleet PUBLIC leasehold_daemon leasehold_options)

add_executable(bench_memory bench/memory.cpp bench/allocations.cpp)
target_link_libraries(bench_memory PRIVATE leasehold_bench_fleet)

add_executable(bench_evaluate bench/evaluate.cpp bench/allocations.cpp)
target_link_libraries(bench_evaluate PRIVATE leasehold_bench_fleet benchmark::benchmark)

add_executable(bench_plan bench/plan_bench.cpp bench/plan_core.cpp bench/plan_fleet.cpp
  bench/allocations.cpp)
target_link_libraries(bench_plan PRIVATE leasehold_bench_fleet benchmark::benchmark)

add_executable(bench_lease_end bench/lease_end.cpp)
target_link_libraries(bench_lease_end PRIVATE leasehold_bench_fleet sqlite3)

add_executable(bench_restart bench/restart.cpp)
target_link_libraries(bench_restart PRIVATE leasehold_bench_fleet benchmark::benchmark sqlite3)

file(GLOB bench_load_sources CONFIGURE_DEPENDS bench/load*.cpp bench/bare_*.cpp)
add_executable(bench_load ${bench_load_sources} bench/agents.cpp bench/generator.cpp
  bench/served.cpp bench/written_rows.cpp)
target_link_libraries(bench_load PRIVATE leasehold_daemon sqlite3 cppzmq msgpackc-cxx)

add_executable(bench_gridengine bench/gridengine.cpp)
target_link_libraries(bench_gridengine PRIVATE leasehold_workload benchmark::benchmark)
target_compile_definitions(bench_gridengine PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_slurm bench/slurm.cpp)
target_link_libraries(bench_slurm PRIVATE leasehold_workload benchmark::benchmark)
target_compile_definitions(bench_slurm PRIVATE LEASEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

add_executable(bench_polls bench/polls.cpp)
target_link_libraries(bench_polls PRIVATE leasehold_workload)
