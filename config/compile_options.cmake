# How the compiler is tuned: flags of all targets (leasehold_options), and of single ones
# (leasehold_cold), each with its reason.

if(LEASEHOLD_QUICK)
  # A demonstration is looked at and not measured: it is compiled without optimizing.
  string(REPLACE "-O3" "-O0" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

# Every warning is an error: one that is let stand hides the next one.
target_compile_options(leasehold_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wswitch-enum -Wnon-virtual-dtor -Wold-style-cast -Werror)
# g++ 12 warns falsely inside std::string at -O2; clang warns of what is used only where a pack of
# arguments is not empty.
target_compile_options(leasehold_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unused-lambda-capture>)

# g++ looks for memory to use again whenever it has doubled what it took, which is a tenth of the
# time of a large file: where there is enough for all processors, only above 600 MB.
cmake_host_system_information(RESULT memory_mb QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR needed_mb "2000 * ${processors}")
if(memory_mb GREATER_EQUAL needed_mb)
  target_compile_options(leasehold_options
    INTERFACE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=600000>")
endif()

if(LEASEHOLD_SANITIZE)
  # g++ 12 sees uninitialized reads inside std::regex and std::variant that are not there, and
  # writes beyond what is there inside std::vector.
  target_compile_options(leasehold_options
    INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overflow>")
  # A report shows whole stacks, and the first fault ends the program, so that its test fails.
  target_compile_options(leasehold_options INTERFACE -fsanitize=${LEASEHOLD_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(leasehold_options INTERFACE -fsanitize=${LEASEHOLD_SANITIZE})
endif()

if(LEASEHOLD_UNITY)
  # g++ warns of a type that a header leaves to an unnamed namespace if that is not the main file;
  # clang of a header's names that are those of a file before it.
  target_compile_options(leasehold_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()

# leasehold_cold(TARGET...): what runs at a start or when a person asks, and waits for disks and
# sockets then. A quarter of the time that compiling it takes goes into what nobody would notice.
function(leasehold_cold)
  if(LEASEHOLD_QUICK)
    return()
  endif()
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# leasehold_headers_precompiled(TARGET): of what is inlined from a precompiled header g++ 12 no longer
# sees that it is the system's, and warns of what it takes for faults inside std::string and the like.
# At -O0 it does not look; at -O3 nothing is precompiled (precompiled.cmake), and it looks.
function(leasehold_headers_precompiled target)
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized
    -Wno-stringop-overflow -Wno-stringop-overread)
endfunction()
