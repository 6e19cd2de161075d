# SPDX-License-Identifier: Apache-2.0
# The component `tuner` of find_package(mlmq): libraries for problems of other projects, mlmq_problem_library() and
# mlmq_add_program() (docs/guide/add-a-problem.md). The libraries need these packages of Debian: libboost-context-dev
# libboost-dev libcli11-dev libfmt-dev libsqlitecpp-dev libxgboost-dev libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev
# zlib1g-dev.
include(CMakeFindDependencyMacro)
find_dependency(Boost COMPONENTS context)
find_dependency(CLI11)
find_dependency(SQLiteCpp CONFIG)
find_dependency(Threads)
find_dependency(ZLIB)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(yaml-cpp)
include("${CMAKE_CURRENT_LIST_DIR}/mlmqTunerTargets.cmake")

function(mlmq_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mlmq::options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# Programs outside of the install tree find its kernels and experiments by the name of this folder.
get_filename_component(mlmq_tree "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(mlmq_main_source "${mlmq_tree}/include/mlmq-tuner/cli/main.cpp")
set(mlmq_main_definitions "MLMQ_PACKAGE_KERNELS=\"${mlmq_tree}/share/mlmq/kernels\"")
include("${CMAKE_CURRENT_LIST_DIR}/MlmqProblems.cmake")
