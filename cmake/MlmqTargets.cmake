# SPDX-License-Identifier: Apache-2.0
# How every library and test of this project is declared: same warnings, same include root.

# Off unless a preset sets it: a newer compiler may warn of what ours does not, and must still build the program.
option(MLMQ_WARNINGS_AS_ERRORS "Compiler warnings are errors (set by the presets)" OFF)

add_library(mlmq_options INTERFACE)
target_compile_options(mlmq_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       $<$<BOOL:${MLMQ_WARNINGS_AS_ERRORS}>:-Werror>)
target_include_directories(mlmq_options INTERFACE "${PROJECT_SOURCE_DIR}")

# mlmq_add_library(NAME SOURCES … PUBLIC … PRIVATE …): one static library per folder.
# PUBLIC and PRIVATE list the libraries it links.
function(mlmq_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mlmq_options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# Saves half of the time of a full build, and costs time when a single file changes.
option(MLMQ_COMPILE_TOGETHER "Compile several files of a library or program as one (set by the preset release)" OFF)

# mlmq_compile_together(TARGET [ALONE …]): for a target whose files spend most of their compile time in the same
# headers. Its files must not give one name to two things in their anonymous namespaces, nor to a local
# variable; those that do are named after ALONE.
function(mlmq_compile_together target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  if(MLMQ_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 7)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# mlmq_keep_symbol(LIBRARY SYMBOL): whatever links the static library takes the object with this symbol, though nothing
# mentions it: something that registers itself when the program starts.
function(mlmq_keep_symbol library symbol)
  target_link_options(${library} INTERFACE "LINKER:--undefined=${symbol}")
endfunction()

# Seconds after which a test is taken to hang: for none of them a measure of how fast it is, not even on a machine that is
# busy with other things and compiles all kernels for the first time.
set(mlmq_test_timeout 900)

# mlmq_add_test(NAME SOURCES … LINK … [ALONE …] [COST n]): one Catch2 program, one CTest entry per test case. ALONE are
# sources as in mlmq_compile_together(). CTest starts what costs more earlier.
function(mlmq_add_test name)
  cmake_parse_arguments(ARG "" "COST" "SOURCES;LINK;ALONE" ${ARGN})
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mlmq_options ${ARG_LINK} Catch2::Catch2WithMain)
  # What a test checks is compiled elsewhere. Its own code runs once, and compiles in two thirds of the time.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  mlmq_compile_together(${name} ALONE ${ARG_ALONE})
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT ${mlmq_test_timeout} COST ${ARG_COST}
    ENVIRONMENT "MLMQ_SELECTORS=${PROJECT_BINARY_DIR}/no-selectors")  # the user's own have no part in tests
endfunction()
