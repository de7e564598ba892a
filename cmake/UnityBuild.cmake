# Most of the time of a small file goes into the headers it includes, so that a build from nothing compiles files of a target together.
# Every file still compiles alone: the debug preset and clang-tidy take them one by one.
#   ladder_compile_together(TARGET SOURCE…)

# Lines of a unit: more would leave a core idle at the end of a build, and take long after a change of one file.
set(LADDER_UNITY_LINES 1500)

# cmake/unity-units says which files may meet. A private name that it overlooks is mostly an error of the compiler.
function(ladder_compile_together target)
  if(NOT LADDER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A local name may be that of another file's private function. The debug preset and clang-tidy still check each file for it.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The types of an anonymous namespace are used in the one file that has them, which is no header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  list(TRANSFORM ARGN REPLACE "^([^/])" "${CMAKE_CURRENT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE sources)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/unity-units ${CMAKE_SOURCE_DIR} ${LADDER_UNITY_LINES} ${sources}
                  OUTPUT_VARIABLE units COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" units "${units}")
  foreach(line IN LISTS units)
    string(REGEX MATCH "^([0-9]+) ([^ ]+)" _ "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
endfunction()
