# SPDX-License-Identifier: Apache-2.0
# find_package(mlmq) defines two targets without further dependencies: mlmq::mlmq is libmlmq; mlmq::queues has the
# headers of the queues for kernels of other projects (C++20, nvcc). The component `tuner` adds what problems of other
# projects need.
include("${CMAKE_CURRENT_LIST_DIR}/mlmqTargets.cmake")
if("tuner" IN_LIST mlmq_FIND_COMPONENTS)
  if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/mlmqTuner.cmake")
    include("${CMAKE_CURRENT_LIST_DIR}/mlmqTuner.cmake")
  else()
    set(mlmq_FOUND FALSE)
    set(mlmq_NOT_FOUND_MESSAGE "the component tuner is not installed; install it from a build of mlmq with: "
        "cmake --install build --component tuner --prefix ${CMAKE_CURRENT_LIST_DIR}/../../..")
  endif()
endif()
