# SPDX-License-Identifier: Apache-2.0
# find_package(mlmq) gives the target mlmq::mlmq: libmlmq, with nothing else to find.
include("${CMAKE_CURRENT_LIST_DIR}/mlmqTargets.cmake")
