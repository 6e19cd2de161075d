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

/// Returns the text of a kernel file with the declarations that macros cannot translate: "extern __shared__" arrays are
/// bound to the dynamic shared memory, and repeated words are removed. Lines keep their numbers.
[[nodiscard]] std::string translate_declarations(std::string_view text);

/// Returns the names of the "extern __shared__" arrays of a file.
[[nodiscard]] std::vector<std::string> dynamic_shared_names(std::string_view text);

/// Returns the file that is compiled: it includes `file` and defines for each of `functions` what a launch needs.
/// @param code  text of the file and its headers
/// @param defines  macros of the kernel
/// @param dynamic_arrays  names of all "extern __shared__" arrays
[[nodiscard]] std::string launcher_text(const std::string& file, const std::string& code,
                                        const std::map<std::string, std::string>& defines,
                                        const std::vector<std::string>& functions,
                                        const std::vector<std::string>& dynamic_arrays);

/// Returns a feature of CUDA C++ in this text that the simulator does not support, or "".
[[nodiscard]] std::string unsupported_feature(std::string_view text);

/// Returns at most ten errors of a compiler's log, or its first lines if it has no errors. Paths in `folder` become
/// relative.
[[nodiscard]] std::string errors_of_log(const std::string& log, const std::string& folder);

}  // namespace mlmq::backends::simulator
