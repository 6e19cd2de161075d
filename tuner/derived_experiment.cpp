// SPDX-License-Identifier: Apache-2.0
#include "tuner/derived_experiment.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <vector>

namespace mlmq::tuner {
namespace {

std::string absolute_path(const std::string& path, const std::filesystem::path& relative_to) {
  if (path.starts_with("/") || path.starts_with("${") || path.starts_with("~")) return path;
  return (std::filesystem::absolute(relative_to).parent_path() / path).lexically_normal().string();
}

void make_absolute(YAML::Node files, const std::filesystem::path& relative_to) {
  if (files.IsScalar()) {
    files = absolute_path(files.as<std::string>(), relative_to);
  } else if (files.IsSequence()) {
    for (YAML::Node path : files) path = absolute_path(path.as<std::string>(), relative_to);
  }
}

/// Keeps all that defines a kernel: its parameters, and paths that are valid in other folders.
void keep_definition(YAML::Node root, const std::filesystem::path& relative_to) {
  YAML::Node kernel = root["kernel"];
  if (!kernel["parameters"] && root["parameters"]) kernel["parameters"] = YAML::Clone(root["parameters"]);
  if (kernel["source"]) make_absolute(kernel["source"], relative_to);
  YAML::Node reference = kernel["reference"];
  if (reference.IsMap() && reference["source"]) make_absolute(reference["source"], relative_to);
  if (reference.IsMap() && reference["files"]) {
    for (auto entry : reference["files"]) make_absolute(entry.second, relative_to);
  }
  for (const char* const key : {"arguments", "symbols"}) {
    for (YAML::Node argument : kernel[key]) {
      if (argument["file"]) make_absolute(argument["file"], relative_to);
    }
  }
}

/// Quotes a text that would otherwise be read as a number or a boolean.
YAML::Node node_of(const value& v) {
  const std::string text = to_text(v);
  YAML::Node node(text);
  if (type_of(v) == value_type::text && is_ambiguous(text)) node.SetTag("!");
  return node;
}

std::string text_of(const YAML::Node& root) {
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

/// Returns the file of `base` without its space and strategy, and with absolute paths.
YAML::Node without_space(const experiment_file& base) {
  YAML::Node root = YAML::Load(base.text);
  if (root["kernel"]) keep_definition(root, base.file);
  for (const char* const key : {"parameters", "restrictions", "configurations", "strategy"}) root.remove(key);
  for (YAML::Node workload : root["workloads"]) {
    if (workload["file"]) make_absolute(workload["file"], base.file);
    workload.SetStyle(YAML::EmitterStyle::Flow);
  }
  return root;
}

}  // namespace

std::string repeated_experiment(const experiment_file& base, const std::string& measurement) {
  YAML::Node root = without_space(base);
  root["configurations"] = YAML::Load("[{}]");
  root["measurement"] = YAML::Load(measurement);
  return text_of(root);
}

std::string derived_experiment(const experiment_file& base, const std::string& name, const std::string& description,
                               std::span<const configuration> configurations, bool counts) {
  YAML::Node root = without_space(base);
  if (counts) root["measurement"]["counters"] = true;
  root["name"] = name;
  root["description"] = description;
  YAML::Node list(YAML::NodeType::Sequence);
  for (const configuration& candidate : configurations) {
    YAML::Node entry(YAML::NodeType::Map);
    entry.SetStyle(YAML::EmitterStyle::Flow);
    for (const auto& [parameter, chosen] : candidate.values()) entry[parameter] = node_of(chosen);
    list.push_back(entry);
  }
  root["configurations"] = list;
  return text_of(root);
}

}  // namespace mlmq::tuner
