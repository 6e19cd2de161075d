# SPDX-License-Identifier: Apache-2.0
# CPack runs this file between installing into its own folder and packing. It turns that folder into the content of a
# Debian package. Libraries come from Debian's packages, which CPack finds and lists, instead of lib/mlmq.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(tree "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Private libraries, and the GPU tests for this machine, which would be programs in /usr/share.
file(REMOVE_RECURSE "${tree}/lib/mlmq" "${tree}/share/mlmq/tests")
file(REMOVE "${tree}/share/mlmq/scripts/test-gpu")
file(GLOB libraries "${tree}/lib/libmlmq.so*")
foreach(file IN LISTS libraries ITEMS "${tree}/bin/mlmq")
  if(NOT IS_SYMLINK "${file}")
    run(patchelf --remove-rpath "${file}")
  endif()
endforeach()

# Documents that every Debian package must have.
set(documents "${tree}/share/doc/mlmq")
file(MAKE_DIRECTORY "${documents}")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/cmake/packaging/debian-copyright" "${documents}/copyright")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/CHANGELOG.md" "${documents}/changelog")
file(MAKE_DIRECTORY "${tree}/share/lintian/overrides")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/cmake/packaging/lintian-overrides" "${tree}/share/lintian/overrides/mlmq")
file(REMOVE "${tree}/share/mlmq/LICENSE")
file(GLOB pages "${tree}/share/man/man1/*.1")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # if SOURCE_DATE_EPOCH is set, it is the time
file(WRITE "${documents}/changelog.Debian"
  "mlmq (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Packed by CPack; changelog.gz says what is new.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
run(gzip -9n "${documents}/changelog" "${documents}/changelog.Debian" ${pages})
file(REMOVE_RECURSE "${tree}/share/zsh/vendor-completions")
if(EXISTS "${tree}/share/zsh/site-functions")
  # Debian's zsh looks here for completion scripts of packages.
  file(RENAME "${tree}/share/zsh/site-functions" "${tree}/share/zsh/vendor-completions")
endif()

# The permissions do not depend on the umask of the user who packs.
run(chmod -R u=rwX,go=rX "${tree}")
