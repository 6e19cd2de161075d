# SPDX-License-Identifier: Apache-2.0
# find_package(mlmq) defines two targets without further dependencies: mlmq::mlmq is libmlmq; mlmq::queues has the
# headers of the queues for kernels of other projects (C++20, nvcc).
include("${CMAKE_CURRENT_LIST_DIR}/mlmqTargets.cmake")
