# Builds the stepper with the core of the project that takes this in. For another commit a copy of
# this folder is taken, whose root has nothing else: its headers are those of that commit.
cmake_path(SET two_cores_root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
add_executable(core_stepper ${CMAKE_CURRENT_LIST_DIR}/stepper.cpp)
target_include_directories(core_stepper PRIVATE ${two_cores_root})
target_link_libraries(core_stepper PRIVATE leasehold_record leasehold_core leasehold_options)
target_compile_options(core_stepper PRIVATE $<$<CONFIG:Release>:-O1>)
