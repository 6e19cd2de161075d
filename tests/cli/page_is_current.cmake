# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=… -DPAGE=… -P …: checks that the page of docs/ equals the program's output.
execute_process(COMMAND "${PROGRAM}" problems --markdown OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${PAGE}" written)
if(NOT printed STREQUAL written)
  message(FATAL_ERROR "${PAGE} is out of date: make it again with 'mlmq problems --markdown > ${PAGE}'")
endif()
