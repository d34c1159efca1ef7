# Runs tests with the kernels of one instruction set: -DSET=portable, avx2 or avx512, -DPROGRAM and -DFILTER. Where the machine
# lacks it the program would quietly take what there is, so it isn't run.
set(needed_portable "")
set(needed_avx2 avx2 fma)
set(needed_avx512 avx2 fma avx512f avx512dq avx512vl)
file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
foreach(flag IN LISTS needed_${SET})
  if(NOT "${flags} " MATCHES " ${flag} ")
    message(STATUS "skipped: this machine has no ${SET}")
    return()
  endif()
endforeach()

set(ENV{QUARTIC_INSTRUCTION_SET} ${SET})
execute_process(COMMAND ${PROGRAM} "--gtest_filter=${FILTER}" COMMAND_ERROR_IS_FATAL ANY)
