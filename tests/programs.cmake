# How a folder's CMakeLists.txt turns its files into programs and tests.
#
# quartic_add_tests(PROGRAM LIBRARY SOURCES files... [NUMERICAL files...]): one program of all files. LIBRARY is
# quartic::quartic for tests of what is exported, quartic_inside for those of what isn't. Files listed as NUMERICAL are left
# out where QUARTIC_NUMERICAL_TESTS is off: sanitizers take long for them, or would be in their way. A file's name stands in
# one program only.
function(quartic_add_tests program library)
  cmake_parse_arguments(PARSE_ARGV 2 tests "" "" "SOURCES;NUMERICAL")
  if(QUARTIC_NUMERICAL_TESTS)
    list(APPEND tests_SOURCES ${tests_NUMERICAL})
  endif()
  if(NOT tests_SOURCES)
    return()
  endif()
  quartic_add_test_program(${program} ${library} ${tests_SOURCES})
  gtest_discover_tests(${program} TEST_FILTER "-*Slow*" NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  gtest_discover_tests(${program} TEST_FILTER "*Slow*" TEST_LIST ${program}_slow NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 1500 LABELS slow)
endfunction()

function(quartic_add_test_program program library)
  add_executable(${program} ${ARGN})
  set_target_properties(${program} PROPERTIES UNITY_BUILD_BATCH_SIZE 6)
  target_link_libraries(${program} PRIVATE quartic_test_support ${library})  # support calls the library
  quartic_test_options(${program})
  target_precompile_headers(${program} REUSE_FROM quartic_test_support)
endfunction()

function(quartic_test_options target)
  target_link_libraries(${target} PRIVATE GTest::gtest_main nlohmann_json::nlohmann_json Threads::Threads)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  quartic_warnings(${target})
  # Eigen at -O3 takes most of a minute per file, and with sanitizers at -O1 nearly as long.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms of -O1 on Eigen
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow>)  # cmake/precompiled.cmake
endfunction()

# The filter that picks the tests of some files out of their program: all suites that they name.
function(quartic_filter_of_files out)
  set(patterns "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(STRINGS ${file} tests REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    if(NOT tests)
      message(FATAL_ERROR "no tests in ${file}")
    endif()
    list(TRANSFORM tests REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+),.*" "\\1")
    list(REMOVE_DUPLICATES tests)
    foreach(suite IN LISTS tests)
      list(APPEND patterns "${suite}.*" "${suite}/*" "*/${suite}.*")
    endforeach()
  endforeach()
  list(JOIN patterns ":" patterns)
  set(${out} "${patterns}" PARENT_SCOPE)
endfunction()

# quartic_add_instruction_set_tests(PROGRAM files...): each file's tests again for every instruction set that kernels are
# written for, as X_test.avx2; skipped where the machine lacks it.
function(quartic_add_instruction_set_tests program)
  if(NOT QUARTIC_NUMERICAL_TESTS)
    return()
  endif()
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    quartic_filter_of_files(filter ${file})
    foreach(set portable avx2 avx512)
      add_test(NAME ${name}.${set}
        COMMAND ${CMAKE_COMMAND} -DSET=${set} -DPROGRAM=$<TARGET_FILE:${program}> "-DFILTER=${filter}"
          -P ${PROJECT_SOURCE_DIR}/tests/instruction_set.cmake)
      set_tests_properties(${name}.${set} PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "this machine has no ${set}")
    endforeach()
  endforeach()
endfunction()

# quartic_add_cuda_tests(PROGRAM [ONLY|EXCEPT filter] [LABEL label] SOURCES files...): each file's tests on a device, as
# X_test.cuda; skipped where there is no device. The label, `cuda` if nothing is said, is for running them alone.
function(quartic_add_cuda_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "ONLY;EXCEPT;LABEL" "SOURCES")
  if(NOT tests_LABEL)
    set(tests_LABEL cuda)
  endif()
  foreach(file IN LISTS tests_SOURCES)
    cmake_path(GET file STEM name)
    quartic_filter_of_files(filter ${file})
    if(tests_ONLY)
      set(filter "${tests_ONLY}")
    elseif(tests_EXCEPT)
      string(APPEND filter "-${tests_EXCEPT}")
    endif()
    add_test(NAME ${name}.${tests_LABEL} COMMAND ${program} "--gtest_filter=${filter}")
    quartic_cuda_test_properties(${name}.${tests_LABEL} ${tests_LABEL})
  endforeach()
endfunction()

# Further arguments are variables of the environment. Without a limit of time: emulated devices take minutes, others must not
# (ctest --timeout).
function(quartic_cuda_test_properties test label)
  set(environment QUARTIC_TEST_BACKEND=cuda ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS ${label} ENVIRONMENT "${environment}"
    SKIP_REGULAR_EXPRESSION "no CUDA device;the backend 'cuda' (finds no device|can't be loaded)")
endfunction()

# quartic_add_device_tests(PROGRAM LIBRARY SOURCES files...): a program of tests for a device alone.
function(quartic_add_device_tests program library)
  cmake_parse_arguments(PARSE_ARGV 2 tests "" "" "SOURCES")
  if(TARGET quartic_cuda)
    quartic_add_test_program(${program} ${library} ${tests_SOURCES})
    set_target_properties(${program} PROPERTIES UNITY_BUILD OFF)  # siblings have functions of the same names
    quartic_add_cuda_tests(${program} SOURCES ${tests_SOURCES})
  endif()
endfunction()
