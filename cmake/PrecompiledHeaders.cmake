# Headers of the standard library, fmt and Boost.JSON take longer to parse than most of our files, so they are compiled once per build
# folder.
#   ladder_precompiled_headers(NAME HEADER…)   creates the object library NAME that contains them
#   ladder_use_headers(TARGET NAME)            compiles TARGET with them
set(LADDER_STANDARD_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstddef> <cstdint> <cstring> <deque> <expected> <filesystem>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <unordered_set>
  <utility> <vector> <fmt/format.h> <boost/json.hpp>)

# A precompiled header is only used with the same macros, so these are on every command line.
add_compile_definitions(BOOST_CONTAINER_DYN_LINK BOOST_CONTAINER_NO_LIB BOOST_JSON_DYN_LINK BOOST_JSON_NO_LIB FMT_SHARED)

# CMake would also pass the header's own path, which ccache does not make relative.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

function(ladder_precompiled_headers name)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp "// Compiles a precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC ladder::dep::boost_json ladder::dep::fmt Threads::Threads)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)
  # The sum by which ccache identifies the header: a hash of its inputs instead of the compiled bytes.
  set(gtest "")
  if("<gtest/gtest.h>" IN_LIST ARGN)
    set(gtest "${GTest_VERSION}")
  endif()
  string(SHA256 sum "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}\
    ${LADDER_SANITIZE} ${Boost_VERSION} ${fmt_VERSION} ${gtest} ${name} ${ARGN}")
  foreach(ending gch pch)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.${ending}.sum "${sum}\n")
  endforeach()
endfunction()

function(ladder_use_headers target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()
