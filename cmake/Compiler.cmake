# The language, the warnings and the sanitizers, for every target alike.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Threads REQUIRED)

find_program(CCACHE ccache)
if(CCACHE AND LADDER_WHOLE_PATHS)
  # Debug symbols contain source paths: with relative paths they would differ from those of a build without a cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
elseif(CCACHE)
  # Several build folders share one cache: paths are relative, and a precompiled header is identified by the .sum file next to it
  # (PrecompiledHeaders.cmake), since clang writes the folder's path into the header itself.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# mold links the test programs in a fraction of the time; without it the default linker is used.
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Wold-style-cast -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these two inside the standard library at -O2 and under sanitizers.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -fpch-preprocess)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang reports libstdc++'s stable_sort as our use of a deprecated function. The thread-safety analysis
  # checks the annotations of base/mutex.h.
  add_compile_options(-Wno-deprecated-declarations -Wthread-safety)
endif()

if(LADDER_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(LADDER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -Wno-tsan)
  add_link_options(-fsanitize=thread)
endif()

# Product code also runs under UBSan; test files do not, since it would double their compile time.
function(ladder_product target)
  if(LADDER_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE -fsanitize=undefined -fno-sanitize-recover=undefined)
  endif()
endfunction()
