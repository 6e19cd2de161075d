# SPDX-License-Identifier: Apache-2.0
# The install tree and its archive: bin/mlmq, libmlmq with its headers and the files for find_package(mlmq), the Python
# package, the libraries that a bare system lacks, kernels, experiments, plots and scripts. It runs from any folder, on
# a machine without this project's packages.
include(CMakePackageConfigHelpers)
install(TARGETS mlmq_shared EXPORT mlmqTargets LIBRARY DESTINATION lib)
install(DIRECTORY library/mlmq base/public/mlmq DESTINATION include)
install(EXPORT mlmqTargets NAMESPACE mlmq:: DESTINATION lib/cmake/mlmq)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/mlmqConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES cmake/mlmqConfig.cmake "${CMAKE_CURRENT_BINARY_DIR}/mlmqConfigVersion.cmake" DESTINATION lib/cmake/mlmq)

# The Python package is in Debian's folder for all Python versions, with the metadata of an installed package.
set(mlmq_python_packages lib/python3/dist-packages)
install(DIRECTORY library/python/mlmq DESTINATION "${mlmq_python_packages}" PATTERN "__pycache__" EXCLUDE)
foreach(file IN ITEMS METADATA entry_points.txt)
  configure_file("library/python/dist-info/${file}.in" "${CMAKE_CURRENT_BINARY_DIR}/python/${file}" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/python/${file}"
          DESTINATION "${mlmq_python_packages}/mlmq-${PROJECT_VERSION}.dist-info")
endforeach()

install(DIRECTORY experiments plots templates DESTINATION share/mlmq USE_SOURCE_PERMISSIONS
        PATTERN "__pycache__" EXCLUDE)
install(PROGRAMS scripts/check-graphs scripts/quickstart scripts/record-figures scripts/record-selector scripts/scaling
        scripts/update-times DESTINATION share/mlmq/scripts)
install(FILES scripts/durations.py DESTINATION share/mlmq/scripts)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION share/mlmq)
install(DIRECTORY docs DESTINATION share/mlmq)

# Libraries of every system: the C library and the compiler's run-time libraries, but not libgomp, which XGBoost needs.
install(CODE "set(private_libraries ${MLMQ_PRIVATE_LIBRARIES})")
install(CODE [[
  # Packagers first install into a folder of their own.
  set(tree "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
  file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES "${tree}/bin/mlmq"
    LIBRARIES "${tree}/lib/libmlmq.so"
    RESOLVED_DEPENDENCIES_VAR libraries
    UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES "^ld-linux" "^libc\\.so" "^libm\\.so" "^libdl\\.so" "^libpthread\\.so" "^librt\\.so")
  if(missing)
    message(FATAL_ERROR "libraries not found: ${missing}")
  endif()
  foreach(library IN LISTS libraries)
    file(INSTALL "${library}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/${private_libraries}" FOLLOW_SYMLINK_CHAIN)
    # Each library finds the libraries that it needs in its own folder.
    file(REAL_PATH "${library}" real)
    cmake_path(GET real FILENAME name)
    execute_process(COMMAND patchelf --set-rpath $ORIGIN 
                    "${tree}/lib/${private_libraries}/${name}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])

# Machine code for first searches, so that they compile nothing; it takes minutes and 2 MB per architecture. The
# installed program compiles the installed kernels.
set(MLMQ_SHIP_ARCHITECTURES "" CACHE STRING
    "GPUs for which an installation compiles kernels ahead, such as 80,86,89,90,100,120; empty: none")
if(MLMQ_SHIP_ARCHITECTURES)
  install(CODE "set(ship_architectures \"${MLMQ_SHIP_ARCHITECTURES}\")")
  install(CODE [[
    message(STATUS "Compiling kernels for ${ship_architectures}")
    set(tree "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    execute_process(COMMAND "${tree}/bin/mlmq" cache fill --architectures "${ship_architectures}"
                    --output "${tree}/share/mlmq/machine-code" COMMAND_ERROR_IS_FATAL ANY)
  ]])
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME mlmq)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The authors of mlmq")
set(CPACK_PACKAGE_CONTACT "The authors of mlmq <mlmq@localhost>" CACHE STRING
  "Maintainer of the Debian package: NAME <ADDRESS>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "shortest paths on GPUs with the work queue that suits the graph")
set(CPACK_PACKAGE_DESCRIPTION "Finds shortest paths in graphs on NVIDIA GPUs, on processors, or on a
simulated GPU. A selector that was trained on recorded runs picks the work
queues and their parameters for each graph. Sweeps measure configurations on
a machine of your own, train selectors from the results, and draw the figures
of the papers.

GPUs need NVIDIA's driver, and NVRTC of a CUDA toolkit (12.4 or newer) for
kernels that are not shipped. The simulator compiles kernels with g++.")
set(CPACK_STRIP_FILES ON)

# For apt install ./mlmq_VERSION_amd64.deb, with the libraries of Debian's packages (cmake/DebianPackage.cmake).
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, python3, python3-numpy, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-scipy, python3-networkx")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/packaging/prerm"
  "${PROJECT_SOURCE_DIR}/cmake/packaging/triggers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_MLMQ_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianPackage.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianScripts.cmake")
include(CPack)
