# A small file spends most of its compile time on its headers, so full builds compile several files of a target together. Every file
# still compiles alone: the debug and tsan presets compile them separately.
#   ladder_compile_together(TARGET SOURCE…)

# Lines per unit: larger ones would leave cores idle at the end of a build, and recompile slowly after a change of one file.
set(LADDER_UNITY_LINES 2500)

# cmake/unity-units selects the files of a unit. A private name that it overlooks usually gives a compiler error. A unit includes its
# files by paths relative to the repository: CMake's own units have absolute paths, so the compiler cache would treat another clone's
# units as different files.
function(ladder_compile_together target)
  if(NOT LADDER_UNITY)
    return()
  endif()
  # A local name may shadow another file's private function. The debug and tsan presets still check each file for shadowing.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Types in an anonymous namespace are only used in the .cpp file that defines them.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  list(TRANSFORM ARGN REPLACE "^([^/])" "${CMAKE_CURRENT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE sources)
  set(compiled)
  foreach(source IN LISTS sources)
    get_source_file_property(own ${source} COMPILE_DEFINITIONS)
    if(own)  # it has its own command line
      list(APPEND compiled ${source})
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/unity-units ${CMAKE_SOURCE_DIR} ${LADDER_UNITY_LINES} ${sources}
                  OUTPUT_VARIABLE units COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" units "${units}")
  set(last 0)
  foreach(line IN LISTS units)
    string(REGEX MATCH "^([0-9]+) ([^ ]+)" _ "${line}")
    set(unit ${CMAKE_MATCH_1})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_MATCH_2})
    string(APPEND text_${unit} "#include \"${path}\"\n")
    if(unit GREATER last)
      set(last ${unit})
    endif()
  endforeach()
  foreach(unit RANGE 1 ${last})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${unit}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${unit}}" @ONLY)  # written only if it changed
    list(APPEND compiled ${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${compiled}")
endfunction()
