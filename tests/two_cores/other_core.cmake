# scripts/compare-cores has the project of another commit take this in when it is declared
# (CMAKE_PROJECT_leasehold_INCLUDE); the stepper is added once all its libraries are known.
cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]]
  CALL include [[${CMAKE_CURRENT_LIST_DIR}/stepper.cmake]])")
