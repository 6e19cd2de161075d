# SPDX-License-Identifier: Apache-2.0
# Functions that declare problems and programs with them, for this project and for projects that use the package's
# component `tuner`. Both define mlmq_add_library(), the file `mlmq_main_source`, and its `mlmq_main_definitions`.

# mlmq_keep_symbol(LIBRARY SYMBOL): everything that links the static library includes the object with this symbol, even
# if nothing refers to it. For code that registers itself when the program starts.
function(mlmq_keep_symbol library symbol)
  target_link_options(${library} INTERFACE "LINKER:--undefined=${symbol}")
endfunction()

# mlmq_problem_library(NAME SOURCES … PUBLIC … PRIVATE …) adds the library mlmq_problem_NAME, which registers the
# problem in every target that links it. One of its sources defines the problem_registration mlmq_registers_NAME.
function(mlmq_problem_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  mlmq_add_library(mlmq_problem_${name} SOURCES ${ARG_SOURCES}
    PUBLIC mlmq::problem_registry ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  mlmq_keep_symbol(mlmq_problem_${name} mlmq_registers_${name})
endfunction()

# mlmq_peer_library(NAME SOURCES … PUBLIC … PRIVATE …) adds the library mlmq_peers_NAME, which registers the peers of
# the problems NAME in every target that links it. One of its sources defines the compare::peer_registration
# mlmq_registers_peers_of_NAME.
function(mlmq_peer_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  mlmq_add_library(mlmq_peers_${name} SOURCES ${ARG_SOURCES} PUBLIC mlmq::compare ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  mlmq_keep_symbol(mlmq_peers_${name} mlmq_registers_peers_of_${name})
endfunction()

# mlmq_add_program(PROGRAM NAME…) adds the program mlmq with these additional problems, each a mlmq_problem_library(),
# and with their peers, if a mlmq_peer_library() of the same name exists.
function(mlmq_add_program program)
  add_executable(${program} "${mlmq_main_source}")
  target_compile_definitions(${program} PRIVATE ${mlmq_main_definitions})
  target_link_libraries(${program} PRIVATE mlmq::cli)
  foreach(name IN LISTS ARGN)
    target_link_libraries(${program} PRIVATE mlmq_problem_${name} $<TARGET_NAME_IF_EXISTS:mlmq_peers_${name}>)
  endforeach()
endfunction()
