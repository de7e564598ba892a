# ctest fixtures: a scratch folder with a PostgreSQL server for the test programs, and the npm packages of the JavaScript suites.

# Tests write many small stores; /dev/shm saves the time that their fsync calls would take.
set(scratch_root /tmp)
if(IS_DIRECTORY /dev/shm)
  set(scratch_root /dev/shm)
endif()
string(SHA1 scratch_hash "${CMAKE_BINARY_DIR}")
string(SUBSTRING ${scratch_hash} 0 10 scratch_hash)
set(ladder_scratch ${scratch_root}/ladder-ctest-${scratch_hash})
set(ladder_environment TMPDIR=${ladder_scratch}
    LADDER_TEST_POSTGRES=postgres://postgres@/postgres?host=${ladder_scratch}/postgres)

# ladder_fixture_test(NAME SETUP|CLEANUP FIXTURE COMMAND...)
function(ladder_fixture_test name kind fixture)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES FIXTURES_${kind} ${fixture} LABELS fixture TIMEOUT 900)
endfunction()

function(ladder_fixtures)
  set(postgres ${CMAKE_SOURCE_DIR}/tests/support/postgres-fixture)
  ladder_fixture_test(postgres.start SETUP postgres ${postgres} start ${ladder_scratch})
  ladder_fixture_test(postgres.stop CLEANUP postgres ${postgres} stop ${ladder_scratch})
  foreach(packages clients browser)
    ladder_fixture_test(npm.${packages} SETUP npm_${packages} npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error)
    set_tests_properties(npm.${packages} PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/tests/${packages})
  endforeach()
endfunction()

# Sets the environment of every test in the named lists when ctest starts; gtest_discover_tests() cannot pass a list as a property.
function(ladder_test_environment)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/environment.cmake)
  file(WRITE ${script} "foreach(list ${ARGN})\n  if(\${list})\n    set_tests_properties(\${\${list}} PROPERTIES ENVIRONMENT \"${ladder_environment}\")\n  endif()\nendforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# ladder_script_test(NAME FIXTURES COMMAND...): a JavaScript suite that talks to the real program.
function(ladder_script_test name fixtures)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS script TIMEOUT 1800 FIXTURES_REQUIRED "postgres;${fixtures}"
                       ENVIRONMENT "${ladder_environment}" WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()
