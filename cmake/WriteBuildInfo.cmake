# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -DOUTPUT=… -DVERSION=… -DTOOLKIT=… -DCOMMIT=… -P WriteBuildInfo.cmake: writes a program's build
# information. It runs in every build, but writes the file only if the content changes, so that a commit recompiles one
# small file. The commit is COMMIT if given, or else that of the checkout, or else that of git's archive, or else
# unknown.
set(commit "${COMMIT}")
if(commit STREQUAL "")
  find_program(git git)
  if(git)
    execute_process(COMMAND "${git}" rev-parse --show-toplevel WORKING_DIRECTORY "${SOURCE}"
                    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    file(REAL_PATH "${SOURCE}" source)
    # A copy of the sources may be inside the checkout of another project.
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
