# Runs a program and compares what it prints with a text, in which `...` stands for what differs from machine to machine.
# The exit code counts too: with PASS_REGULAR_EXPRESSION, ctest would ignore it.
#
# cmake -DPROGRAM=... -DEXPECTED=text_file -P run_and_compare.cmake
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "${PROGRAM} ended with ${result}, and printed:\n${output}${errors}")
endif()
file(READ ${EXPECTED} expected)
string(REGEX REPLACE "([][+.*()^|?\\$])" "\\\\\\1" pattern "${expected}")
string(REPLACE "\\.\\.\\." "[^\n]*" pattern "${pattern}")
if(NOT output MATCHES "^${pattern}$")
  message(FATAL_ERROR "${PROGRAM} printed:\n${output}${errors}instead of:\n${expected}")
endif()
