# Turns src/layers.txt into one library per folder with exactly the dependencies listed there.

# The external libraries of each folder.
set(LADDER_EXTERNAL_base ladder::dep::fmt $<LINK_ONLY:ladder::dep::utf8proc> $<LINK_ONLY:ladder::dep::xxhash> Threads::Threads)
set(LADDER_EXTERNAL_json ladder::dep::boost_json)
set(LADDER_EXTERNAL_crypto ladder::dep::openssl ladder::dep::sodium)
set(LADDER_EXTERNAL_store ladder::dep::sqlite ladder::dep::libpq $<LINK_ONLY:ladder::dep::stemmer>
    $<LINK_ONLY:ladder::dep::zstd>)
set(LADDER_EXTERNAL_http ladder::dep::boost_headers ladder::dep::tls)
set(LADDER_EXTERNAL_import ladder::dep::zip ladder::dep::zlib ladder::dep::gmime ladder::dep::poppler
    ladder::dep::icu ladder::dep::uchardet ladder::dep::gumbo ladder::dep::seccomp)
set(LADDER_EXTERNAL_cli ladder::dep::cli11)

function(ladder_layers)
  add_custom_target(check_layers
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/check-layers ${CMAKE_SOURCE_DIR}
    COMMENT "Checking that every #include follows src/layers.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/layers.txt)
  file(STRINGS src/layers.txt lines REGEX "^[a-z/]+:")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z/]+): *(.*)$" _ "${line}")
    set(folder ${CMAKE_MATCH_1})
    string(REPLACE " " ";" edges "${CMAKE_MATCH_2}")
    string(REPLACE "/" "_" name "${folder}")
    ladder_sources(sources ${folder} "/[^/]*\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$|/testing/")
    if(sources)
      add_library(ladder_${name} STATIC ${sources})
      set(scope PUBLIC)
      ladder_product(ladder_${name})
      ladder_use_headers(ladder_${name} product_headers)
      ladder_compile_together(ladder_${name} ${sources})
      add_dependencies(ladder_${name} check_layers)
    else()
      add_library(ladder_${name} INTERFACE)
      set(scope INTERFACE)
    endif()
    target_include_directories(ladder_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
    foreach(edge IN LISTS edges)
      string(REPLACE "/" "_" edge "${edge}")
      target_link_libraries(ladder_${name} ${scope} ladder_${edge})
    endforeach()
    target_link_libraries(ladder_${name} ${scope} ${LADDER_EXTERNAL_${name}})
  endforeach()
endfunction()

# ladder_sources(OUT FOLDER REGEX): lists the .cpp files of a folder of src/ and its subfolders, except subfolders with their own line in
# src/layers.txt (import/wire inside import).
function(ladder_sources out folder regex)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  list(FILTER found INCLUDE REGEX "${regex}")
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/layers.txt inner REGEX "^${folder}/[a-z/]+:")
  foreach(line IN LISTS inner)
    string(REGEX REPLACE ":.*" "" line "${line}")
    list(FILTER found EXCLUDE REGEX "/src/${line}/")
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Embeds files into the programs: the stylesheet and the script of the pages, plain and compressed, and the declarations of the import
# formats.
function(ladder_assets)
  set(folder ${CMAKE_SOURCE_DIR}/src/pages/assets)
  set(packed ${CMAKE_BINARY_DIR}/assets)
  file(MAKE_DIRECTORY ${packed})
  foreach(name ladder.css ladder.js)
    add_custom_command(OUTPUT ${packed}/${name}.gz COMMAND gzip -9nc ${folder}/${name} > ${packed}/${name}.gz
                       DEPENDS ${folder}/${name} COMMENT "Compressing ${name}" VERBATIM)
  endforeach()
  set_source_files_properties(src/pages/assets.cpp PROPERTIES
    COMPILE_DEFINITIONS "LADDER_ASSETS=\"${folder}\";LADDER_PACKED_ASSETS=\"${packed}\""
    OBJECT_DEPENDS "${folder}/ladder.css;${folder}/ladder.js;${packed}/ladder.css.gz;${packed}/ladder.js.gz")
  set(formats ${CMAKE_SOURCE_DIR}/src/import/formats)
  file(GLOB declarations CONFIGURE_DEPENDS ${formats}/*/declaration.json)
  set_source_files_properties(src/import/formats/declaration_files.cpp PROPERTIES
    COMPILE_DEFINITIONS "LADDER_FORMATS=\"${formats}\"" OBJECT_DEPENDS "${declarations}")
endfunction()
