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

/// One kernel file and all files that its includes can reach outside of the compiler's own headers: the only files that
/// a compiler is given, so that no other file can decide what a variant is.
///
/// A name in quotes is looked for in the folder of the including file, then in the search folders; a name in angle
/// brackets in the folders of the options. Both branches of a condition are followed. If a macro gives the name, every
/// header that the macro can name is part, and if the name is put together by the preprocessor, every header in the
/// folders is.
struct kernel_sources {
  std::string text;                                          ///< text of the kernel file
  std::vector<std::pair<std::string, std::string>> headers;  ///< name and text, sorted by name
  std::vector<std::string> compiler_options;  ///< the variant's options without those that only say what to include
  /// Texts as they are in their files, by name, where they differ from those above.
  std::map<std::string, std::string> unresolved;
  bool has_computed_names = false;  ///< whether macros give names of headers, so that the files depend on the macros

  /// Loads a kernel file and its headers. Headers that do not exist are left out without an error, because only the
  /// compiler determines which of them a variant needs. In the texts, includes name headers as in `headers`: relative
  /// to the search folder that contains them, else to the folder of the kernel file.
  /// @param folders  the folder of the kernel file, and others to search
  /// @throws input_error  naming `file` and the folder if the file is missing
  static kernel_sources load(const std::vector<std::string>& folders, const std::string& file);
  static kernel_sources load(const std::string& folder, const std::string& file);
  /// Like load(), and also searches the folders of the variant's options (-I, --include-path, -isystem), in which
  /// folders are absolute, and loads the headers of -include and --pre-include.
  /// @throws input_error also if the variant has a code hash, and the files have other code
  static kernel_sources load(const std::vector<std::string>& folders, const kernel_source& variant);

  /// Returns the text of a file as it is on disk.
  [[nodiscard]] const std::string& text_in_file(const std::string& name, const std::string& resolved) const {
    const auto entry = unresolved.find(name);
    return entry == unresolved.end() ? resolved : entry->second;
  }

  /// Returns a hash of all texts, including comments. It identifies binaries, which contain line numbers.
  [[nodiscard]] std::string hash() const;

  /// Returns a hash of the code, 16 digits: it changes whenever a variant may behave differently, but not with comments
  /// or white space. It identifies measurements.
  [[nodiscard]] std::string code_hash() const;
};

/// Returns the length of the comment, string, character literal or single character at the start of `text`.
/// @param in_number  whether the previous character belongs to a number, in which a quote separates digits
[[nodiscard]] std::size_t token_length(std::string_view text, bool in_number);

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
