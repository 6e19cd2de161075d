# SPDX-License-Identifier: Apache-2.0
# Functions that declare the libraries and tests of this project, with the same warnings and the same include root.

# Off unless a preset sets it: a newer compiler may have other warnings, and must still build the program.
option(MLMQ_WARNINGS_AS_ERRORS "Compiler warnings are errors (set by the presets)" OFF)

add_library(mlmq_options INTERFACE)
target_compile_options(mlmq_options INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wconversion;-Wshadow;$<$<BOOL:${MLMQ_WARNINGS_AS_ERRORS}>:-Werror>>")
target_compile_features(mlmq_options INTERFACE cxx_std_20)
# Problems outside of this project include the same names as those of this project (cmake/MlmqTunerPackage.cmake).
target_include_directories(mlmq_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                           "$<INSTALL_INTERFACE:include/mlmq-tuner;include;share/mlmq;share/mlmq/kernels>")

# The cache recognises files in other folders, too: a full build of a second clone takes less than a minute.
option(MLMQ_COMPILER_CACHE "Compile through ccache if it is installed (set by the presets)" OFF)
if(MLMQ_COMPILER_CACHE)
  find_program(MLMQ_CCACHE ccache)
endif()
if(MLMQ_COMPILER_CACHE AND MLMQ_CCACHE)
  # ccache caches users of precompiled headers only with these settings and -fpch-preprocess.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${MLMQ_CCACHE}")
  target_compile_options(mlmq_options INTERFACE "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>>"
                         "$<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
endif()

# This saves most of the time of a full build, but costs time when a single file changes.
option(MLMQ_COMPILE_TOGETHER
  "Compile several files of a library or program as one, with precompiled headers (set by the preset release)" OFF)

# Headers that nearly every file includes.
set(mlmq_common_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <filesystem> <functional> <limits>
    <map> <memory> <numeric> <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# mlmq_add_headers(NAME LINK … HEADERS …): precompiles headers for mlmq_take_headers(). Only with GCC, whose precompiled
# headers work with every optimisation level.
function(mlmq_add_headers name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  if(NOT MLMQ_COMPILE_TOGETHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(GENERATE OUTPUT "${file}" CONTENT "// What CMake needs to precompile headers.\n")
  add_library(${name} OBJECT "${file}")
  target_link_libraries(${name} PRIVATE mlmq_options ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# mlmq_take_headers(TARGET NAME): the files of the target begin with the precompiled headers of NAME, if there are any.
function(mlmq_take_headers target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
    # GCC 12 gives false warnings when it inlines code from precompiled headers. Other presets keep these warnings.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                           -Wno-stringop-overread)
  endif()
endfunction()

# mlmq_add_library(NAME SOURCES … PUBLIC … PRIVATE …): one static library per folder.
# PUBLIC and PRIVATE list the libraries that it links.
function(mlmq_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mlmq_options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  mlmq_take_headers(${name} mlmq_headers)
  mlmq_export_tuner(${name})
endfunction()

# mlmq_export_tuner(NAME): the library mlmq_X is mlmq::X, here and in the package's component `tuner`.
function(mlmq_export_tuner name)
  string(REGEX REPLACE "^mlmq_" "" exported "${name}")
  add_library(mlmq::${exported} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  set_property(GLOBAL APPEND PROPERTY mlmq_tuner_targets ${name})
endfunction()

# mlmq_compile_together(TARGET [SECOND_GROUP …] [THIRD_GROUP …] [SEPARATE …]): for a target whose files spend most of
# their compile time in the same headers, which is nearly every target. The files are compiled in groups of up to 32.
# Files of a group must not use the same name for two things in their anonymous namespaces, nor for one of these and a
# local variable. Files that would are listed after SECOND_GROUP or THIRD_GROUP, each of which is a group of its own, or
# after SEPARATE, where each file is compiled by itself.
function(mlmq_compile_together target)
  cmake_parse_arguments(ARG "" "" "SECOND_GROUP;THIRD_GROUP;SEPARATE" ${ARGN})
  if(NOT MLMQ_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${ARG_SECOND_GROUP} ${ARG_THIRD_GROUP} ${ARG_SEPARATE} "")
  list(LENGTH sources count)
  math(EXPR groups "(${count} + 31) / 32")
  set(number 0)
  foreach(source IN LISTS sources)
    math(EXPR group "${number} * ${groups} / ${count}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
    math(EXPR number "${number} + 1")
  endforeach()
  set_source_files_properties(${ARG_SECOND_GROUP} PROPERTIES UNITY_GROUP apart)
  set_source_files_properties(${ARG_THIRD_GROUP} PROPERTIES UNITY_GROUP apart2)
  set_source_files_properties(${ARG_SEPARATE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # GCC sees a group as one main file that includes headers with types of an anonymous namespace.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# mlmq_compile_quickly(TARGET): for code that spends its run time elsewhere, in libraries, databases, kernels or
# programs.
function(mlmq_compile_quickly target)
  # At this level, GCC 12 warns that members of std::regex are uninitialised.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>
                         $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
endfunction()

# mlmq_hash_code(MACRO IN source… FILES …): in these sources of the target, MACRO is the hash of the code in FILES,
# which runs on processors. It identifies the code like the code hash of a kernel; // comments and blank space do not
# count. It is computed when CMake runs, which happens again when one of the files changes. Recorded results carry these
# hashes, so neither the expressions below nor the hash function may become those of kernel_sources::code_hash().
function(mlmq_hash_code macro)
  cmake_parse_arguments(ARG "" "" "IN;FILES" ${ARGN})
  set(hashes "")
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(file "${file}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" code)
    string(REGEX REPLACE "//[^\n]*" "" code "${code}")
    string(REGEX REPLACE "[ \t\r\n]+" " " code "${code}")
    string(SHA256 hash "${code}")
    string(APPEND hashes "${hash}")
  endforeach()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING "${hash}" 0 32 hash)
  message(STATUS "${macro}: ${hash}")
  set_source_files_properties(${ARG_IN} PROPERTIES COMPILE_DEFINITIONS "${macro}=\"${hash}\"")
endfunction()

# Seconds after which a test counts as hung. The limit says nothing about the speed of a test: it must suffice on a busy
# machine that compiles all kernels for the first time.
set(mlmq_test_timeout 2700)

# mlmq_add_test(NAME SOURCES … LINK … [SECOND_GROUP …] [THIRD_GROUP …] [SEPARATE …] [COST n]): one Catch2 program, with
# one CTest entry per test case. SECOND_GROUP, THIRD_GROUP and SEPARATE list sources as in mlmq_compile_together().
# CTest starts tests with a higher cost earlier. Tests use neither the user's selectors nor the user's cache.
function(mlmq_add_test name)
  cmake_parse_arguments(ARG "" "COST" "SOURCES;LINK;SECOND_GROUP;THIRD_GROUP;SEPARATE" ${ARGN})
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mlmq_options ${ARG_LINK} Catch2::Catch2WithMain)
  # The tested code is compiled in other libraries. The test's own code runs once, and compiles in two thirds of the
  # time.
  mlmq_compile_quickly(${name})
  mlmq_compile_together(${name}
    SECOND_GROUP ${ARG_SECOND_GROUP} THIRD_GROUP ${ARG_THIRD_GROUP} SEPARATE ${ARG_SEPARATE})
  mlmq_take_headers(${name} mlmq_test_headers)
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT ${mlmq_test_timeout} COST ${ARG_COST}
    ENVIRONMENT "MLMQ_SELECTORS=${PROJECT_BINARY_DIR}/no-selectors"
    ENVIRONMENT_MODIFICATION "MLMQ_CACHE=set:${mlmq_test_cache}")  # ENVIRONMENT takes only one variable here
endfunction()
