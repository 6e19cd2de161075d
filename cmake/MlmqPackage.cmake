# SPDX-License-Identifier: Apache-2.0
# The install tree and its archive: bin/mlmq, libmlmq with its headers and what find_package(mlmq) reads, the Python
# package, the libraries that are not part of a bare system, kernels, experiments, plots and scripts. It runs from any
# folder, on a machine without this project's packages.
include(CMakePackageConfigHelpers)
install(TARGETS mlmq_shared EXPORT mlmqTargets LIBRARY DESTINATION lib)
install(DIRECTORY library/mlmq base/public/mlmq DESTINATION include)
install(EXPORT mlmqTargets NAMESPACE mlmq:: DESTINATION lib/cmake/mlmq)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/mlmqConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES cmake/mlmqConfig.cmake "${CMAKE_CURRENT_BINARY_DIR}/mlmqConfigVersion.cmake" DESTINATION lib/cmake/mlmq)

# The Python package, where Debian has those of all versions, with what says that it is installed.
set(mlmq_python_packages lib/python3/dist-packages)
install(DIRECTORY python/mlmq DESTINATION "${mlmq_python_packages}" PATTERN "__pycache__" EXCLUDE)
foreach(file IN ITEMS METADATA entry_points.txt)
  configure_file("python/dist-info/${file}.in" "${CMAKE_CURRENT_BINARY_DIR}/python/${file}" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/python/${file}"
          DESTINATION "${mlmq_python_packages}/mlmq-${PROJECT_VERSION}.dist-info")
endforeach()

install(DIRECTORY experiments plots DESTINATION share/mlmq USE_SOURCE_PERMISSIONS
        PATTERN "__pycache__" EXCLUDE)
install(PROGRAMS scripts/quickstart DESTINATION share/mlmq/scripts)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION share/mlmq)
install(DIRECTORY docs DESTINATION share/mlmq)

# What every system has: the C library and the compiler's run-time libraries. (libgomp is not: XGBoost needs it.)
install(CODE "set(private_libraries ${MLMQ_PRIVATE_LIBRARIES})")
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES "${CMAKE_INSTALL_PREFIX}/bin/mlmq"
    LIBRARIES "${CMAKE_INSTALL_PREFIX}/lib/libmlmq.so"
    RESOLVED_DEPENDENCIES_VAR libraries
    UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES "^ld-linux" "^libc\\.so" "^libm\\.so" "^libdl\\.so" "^libpthread\\.so" "^librt\\.so")
  if(missing)
    message(FATAL_ERROR "libraries not found: ${missing}")
  endif()
  foreach(library IN LISTS libraries)
    file(INSTALL "${library}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/${private_libraries}" FOLLOW_SYMLINK_CHAIN)
    # Each library finds those it needs itself beside it.
    file(REAL_PATH "${library}" real)
    cmake_path(GET real FILENAME name)
    execute_process(COMMAND patchelf --set-rpath $ORIGIN 
                    "${CMAKE_INSTALL_PREFIX}/lib/${private_libraries}/${name}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])

# Machine code of first searches, so that they compile nothing: minutes and 2 MB for each architecture. The program that was
# installed compiles it, from the kernels that were installed.
set(MLMQ_SHIP_ARCHITECTURES "" CACHE STRING
    "GPUs for which an installation compiles kernels ahead, such as 80,86,89,90,100,120; empty: none")
if(MLMQ_SHIP_ARCHITECTURES)
  install(CODE "set(ship_architectures \"${MLMQ_SHIP_ARCHITECTURES}\")")
  install(CODE [[
    message(STATUS "Compiling kernels for ${ship_architectures}")
    execute_process(COMMAND "${CMAKE_INSTALL_PREFIX}/bin/mlmq" cache fill --architectures "${ship_architectures}"
                    --output "${CMAKE_INSTALL_PREFIX}/share/mlmq/machine-code" COMMAND_ERROR_IS_FATAL ANY)
  ]])
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME mlmq)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES ON)
include(CPack)
