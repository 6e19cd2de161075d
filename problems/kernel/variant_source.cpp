// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/variant_source.hpp"

#include <algorithm>
#include <utility>

namespace mlmq::kernel {

backends::kernel_source source_of(const definition& kernel, const std::filesystem::path& file, const bindings& values,
                                  const std::vector<launch_definition>& launches,
                                  const std::map<std::string, placed_text>& defines,
                                  std::map<std::string, std::string> macros) {
  for (const auto& [name, value] : defines) macros.insert_or_assign(name, values.substituted_in_code(value.text));
  backends::kernel_source source;
  source.file = file.filename().string();
  source.entry = kernel.name;
  source.defines = std::move(macros);
  source.folder = file.parent_path().string();
  source.functions = functions_of(launches, values);
  source.options = kernel.options;
  return source;
}

std::vector<std::string> functions_of(const std::vector<launch_definition>& launches, const bindings& values) {
  std::vector<std::string> functions;
  for (const launch_definition& launch : launches) {
    std::string function = values.substituted_in_code(launch.function.text);
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      functions.push_back(std::move(function));
    }
  }
  return functions;
}

}  // namespace mlmq::kernel
