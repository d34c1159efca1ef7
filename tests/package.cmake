# The installed package as others meet it: installed, moved elsewhere, looked over, and used by an outside project
# that is compiled with other flags. Sanitized builds are left out: their library only loads into sanitized programs.
set(stage ${PROJECT_BINARY_DIR}/package/stage)
set(prefix ${PROJECT_BINARY_DIR}/package/prefix)

add_test(NAME package.install
  COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DSTAGE=${stage} -DPREFIX=${prefix} -DCONFIG=$<CONFIG>
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DNM=${CMAKE_NM} -P ${CMAKE_CURRENT_SOURCE_DIR}/package_install.cmake)
add_test(NAME package.consumer
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer
    ${PROJECT_BINARY_DIR}/package/consumer --build-generator ${CMAKE_GENERATOR} --build-noclean
    --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    --test-command ${PROJECT_BINARY_DIR}/package/consumer/consumer)
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed_package LABELS package)
set_tests_properties(package.consumer PROPERTIES FIXTURES_REQUIRED installed_package LABELS package TIMEOUT 600)
if(TARGET quartic_command)
  add_test(NAME package.command COMMAND ${prefix}/bin/quartic --help)
  set_tests_properties(package.command PROPERTIES FIXTURES_REQUIRED installed_package LABELS package)
endif()
