# Turns src/layers.txt into one library per folder with exactly the dependencies listed there.

# The external libraries of each folder.
set(LADDER_EXTERNAL_base ladder::dep::fmt $<LINK_ONLY:ladder::dep::utf8proc> $<LINK_ONLY:ladder::dep::xxhash> Threads::Threads)
set(LADDER_EXTERNAL_json ladder::dep::boost_json)
set(LADDER_EXTERNAL_crypto ladder::dep::openssl ladder::dep::sodium)
set(LADDER_EXTERNAL_text $<LINK_ONLY:ladder::dep::stemmer>)
set(LADDER_EXTERNAL_store ladder::dep::sqlite ladder::dep::libpq $<LINK_ONLY:ladder::dep::zstd>)
set(LADDER_EXTERNAL_http ladder::dep::boost_headers ladder::dep::tls)
set(LADDER_EXTERNAL_import ladder::dep::zip ladder::dep::zlib ladder::dep::gmime ladder::dep::poppler
    ladder::dep::icu ladder::dep::uchardet ladder::dep::gumbo ladder::dep::expat ladder::dep::sqlite ladder::dep::seccomp)
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

# ladder_embeds(SOURCE DEFINITION FOLDER FILE…): tells a source file the folder of the files that it embeds (base/embedded_file.h).
function(ladder_embeds source definition folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS "${definition}=\"${folder}\"")
  set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${ARGN})
endfunction()

# Embeds the stylesheet and the script of the pages, plain and compressed, the tables of word forms, the declarations of the import
# formats, and the help topics of the documentation.
function(ladder_assets)
  set(folder ${CMAKE_SOURCE_DIR}/src/pages/assets)
  set(packed ${CMAKE_BINARY_DIR}/assets)
  file(MAKE_DIRECTORY ${packed})
  foreach(name ladder.css ladder.js)
    add_custom_command(OUTPUT ${packed}/${name}.gz COMMAND gzip -9nc ${folder}/${name} > ${packed}/${name}.gz
                       DEPENDS ${folder}/${name} COMMENT "Compressing ${name}" VERBATIM)
  endforeach()
  ladder_embeds(src/pages/assets.cpp LADDER_ASSETS ${folder} ladder.css ladder.js)
  ladder_embeds(src/pages/assets.cpp LADDER_PACKED_ASSETS ${packed} ladder.css.gz ladder.js.gz)
  ladder_embeds(src/text/forms/tables.cpp LADDER_FORM_TABLES ${CMAKE_SOURCE_DIR}/src/text/forms/tables
                function_words.txt irregular_forms.txt stem_changes.txt endings.txt)
  set(formats ${CMAKE_SOURCE_DIR}/src/import/formats)
  file(GLOB declarations RELATIVE ${formats} CONFIGURE_DEPENDS ${formats}/*/declaration.json)
  ladder_embeds(src/import/formats/declaration_files.cpp LADDER_FORMATS ${formats} ${declarations})
  set(help ${CMAKE_BINARY_DIR}/help)
  file(MAKE_DIRECTORY ${help})
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/start/*.md ${CMAKE_SOURCE_DIR}/docs/use/*.md ${CMAKE_SOURCE_DIR}/docs/run/*.md
       ${CMAKE_SOURCE_DIR}/docs/reference/*.md)
  add_custom_command(OUTPUT ${help}/topics.txt COMMAND ${CMAKE_SOURCE_DIR}/cmake/help-topics ${pages} > ${help}/topics.txt
                     DEPENDS ${pages} ${CMAKE_SOURCE_DIR}/cmake/help-topics COMMENT "Collecting the help topics" VERBATIM)
  ladder_embeds(src/cli/help/topics.cpp LADDER_HELP_TOPICS ${help} topics.txt)
  file(GLOB flat_formats RELATIVE ${formats}/flat CONFIGURE_DEPENDS ${formats}/flat/*.json)
  ladder_embeds(src/import/formats/flat/flat.cpp LADDER_FLAT_FORMATS ${formats}/flat ${flat_formats})
endfunction()
