# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -DOUTPUT=… -DVERSION=… -DTOOLKIT=… -DCOMMIT=… -P WriteBuildInfo.cmake: writes what a program says of its
# build. It runs with every build, and writes only what is new, so that a commit compiles one small file again.
# The commit is COMMIT if that is given, else the checkout's, else the one of git's archive, else unknown.
set(commit "${COMMIT}")
if(commit STREQUAL "")
  find_program(git git)
  if(git)
    execute_process(COMMAND "${git}" rev-parse --show-toplevel WORKING_DIRECTORY "${SOURCE}"
                    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    file(REAL_PATH "${SOURCE}" source)
    # A copy of the sources can lie in the checkout of something else.
    if(NOT failed AND top STREQUAL source)
      execute_process(COMMAND "${git}" rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE}"
                      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      execute_process(COMMAND "${git}" diff-index --quiet HEAD -- WORKING_DIRECTORY "${SOURCE}"
                      ERROR_QUIET RESULT_VARIABLE changed)
      if(commit AND changed)
        string(APPEND commit "+changes")
      endif()
    endif()
  endif()
endif()
if(commit STREQUAL "")
  file(READ "${SOURCE}/cmake/commit.txt" archived)
  if(archived MATCHES "^([0-9a-f]+)[\r\n]*$")
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 12 commit)
  endif()
endif()
if(NOT commit MATCHES "^[0-9A-Za-z.+_-]*$" OR NOT TOOLKIT MATCHES "^[0-9.]*$")
  message(FATAL_ERROR "no commit or no version of a toolkit: '${commit}', '${TOOLKIT}'")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by cmake/WriteBuildInfo.cmake.
#include "cli/build_info.hpp"

namespace mlmq::cli {

build_info this_build() { return {.version = "@VERSION@", .commit = "@commit@", .toolkit = "@TOOLKIT@"}; }

}  // namespace mlmq::cli
]])
