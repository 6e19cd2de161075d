// SPDX-License-Identifier: Apache-2.0
// The source of a compiled variant of a kernel.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/definition.hpp"

namespace mlmq::kernel {

/// Returns the source of a variant.
/// @param macros  macros of the parameters; those in `defines` replace macros with the same name
[[nodiscard]] backends::kernel_source source_of(const definition& kernel, const std::filesystem::path& file,
                                                const bindings& values, const std::vector<launch_definition>& launches,
                                                const std::map<std::string, placed_text>& defines,
                                                std::map<std::string, std::string> macros);

/// Returns the distinct functions of the launches, with the values of parameters and sizes.
[[nodiscard]] std::vector<std::string> functions_of(const std::vector<launch_definition>& launches,
                                                    const bindings& values);

}  // namespace mlmq::kernel
