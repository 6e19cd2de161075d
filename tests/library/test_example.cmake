# SPDX-License-Identifier: Apache-2.0
# Installs BUILD below WORK, moves the tree, and builds and runs EXAMPLE with nothing but it.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nends with ${status}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  string(FIND "${output}" "${text}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected:\n${text}\nin:\n${output}")
  endif()
endfunction()

set(ENV{MLMQ_CACHE} "${CACHE}")
# The example must not profit from settings of the build or of this machine.
unset(ENV{LD_LIBRARY_PATH})
unset(ENV{CMAKE_PREFIX_PATH})
unset(ENV{MLMQ_KERNELS})
file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/moved")

run("${CMAKE_COMMAND}" -S "${EXAMPLE}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=${WORK}/moved" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("${CMAKE_COMMAND}" --build "${WORK}/build")

# Nothing of the libraries that came along is taken from elsewhere, and the program keeps its own C++ library.
run(ldd "${WORK}/build/routes")
expect("${WORK}/moved/lib/libmlmq.so")
expect("${WORK}/moved/lib/mlmq/libfmt.so")
string(FIND "${output}" "${WORK}/moved/lib/mlmq/libstdc++" found)
if(NOT found EQUAL -1)
  message(FATAL_ERROR "the example runs with the C++ library of the package:\n${output}")
endif()

set(answers "0 to 0: 0, 0
0 to 1: 4, 0 > 1
0 to 2: 7, 0 > 1 > 2
0 to 3: 7, 0 > 1 > 2 > 3
0 to 4: inf, no way
3 to 0: 7, 3 > 2 > 1 > 0
3 to 1: 3, 3 > 2 > 1
3 to 2: 0, 3 > 2
3 to 3: 0, 3
3 to 4: inf, no way
")
foreach(device IN ITEMS cpu:2 simt)
  run("${WORK}/build/routes" ${device} grid8 0)
  expect("${answers}grid8 from 0 on ")
  run("${WORK}/build/routes_in_c" ${device})
  expect("${answers}all to all: 48
")
endforeach()

set(found "7.4142: 6 straight and 1 diagonal steps
......
.@@@.o
.@ooo.
.@o@@@
ooo.@.
0.0000: 0 straight and 0 diagonal steps
......
.@@@..
.@....
.@.@@@
.o..@.
no path
")
foreach(device IN ITEMS cpu:2 simt)
  run("${WORK}/build/paths" ${device} grid12:seed=3 16)
  expect("${found}grid12:density=0.2:eta=1:seed=3:corners=cut on ")
endforeach()

# The library exports only the declarations of the public headers.
run(nm --dynamic --defined-only --demangle "${WORK}/moved/lib/libmlmq.so")
expect("mlmq::path_finder::solve(")
expect("mlmq::stop_scope::stop_scope(")
expect("mlmq::stop_token_of_thread(")
expect(" T mlmq_solver_solve
")
set(inner "detail|problems|tuner|backends|astar|phold|graph|selector|db|cpu|simt")
string(REGEX MATCH "\n[0-9a-f]* [A-Za-z] ([a-z ]+ for )?mlmq::(${inner})::[^\n]*" shown "\n${output}")
if(shown)
  message(FATAL_ERROR "libmlmq.so shows more than its headers:${shown}")
endif()

# The program can catch exceptions of the library by their type.
execute_process(COMMAND "${WORK}/build/routes" cpu grid8 64 RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
expect("grid8 has no vertex 64; its ids run from 0 to 63")
if(NOT status EQUAL 2)
  message(FATAL_ERROR "a wrong source ends the example with ${status}")
endif()

# The program uses the kernels of the installed tree: changed kernels are compiled again, and these do not compile.
file(APPEND "${WORK}/moved/share/mlmq/kernels/sssp.cu" "\n#error kernels of the moved tree\n")
execute_process(COMMAND "${WORK}/build/routes" simt RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
expect("kernels of the moved tree")
if(NOT status EQUAL 1)
  message(FATAL_ERROR "a kernel that does not compile ends the example with ${status}")
endif()

# Another minor version may have another interface.
file(WRITE "${WORK}/other/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.20)\nproject(other LANGUAGES CXX)\nfind_package(mlmq 0.2 QUIET)\n"
  "if(mlmq_FOUND)\n  message(FATAL_ERROR \"found version 0.2\")\nendif()\n")
run("${CMAKE_COMMAND}" -S "${WORK}/other" -B "${WORK}/other/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/moved")
file(REMOVE_RECURSE "${WORK}")
