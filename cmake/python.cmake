# Finds Python and nanobind as QUARTIC_PYTHON asks for: the interpreter of the environment that scripts/setup.sh makes
# (build/python), or else whichever CMake finds. Sets QUARTIC_HAS_PYTHON, and Python_EXECUTABLE.
set(QUARTIC_HAS_PYTHON OFF)
if(IS_ABSOLUTE "${QUARTIC_PYTHON}")  # an interpreter, as build folders of earlier versions have it
  set(QUARTIC_PYTHON OFF CACHE STRING "Python package: AUTO (where nanobind is found), ON or OFF" FORCE)
endif()
if(NOT QUARTIC_PYTHON)
  return()
endif()

set(python_environment ${PROJECT_SOURCE_DIR}/build/python/bin/python)
if(NOT DEFINED Python_EXECUTABLE AND EXISTS ${python_environment})
  set(Python_EXECUTABLE ${python_environment} CACHE FILEPATH "Python that the package quartic is built for")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
if(Python_FOUND AND NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(nanobind_dir)
    set(nanobind_DIR ${nanobind_dir} CACHE PATH "Where nanobind-config.cmake is" FORCE)
  endif()
endif()
# One extension for all versions from 3.12 on. CMake knows the component Development.SABIModule from 3.26 on; on Linux it is
# the headers alone, since extensions don't link Python.
if(Python_FOUND AND Python_VERSION VERSION_GREATER_EQUAL 3.12 AND NOT TARGET Python::SABIModule)
  add_library(Python::SABIModule INTERFACE IMPORTED)
  target_include_directories(Python::SABIModule SYSTEM INTERFACE ${Python_INCLUDE_DIRS})
endif()
if(Python_FOUND)
  find_package(nanobind 3.1 CONFIG QUIET)
endif()

if(Python_FOUND AND nanobind_FOUND)
  message(STATUS "quartic: with the Python package, for Python ${Python_VERSION} (nanobind ${nanobind_VERSION})")
  set(QUARTIC_HAS_PYTHON ON)
elseif(QUARTIC_PYTHON STREQUAL "AUTO")
  message(STATUS "quartic: no Python package, for want of Python 3.10 with its headers, or of nanobind 3.1 (pip install nanobind)")
else()
  message(FATAL_ERROR "QUARTIC_PYTHON=${QUARTIC_PYTHON}, but there is no Python 3.10 with its headers, or no nanobind 3.1 for it: "
    "pip install nanobind, set Python_EXECUTABLE, or configure with QUARTIC_PYTHON=OFF.")
endif()

# Of tests and samples in the build folder. An interpreter that isn't built with a sanitizer wants its library before all others, and
# leaves memory behind; little is held back, so that what tests see of memory is what leaks.
set(QUARTIC_PYTHON_TEST_ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1)
if(CMAKE_CXX_FLAGS MATCHES "fsanitize=address")
  foreach(library asan stdc++)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.so OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND sanitizer_libraries ${file})
  endforeach()
  list(JOIN sanitizer_libraries " " sanitizer_libraries)
  list(APPEND QUARTIC_PYTHON_TEST_ENVIRONMENT "LD_PRELOAD=${sanitizer_libraries}" ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=1)
endif()
