# SPDX-License-Identifier: Apache-2.0
# With MLMQ_FUZZ, all code is compiled for libFuzzer: it counts the code that an input reaches, and stops at memory
# errors, undefined behaviour, failed assertions and indices out of range. The target `fuzz` builds the programs of
# tests/fuzz.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "MLMQ_FUZZ needs Clang, which has libFuzzer: configure with -DCMAKE_CXX_COMPILER=clang++")
endif()
set(mlmq_sanitizers address,undefined,float-cast-overflow)
option(MLMQ_FUZZ_QUICKLY "Compile for a short run of the fuzz targets: without optimisation, in half the time" OFF)
# These options come after the flags of the build type, whose optimisation would take longer to compile than it saves.
add_compile_options($<IF:$<BOOL:${MLMQ_FUZZ_QUICKLY}>,-O0,-O1> -gline-tables-only -UNDEBUG -D_GLIBCXX_ASSERTIONS
                    -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fno-omit-frame-pointer
                    -fsanitize=fuzzer-no-link,${mlmq_sanitizers} -fno-sanitize-recover=all)
add_link_options(-fsanitize=${mlmq_sanitizers})
