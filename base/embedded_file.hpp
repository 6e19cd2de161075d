// SPDX-License-Identifier: Apache-2.0
// Puts files into the program. The assembler copies them, which is faster than compiling arrays of numbers.
#pragma once

#include <string_view>

/// Defines the bytes that MLMQ_EMBEDDED(name) returns. Use it outside of all namespaces, in one source file; its object
/// must depend on the file (OBJECT_DEPENDS).
/// @param name an identifier that no other file of the program uses
/// @param path a string literal, absolute
#define MLMQ_EMBED(name, path)                                    \
  asm(".pushsection .rodata\n"                                    \
      "mlmq_embedded_" #name                                      \
      ":\n"                                                       \
      ".incbin \"" path                                           \
      "\"\n"                                                      \
      "mlmq_embedded_" #name                                      \
      "_end:\n"                                                   \
      ".popsection\n");                                           \
  extern "C" const char mlmq_embedded_##name[];      /* NOLINT */ \
  extern "C" const char mlmq_embedded_##name##_end[] /* NOLINT */

/// The content of an embedded file, a std::string_view.
#define MLMQ_EMBEDDED(name) (std::string_view(mlmq_embedded_##name, mlmq_embedded_##name##_end))
