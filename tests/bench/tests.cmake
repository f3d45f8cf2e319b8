# Benchmarks: built only with -DLEASEHOLD_BENCH=ON, best through scripts/bench. See README.md here.
if(NOT LEASEHOLD_BENCH)
  return()
endif()
find_package(benchmark CONFIG REQUIRED)

add_library(leasehold_bench_fleet STATIC bench/fleet.cpp)
target_link_libraries(leasehold_bench_fleet PUBLIC leasehold_broker_io leasehold_options)

add_executable(bench_memory bench/memory.cpp bench/allocations.cpp)
target_link_libraries(bench_memory PRIVATE leasehold_bench_fleet)

add_executable(bench_evaluate bench/evaluate.cpp bench/allocations.cpp)
target_link_libraries(bench_evaluate PRIVATE leasehold_bench_fleet benchmark::benchmark)
