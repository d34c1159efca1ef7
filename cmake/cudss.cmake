# Finds the headers of cuDSS: its own packages put them where the compiler looks, pip (nvidia-cudss-cu13) beside Python's
# other packages, scripts/setup.sh into build/cudss. The library is opened at run time. Sets QUARTIC_CUDSS_INCLUDE_DIR, and
# QUARTIC_CUDSS_LIBRARY_DIR, where the library was when quartic was built.
if(NOT QUARTIC_CUDSS_INCLUDE_DIR)
  find_program(QUARTIC_PYTHON3 python3)
  mark_as_advanced(QUARTIC_PYTHON3)
  set(python_packages "")
  if(QUARTIC_PYTHON3)
    execute_process(COMMAND ${QUARTIC_PYTHON3} -c "import site, sys; print(';'.join([*site.getsitepackages(), site.getusersitepackages(), *sys.path]))"
      OUTPUT_VARIABLE python_packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  list(TRANSFORM python_packages APPEND "/nvidia/cu13/include")
  find_path(QUARTIC_CUDSS_INCLUDE_DIR cudss.h HINTS ${PROJECT_SOURCE_DIR}/build/cudss/nvidia/cu13/include ${CUDAToolkit_INCLUDE_DIRS} ${python_packages} PATH_SUFFIXES libcudss/13)
endif()
if(QUARTIC_CUDSS_INCLUDE_DIR)
  find_path(QUARTIC_CUDSS_LIBRARY_DIR NAMES libcudss.so libcudss.so.1 libcudss.so.0 NO_DEFAULT_PATH
    HINTS ${QUARTIC_CUDSS_INCLUDE_DIR}/../lib ${QUARTIC_CUDSS_INCLUDE_DIR}/../lib64)
  if(NOT QUARTIC_CUDSS_LIBRARY_DIR)
    set(QUARTIC_CUDSS_LIBRARY_DIR "")
  endif()
  message(STATUS "quartic: cuDSS' headers are in ${QUARTIC_CUDSS_INCLUDE_DIR}")
else()
  message(STATUS "quartic: no cuDSS found, cuSOLVER factorises on the device (pip package nvidia-cudss-cu13)")
endif()
