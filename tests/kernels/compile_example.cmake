# SPDX-License-Identifier: Apache-2.0
# Uses the queues like another project: installs BUILD below WORK, moves the tree, and compiles EXAMPLE with NVCC alone
# to machine code. Needs no GPU.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nends with ${status}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/moved")
run("${CMAKE_COMMAND}" -S "${EXAMPLE}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCMAKE_PREFIX_PATH=${WORK}/moved" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
if(NOT EXISTS "${WORK}/build/flood")
  message(FATAL_ERROR "there is no program")
endif()
# The kernel of the copies that were installed, not of the sources.
file(APPEND "${WORK}/moved/include/mlmq/queues/l1_vector.cuh" "\n#error the installed header\n")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(FIND "${output}" "the installed header" found)
if(status EQUAL 0 OR found EQUAL -1)
  message(FATAL_ERROR "the example does not use the installed headers:\n${output}")
endif()
file(REMOVE_RECURSE "${WORK}")
