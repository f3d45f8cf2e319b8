# Compiles several files of a program at once, which shares the work of reading headers: a clean
# build takes half the time, a changed file more. unity_groups.py chooses, so names need no care.

# leasehold_unity(SIZE FOLDER): in all programs and libraries of FOLDER and below.
function(leasehold_unity size folder)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(one ${below})
    leasehold_unity(${size} ${one})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "EXECUTABLE|LIBRARY" AND NOT type STREQUAL "INTERFACE_LIBRARY")
      leasehold_unity_target(${target} ${size})
    endif()
  endforeach()
endfunction()

# A file has one group in all programs of its folder: that of the first that has it. Files that
# another program compiles anew are not put with others of their library, which it then leaves out
# whole (LEASEHOLD_COMPILED_ANEW).
function(leasehold_unity_target target size)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(files ${target} SOURCES)
  get_property(anew GLOBAL PROPERTY LEASEHOLD_COMPILED_ANEW)
  set(sources "")
  set(sources_anew "")
  foreach(file ${files})
    get_filename_component(file ${file} ABSOLUTE BASE_DIR ${folder})
    get_property(group SOURCE ${file} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP)
    if(group OR NOT EXISTS ${file})
      continue()
    elseif(file IN_LIST anew)
      list(APPEND sources_anew ${file})
    else()
      list(APPEND sources ${file})
    endif()
  endforeach()
  leasehold_unity_groups(${target} ${target} ${size} ${sources})
  leasehold_unity_groups(${target} ${target}_anew ${size} ${sources_anew})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(leasehold_unity_groups target name size)
  if(NOT ARGN)
    return()
  endif()
  execute_process(COMMAND ${LEASEHOLD_PYTHON} -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/unity_groups.py
    ${size} ${ARGN} OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  foreach(file group IN ZIP_LISTS ARGN groups)
    set_property(SOURCE ${file} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${name}_${group})
  endforeach()
endfunction()
