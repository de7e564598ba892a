# Turns src/layers.txt into one library per folder with exactly the edges written there.

# What each folder needs from outside.
set(LADDER_EXTERNAL_base ladder::dep::fmt $<LINK_ONLY:ladder::dep::utf8proc> $<LINK_ONLY:ladder::dep::xxhash> Threads::Threads)
set(LADDER_EXTERNAL_json ladder::dep::boost_json)
set(LADDER_EXTERNAL_crypto ladder::dep::openssl ladder::dep::sodium)
set(LADDER_EXTERNAL_store ladder::dep::sqlite ladder::dep::libpq)
set(LADDER_EXTERNAL_http ladder::dep::boost_headers ladder::dep::tls)
set(LADDER_EXTERNAL_import ladder::dep::zip ladder::dep::zlib ladder::dep::gmime ladder::dep::poppler
    ladder::dep::icu ladder::dep::uchardet ladder::dep::gumbo ladder::dep::seccomp)
set(LADDER_EXTERNAL_cli ladder::dep::cli11)

function(ladder_layers)
  add_custom_target(check_layers
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/check-layers ${CMAKE_SOURCE_DIR}
    COMMENT "Checking that every #include follows src/layers.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/layers.txt)
  file(STRINGS src/layers.txt lines REGEX "^[a-z]+:")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+): *(.*)$" _ "${line}")
    set(folder ${CMAKE_MATCH_1})
    string(REPLACE " " ";" edges "${CMAKE_MATCH_2}")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${folder}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$|/testing/")
    if(sources)
      add_library(ladder_${folder} STATIC ${sources})
      set(scope PUBLIC)
      ladder_product(ladder_${folder})
      ladder_use_headers(ladder_${folder} product_headers)
      add_dependencies(ladder_${folder} check_layers)
    else()
      add_library(ladder_${folder} INTERFACE)
      set(scope INTERFACE)
    endif()
    target_include_directories(ladder_${folder} ${scope} src)
    foreach(edge IN LISTS edges)
      target_link_libraries(ladder_${folder} ${scope} ladder_${edge})
    endforeach()
    target_link_libraries(ladder_${folder} ${scope} ${LADDER_EXTERNAL_${folder}})
  endforeach()
endfunction()

# The stylesheet and the script of the pages are part of the program.
function(ladder_assets)
  set(folder ${CMAKE_SOURCE_DIR}/src/pages/assets)
  set_source_files_properties(src/pages/assets.cpp PROPERTIES
    COMPILE_DEFINITIONS "LADDER_ASSETS=\"${folder}\""
    OBJECT_DEPENDS "${folder}/ladder.css;${folder}/ladder.js")
endfunction()
