# SPDX-License-Identifier: Apache-2.0
# CPack runs this file after packing. It removes the scripts postinst and postrm, which CPack adds to every Debian
# package with a library. They only call ldconfig, which the package's trigger does, and dpkg keeps a postrm after the
# package has been removed.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY "${work}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(work "${package}.control")
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}/files")
  run(ar x "${package}" control.tar.gz)
  run(tar --preserve-permissions -xzf control.tar.gz -C files)
  file(REMOVE "${work}/files/postinst" "${work}/files/postrm" "${work}/control.tar.gz")
  file(GLOB names RELATIVE "${work}/files" "${work}/files/*")
  list(TRANSFORM names PREPEND ./)
  run(tar --format=gnu --owner=root:0 --group=root:0 -cf control.tar -C files ${names})
  run(gzip -9n control.tar)
  run(ar rD "${package}" control.tar.gz)
  file(REMOVE_RECURSE "${work}")
endforeach()
