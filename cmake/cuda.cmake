# Finds the CUDA toolkit as QUARTIC_CUDA asks for, and enables the language. Sets QUARTIC_HAS_CUDA.
set(QUARTIC_HAS_CUDA OFF)
if(NOT QUARTIC_CUDA)
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)  # where it is when nobody put it into PATH
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(QUARTIC_CUDA STREQUAL "AUTO")
    message(STATUS "quartic: no CUDA toolkit found, building for the CPU alone")
    return()
  endif()
  message(FATAL_ERROR "QUARTIC_CUDA=${QUARTIC_CUDA}, but no CUDA toolkit was found: put nvcc into PATH or set "
    "CMAKE_CUDA_COMPILER, or configure with QUARTIC_CUDA=OFF.")
endif()

# Before the language: an older compiler knows neither our architectures nor C++20.
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE nvcc_version ERROR_QUIET)
if(NOT nvcc_version MATCHES "release ([0-9]+)" OR CMAKE_MATCH_1 LESS 13)
  if(QUARTIC_CUDA STREQUAL "AUTO")
    message(STATUS "quartic: ${CMAKE_CUDA_COMPILER} is older than CUDA 13, building for the CPU alone")
    return()
  endif()
  message(FATAL_ERROR "quartic needs CUDA 13 or later, and ${CMAKE_CUDA_COMPILER} is older. Configure with "
    "QUARTIC_CUDA=OFF to do without.")
endif()

# Our choice only where nobody made one: code for server cards and workstations, and PTX that every later card's driver
# compiles, with clusters.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100-real 120-real 90-virtual)
endif()
# CMake 3.25 doesn't know that nvcc 13 speaks C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
endif()
enable_language(CUDA)
find_package(CUDAToolkit 13 REQUIRED)
set(QUARTIC_HAS_CUDA ON)
