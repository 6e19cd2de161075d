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

/// Quotes a text that would otherwise be read as a number or a boolean.
YAML::Node node_of(const value& v) {
  const std::string text = to_text(v);
  YAML::Node node(text);
  if (type_of(v) == value_type::text && type_of(guess_value(text)) != value_type::text) node.SetTag("!");
  return node;
}

}  // namespace

std::string derived_experiment(const experiment_file& base, const std::string& name, const std::string& description,
                               std::span<const configuration> configurations, bool counts) {
  YAML::Node root = YAML::Load(base.text);
  for (const char* const key : {"parameters", "restrictions", "configurations", "strategy"}) root.remove(key);
  if (counts) root["measurement"]["counters"] = true;
  root["name"] = name;
  root["description"] = description;
  for (YAML::Node workload : root["workloads"]) {
    if (workload["file"]) make_absolute(workload["file"], base.file);
    workload.SetStyle(YAML::EmitterStyle::Flow);
  }
  YAML::Node list(YAML::NodeType::Sequence);
  for (const configuration& candidate : configurations) {
    YAML::Node entry(YAML::NodeType::Map);
    entry.SetStyle(YAML::EmitterStyle::Flow);
    for (const auto& [parameter, chosen] : candidate.values()) entry[parameter] = node_of(chosen);
    list.push_back(entry);
  }
  root["configurations"] = list;
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

}  // namespace mlmq::tuner
