# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=… -DPAGE=… -P …: the page of docs/ is what the program prints.
execute_process(COMMAND "${PROGRAM}" problems --markdown OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${PAGE}" written)
if(NOT printed STREQUAL written)
  message(FATAL_ERROR "${PAGE} is out of date: make it again with 'mlmq problems --markdown > ${PAGE}'")
endif()
