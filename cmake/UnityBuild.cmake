# Most of the time of a small file goes into the headers it includes, so that a build from nothing compiles files of a target together.
# Every file still compiles alone: the debug and tsan presets take them one by one.
#   ladder_compile_together(TARGET SOURCE…)

# Lines of a unit: more would leave a core idle at the end of a build, and take long after a change of one file.
set(LADDER_UNITY_LINES 2500)

# cmake/unity-units says which files may meet. A private name that it overlooks is mostly an error of the compiler. A unit names its
# files from the root of the repository: CMake's own units have whole paths, by which the compiler cache would take those of another
# clone for other files, and preprocess each of them to find out.
function(ladder_compile_together target)
  if(NOT LADDER_UNITY)
    return()
  endif()
  # A local name may be that of another file's private function. The debug and tsan presets still check each file for it.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The types of an anonymous namespace are used in the one file that has them, which is no header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  list(TRANSFORM ARGN REPLACE "^([^/])" "${CMAKE_CURRENT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE sources)
  set(compiled)
  foreach(source IN LISTS sources)
    get_source_file_property(own ${source} COMPILE_DEFINITIONS)
    if(own)  # it has a command line of its own
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
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${unit}}" @ONLY)  # written only if it is another
    list(APPEND compiled ${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${compiled}")
endfunction()
