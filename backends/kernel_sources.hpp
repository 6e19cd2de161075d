// SPDX-License-Identifier: Apache-2.0
// Complete source text of a kernel variant, and the hashes that identify it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// One kernel file and all files that it includes with #include "…". Names of headers are relative to the folder.
struct kernel_sources {
  std::string text;                                          ///< text of the kernel file
  std::vector<std::pair<std::string, std::string>> headers;  ///< name and text, sorted by name

  /// Loads a kernel file and its headers. Headers that are not in `folder` are left out without an error, because only
  /// the compiler determines which of them a variant needs.
  /// @throws input_error  naming `file` and `folder` if the file is missing
  static kernel_sources load(const std::string& folder, const std::string& file);
  /// Like load() with one folder, but searches several folders in this order.
  static kernel_sources load(const std::vector<std::string>& folders, const std::string& file);

  /// Returns a hash of all texts, including comments. It identifies binaries, which contain line numbers.
  [[nodiscard]] std::string hash() const;

  /// Returns a hash of the code, 16 digits: it changes whenever a variant may behave differently, but not with comments
  /// or white space. It identifies measurements.
  [[nodiscard]] std::string code_hash() const;
};

/// Returns the identity of the code for measurements: `code_hash` itself, or that of an earlier version that compiles
/// to the same machine code, according to the list equal_code.txt in `folder` (which explains how to add a line).
/// @throws input_error  naming an invalid line of the list
[[nodiscard]] std::string code_identity(const std::string& folder, const std::string& code_hash);

/// Returns C++ text in which each comment, and each run of white space within a line, is one blank, without blanks at
/// line ends and without empty lines. Line breaks are kept, because they end directives. Raw strings are not supported.
[[nodiscard]] std::string without_comments(std::string_view text);

/// Returns directives that define the macros of a variant in plain CUDA C++, after the headers of the toolkit that its
/// code mentions: a macro may have any name, also one that a header uses.
/// @param code  text of the file and its headers
[[nodiscard]] std::string macros_after_headers(std::string_view code,
                                               const std::map<std::string, std::string>& defines);

/// Returns the identity of a compiled variant: a hash of `sources`, entry, macros and `toolchain` (compiler, version,
/// options, architecture).
[[nodiscard]] std::string variant_hash(const kernel_sources& sources, const kernel_source& variant,
                                       const std::string& toolchain);

}  // namespace mlmq::backends
