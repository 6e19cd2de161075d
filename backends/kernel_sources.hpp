// SPDX-License-Identifier: Apache-2.0
// The complete source text of a kernel variant, and the hash that identifies it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// One kernel file and everything it includes with #include "…", by name relative to the folder.
struct kernel_sources {
  std::string text;                                          ///< of the kernel file itself
  std::vector<std::pair<std::string, std::string>> headers;  ///< name and text, sorted by name

  /// A header that is not in `folder` is left out: which ones a variant needs is known to its compiler.
  /// @throws input_error naming `file` and `folder` when it is not there
  static kernel_sources load(const std::string& folder, const std::string& file);
  /// Like load() of one folder, for several folders that are searched in this order.
  static kernel_sources load(const std::vector<std::string>& folders, const std::string& file);

  /// Hash of all texts: a binary and what it says of its lines belong to it.
  [[nodiscard]] std::string hash() const;

  /// Hash of the code in them, 16 digits: changes whenever a variant may behave differently, but not with comments and
  /// blank space. Measurements belong to it.
  [[nodiscard]] std::string code_hash() const;
};

/// Returns the identity of the code for measurements: the code_hash() itself, or that of an earlier version that
/// compiles to the same machine code, according to the list equal_code.txt in `folder` (which explains how to add a
/// line).
/// @throws input_error naming the line that cannot be read
[[nodiscard]] std::string code_identity(const std::string& folder, const std::string& code_hash);

/// C++ text with each comment, and each run of blank space within a line, as one blank, without blanks at the ends of
/// lines and without empty lines; lines remain, because directives end with them. Raw strings are not known.
[[nodiscard]] std::string without_comments(std::string_view text);

/// Identity of a compiled variant: `sources` + entry + macros + `toolchain` (compiler, version, options, architecture).
[[nodiscard]] std::string variant_hash(const kernel_sources& sources, const kernel_source& variant,
                                       const std::string& toolchain);

}  // namespace mlmq::backends
