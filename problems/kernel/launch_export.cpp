// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/launch_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "problems/kernel/bindings.hpp"
#include "problems/kernel/variant_source.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::kernel {
namespace {

using named_values = std::vector<std::pair<std::string, tuner::value>>;
using nlohmann::ordered_json;

/// One of the fastest configurations with its values.
struct best_launch {
  const db::best_result* result = nullptr;
  named_values sizes;
  named_values parameters;
  std::vector<std::string> options;    ///< of the compiler
  std::vector<std::string> functions;  ///< of the launches, in their order
};

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string literal(const tuner::value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  return tuner::to_json(value);
}

bindings bindings_of(const best_launch& entry, const definition& kernel) {
  named_values joined = entry.sizes;
  joined.insert(joined.end(), entry.parameters.begin(), entry.parameters.end());
  return bindings(std::move(joined), kernel.texts);
}

std::vector<best_launch> values_of(const definition& kernel, const size_kind& workloads,
                                   std::span<const tuner::parameter_declaration> declarations,
                                   std::span<const db::best_result> best) {
  std::vector<best_launch> entries;
  for (const db::best_result& result : best) {
    best_launch& entry = entries.emplace_back();
    entry.result = &result;
    entry.sizes = workloads.values_of(result.workload);
    const tuner::configuration chosen = tuner::configuration::from_json(result.parameters_json);
    const tuner::parameter_values parameters(declarations, chosen);
    for (const tuner::parameter_declaration& declared : declarations) {
      entry.parameters.emplace_back(declared.name, parameters.at(declared.name));
    }
    const bindings values = bindings_of(entry, kernel);
    const backends::kernel_source source =
        source_of(kernel, kernel.source, values, kernel.launches, kernel.defines, parameters.macros(kernel.name));
    for (const auto& [name, value] : source.defines) entry.options.push_back(fmt::format("-D{}={}", name, value));
    entry.options.insert(entry.options.end(), source.options.begin(), source.options.end());
    for (const launch_definition& launch : kernel.launches) {
      entry.functions.push_back(values.substituted_in_code(launch.function.text));
    }
  }
  return entries;
}

ordered_json json_of(const named_values& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) {
    std::visit([&object, &key = name](const auto& content) { object[key] = content; }, value);
  }
  return object;
}

ordered_json json_of(const backends::extent& size) { return {size.x, size.y, size.z}; }

std::string json_text(const definition& kernel, const std::vector<best_launch>& entries) {
  ordered_json document = {{"kernel", kernel.name}, {"source", kernel.source.filename().string()}};
  for (const best_launch& entry : entries) {
    const bindings values = bindings_of(entry, kernel);
    ordered_json launches = ordered_json::array();
    for (std::size_t i = 0; i < kernel.launches.size(); ++i) {
      const launch_definition& launch = kernel.launches[i];
      ordered_json arguments = ordered_json::array();
      for (const argument& passed : launch.arguments) arguments.push_back(passed.name);
      launches.push_back({{"function", entry.functions[i]},
                          {"grid", json_of(values.extent(launch.grid))},
                          {"block", json_of(values.extent(launch.block))},
                          {"cluster", json_of(values.extent(launch.cluster))},
                          {"shared_memory", values.number(launch.shared_bytes).real()},
                          {"cooperative", launch.is_cooperative},
                          {"arguments", std::move(arguments)}});
    }
    ordered_json metrics = ordered_json::object();
    for (const auto& [name, value] : entry.result->metrics) metrics[name] = value;
    document["best"].push_back({{"device", entry.result->device},
                                {"workload", entry.result->workload},
                                {"sizes", json_of(entry.sizes)},
                                {"parameters", json_of(entry.parameters)},
                                {"median_ms", entry.result->median_ms},
                                {"metrics", std::move(metrics)},
                                {"options", entry.options},
                                {"launches", std::move(launches)}});
  }
  return document.dump(2) + "\n";
}

/// Returns the C++ type that holds the values of one name in all entries.
std::string cpp_type(const std::vector<best_launch>& entries, named_values best_launch::*group, std::size_t position) {
  std::set<tuner::value_type> types;
  for (const best_launch& entry : entries) types.insert(tuner::type_of((entry.*group)[position].second));
  if (types.contains(tuner::value_type::text)) return "std::string_view";
  if (types.contains(tuner::value_type::real)) return "double";
  return types.contains(tuner::value_type::integer) ? "long long" : "bool";
}

std::string struct_text(const char* name, const char* meaning, const std::vector<best_launch>& entries,
                        named_values best_launch::*group) {
  std::string text = fmt::format("/// {}\nstruct {} {{\n", meaning, name);
  const named_values& first = entries.front().*group;
  for (std::size_t i = 0; i < first.size(); ++i) {
    text += fmt::format("  {} {}_;\n", cpp_type(entries, group, i), first[i].first);
  }
  return text + "};\n\n";
}

std::string initializer(const named_values& values) {
  std::vector<std::string> literals;
  for (const auto& [name, value] : values) literals.push_back(literal(value));
  return fmt::format("{{{}}}", fmt::join(literals, ", "));
}

std::string initializer(const std::vector<std::string>& texts) {
  std::vector<std::string> literals;
  for (const std::string& text : texts) literals.push_back(quoted(text));
  return fmt::format("{{{}}}", fmt::join(literals, ", "));
}

std::string table_text(const std::vector<best_launch>& entries) {
  std::size_t most_options = 1;
  for (const best_launch& entry : entries) most_options = std::max(most_options, entry.options.size());
  std::string text = fmt::format(
      "/// One of the fastest configurations. Compile the kernel with `options` (macros, and options of NVRTC or "
      "nvcc).\n"
      "struct best_configuration {{\n  std::string_view device;\n  std::string_view workload;\n  sizes size;\n"
      "  parameters chosen;\n  const char* options[{}];  ///< unused ones are null\n"
      "  const char* functions[{}];  ///< one for each launch, with template arguments\n  double median_ms;\n}};\n\n"
      "inline constexpr best_configuration best[] = {{\n",
      most_options, entries.front().functions.size());
  for (const best_launch& entry : entries) {
    text += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}}},\n", quoted(entry.result->device),
                        quoted(entry.result->workload), initializer(entry.sizes), initializer(entry.parameters),
                        initializer(entry.options), initializer(entry.functions),
                        tuner::to_json(tuner::value(entry.result->median_ms)));
  }
  text += "};\n\n";
  std::string condition = "(device.empty() || device == entry.device)";
  for (const auto& [name, value] : entries.front().sizes) {
    condition += fmt::format(" &&\n        entry.size.{0}_ == size.{0}_", name);
  }
  return text + fmt::format(
                    "/// Returns the fastest configuration for exactly these sizes, or null.\n"
                    "inline const best_configuration* find([[maybe_unused]] const sizes& size, "
                    "std::string_view device = {{}}) {{\n"
                    "  for (const best_configuration& entry : best) {{\n    if ({}) return &entry;\n  }}\n"
                    "  return nullptr;\n}}\n\n",
                    condition);
}

std::string dimensions_text(const char* name, const std::vector<placed_text>& sizes, const bindings& values) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += fmt::format("  result.{}[{}] = static_cast<unsigned>({});\n", name, i, values.to_cpp(sizes[i]));
  }
  return text;
}

std::string launches_text(const definition& kernel, const std::vector<best_launch>& entries) {
  const bindings values = bindings_of(entries.front(), kernel);
  std::string names;
  for (auto group : {&best_launch::sizes, &best_launch::parameters}) {
    const bool is_size = group == &best_launch::sizes;
    const named_values& first = entries.front().*group;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const bool is_text = cpp_type(entries, group, i) == "std::string_view";
      const std::string source = fmt::format("{}.{}_", is_size ? "size" : "chosen", first[i].first);
      names += fmt::format("  [[maybe_unused]] const {} {}_ = {};\n", is_text ? "std::string_view" : "double",
                           first[i].first, is_text ? source : fmt::format("static_cast<double>({})", source));
    }
  }
  std::string text =
      "struct launch {\n  unsigned grid[3] = {1, 1, 1};\n  unsigned block[3] = {1, 1, 1};\n"
      "  unsigned cluster[3] = {1, 1, 1};\n  std::size_t shared_memory = 0;  ///< bytes of dynamic shared memory\n"
      "  bool cooperative = false;\n};\n\n";
  std::map<std::string, int> used;
  for (const launch_definition& launch : kernel.launches) {
    std::string name = name_of_function(launch.function.text);
    if (const int count = ++used[name]; count > 1) name += fmt::format("_{}", count);
    std::vector<std::string> arguments;
    for (const argument& passed : launch.arguments) arguments.push_back(passed.name);
    text += fmt::format(
        "/// Launch of {}({}).\ninline launch launch_{}([[maybe_unused]] const parameters& chosen, "
        "[[maybe_unused]] const sizes& size) {{\n{}  launch result;\n",
        launch.function.text, fmt::join(arguments, ", "), name, names);
    text += dimensions_text("grid", launch.grid, values);
    text += dimensions_text("block", launch.block, values);
    text += dimensions_text("cluster", launch.cluster, values);
    text += fmt::format("  result.shared_memory = static_cast<std::size_t>({});\n", values.to_cpp(launch.shared_bytes));
    if (launch.is_cooperative) text += "  result.cooperative = true;\n";
    text += "  return result;\n}\n\n";
  }
  return text;
}

constexpr const char* start_text = R"(#ifdef __CUDACC__
/// Starts a __global__ function that was compiled with the options of the same configuration.
/// @param arguments  the address of each argument
inline cudaError_t start(const void* function, const launch& spec, void** arguments, cudaStream_t stream = nullptr) {
  if (spec.shared_memory > 48 * 1024) {
    const cudaError_t refused = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(spec.shared_memory));
    if (refused != cudaSuccess) return refused;
  }
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(spec.grid[0], spec.grid[1], spec.grid[2]);
  config.blockDim = dim3(spec.block[0], spec.block[1], spec.block[2]);
  config.dynamicSmemBytes = spec.shared_memory;
  config.stream = stream;
  config.attrs = attributes;
  if (spec.cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (spec.cluster[0] * spec.cluster[1] * spec.cluster[2] > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = spec.cluster[0];
    attributes[config.numAttrs].val.clusterDim.y = spec.cluster[1];
    attributes[config.numAttrs++].val.clusterDim.z = spec.cluster[2];
  }
  return cudaLaunchKernelExC(&config, function, arguments);
}
#endif

)";

std::string header_text(const definition& kernel, const std::vector<best_launch>& entries) {
  std::string text = fmt::format(
      "// Launches of {} ({}) with the fastest configuration of each workload, written by mlmq.\n"
      "//\n"
      "// Names of parameters and sizes end in '_' here, because the kernel's macros have the plain names.\n"
      "#pragma once\n\n#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <string_view>\n\n"
      "namespace {}_launches {{\n\n",
      kernel.name, kernel.source.filename().string(), kernel.name);
  text += struct_text("sizes", "Sizes of a workload.", entries, &best_launch::sizes);
  text += struct_text("parameters", "Parameters of a configuration.", entries, &best_launch::parameters);
  text += table_text(entries);
  text += launches_text(kernel, entries);
  text += start_text;
  return text + fmt::format("}}  // namespace {}_launches\n", kernel.name);
}

}  // namespace

std::vector<db::exported_file> launch_files(const definition& kernel, const size_kind& workloads,
                                            std::span<const tuner::parameter_declaration> declarations,
                                            std::span<const db::best_result> best) {
  const std::vector<best_launch> entries = values_of(kernel, workloads, declarations, best);
  return {{.name = kernel.name + "_launches.hpp", .content = header_text(kernel, entries)},
          {.name = kernel.name + "_launches.json", .content = json_text(kernel, entries)}};
}

}  // namespace mlmq::kernel
