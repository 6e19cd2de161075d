# SPDX-License-Identifier: Apache-2.0
# Lists all missing libraries in one message with the commands that install them.
set(missing "")
# This is a macro because packages set variables in the calling scope.
macro(mlmq_require package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND missing ${debian})
  endif()
endmacro()

mlmq_require(Boost "libboost-dev libboost-context-dev" 1.74 COMPONENTS context)
mlmq_require(CLI11 libcli11-dev)
mlmq_require(SQLiteCpp libsqlitecpp-dev CONFIG)
mlmq_require(ZLIB zlib1g-dev)
mlmq_require(fmt libfmt-dev)
mlmq_require(nlohmann_json nlohmann-json3-dev)
mlmq_require(yaml-cpp libyaml-cpp-dev)
if(MLMQ_BUILD_TESTS)
  mlmq_require(Catch2 catch2 2.13)
endif()
# Not find_package(xgboost): Debian's package configuration demands /usr/bin/xgboost, which is in another package.
find_path(MLMQ_XGBOOST_INCLUDE xgboost/c_api.h)
find_library(MLMQ_XGBOOST_LIBRARY xgboost)
if(NOT MLMQ_XGBOOST_INCLUDE OR NOT MLMQ_XGBOOST_LIBRARY)
  list(APPEND missing libxgboost-dev)
endif()
find_library(MLMQ_XXHASH_LIBRARY xxhash)
if(NOT MLMQ_XXHASH_LIBRARY)
  list(APPEND missing libxxhash-dev)
endif()

if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "Libraries are missing. On Debian 12 scripts/install-deps installs them; the packages are: "
    "${missing}")
endif()
