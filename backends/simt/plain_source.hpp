// SPDX-License-Identifier: Apache-2.0
// Prepares kernel files in plain CUDA C++ for the host's compiler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::backends::simulator {

/// Name of the generated file in messages of the compiler.
inline constexpr const char* generated_name = "functions of the kernel";

/// A kernel file for the host's compiler.
struct translated_source {
  std::string text;
  std::vector<std::string> dynamic_arrays;  ///< names of the "extern __shared__" arrays
};

/// Translates the declarations that macros cannot: "extern __shared__" arrays are bound to the dynamic shared memory,
/// repeated words and those that GNU does not allow there are removed. Lines keep their numbers.
[[nodiscard]] translated_source translate_declarations(std::string_view text);

/// Returns the file that is compiled: it includes `file` and defines for each of `functions` what a launch needs.
/// @param code  text of the file and its headers
/// @param defines  macros of the kernel
/// @param dynamic_arrays  names of all "extern __shared__" arrays
[[nodiscard]] std::string launcher_text(const std::string& file, const std::string& code,
                                        const std::map<std::string, std::string>& defines,
                                        const std::vector<std::string>& functions,
                                        const std::vector<std::string>& dynamic_arrays);

/// Returns a feature of CUDA C++ that the simulator does not support, with its place, if the compiler failed at one:
/// "k.cu:7: the simulator does not support textures". Otherwise "".
/// @param errors  errors_of_log()
/// @param files  names and texts of the kernel file and its headers
[[nodiscard]] std::string unsupported_feature(const std::string& errors,
                                              const std::vector<std::pair<std::string, std::string>>& files);

/// Returns at most ten errors of a compiler's log, or its first lines if it has no errors. Paths in `folder` become
/// relative.
[[nodiscard]] std::string errors_of_log(const std::string& log, const std::string& folder);

}  // namespace mlmq::backends::simulator
