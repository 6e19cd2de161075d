# SPDX-License-Identifier: Apache-2.0
# Run by CPack between installing into its own folder and packing: makes of that folder what a Debian package is. Libraries
# come from Debian's packages, which CPack finds and names, instead of lib/mlmq.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(tree "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Private libraries, and the tests of a machine's GPU, which would be programs in /usr/share.
file(REMOVE_RECURSE "${tree}/lib/mlmq" "${tree}/share/mlmq/tests")
file(REMOVE "${tree}/share/mlmq/scripts/test-gpu")
file(GLOB libraries "${tree}/lib/libmlmq.so*")
foreach(file IN LISTS libraries ITEMS "${tree}/bin/mlmq")
  if(NOT IS_SYMLINK "${file}")
    run(patchelf --remove-rpath "${file}")
  endif()
endforeach()

# What every package has to say.
set(documents "${tree}/share/doc/mlmq")
file(MAKE_DIRECTORY "${documents}")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/cmake/packaging/debian-copyright" "${documents}/copyright")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/CHANGELOG.md" "${documents}/changelog")
file(MAKE_DIRECTORY "${tree}/share/lintian/overrides")
file(COPY_FILE "${CPACK_MLMQ_SOURCE}/cmake/packaging/lintian-overrides" "${tree}/share/lintian/overrides/mlmq")
file(REMOVE "${tree}/share/mlmq/LICENSE")
file(GLOB pages "${tree}/share/man/man1/*.1")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where that is set
file(WRITE "${documents}/changelog.Debian"
  "mlmq (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Packed by CPack; changelog.gz says what is new.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
run(gzip -9n "${documents}/changelog" "${documents}/changelog.Debian" ${pages})
file(REMOVE_RECURSE "${tree}/share/zsh/vendor-completions")
if(EXISTS "${tree}/share/zsh/site-functions")
  # Where Debian's zsh looks for completion that packages bring.
  file(RENAME "${tree}/share/zsh/site-functions" "${tree}/share/zsh/vendor-completions")
endif()

# Whatever the umask of who packs.
run(chmod -R u=rwX,go=rX "${tree}")
