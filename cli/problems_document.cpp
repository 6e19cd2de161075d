// SPDX-License-Identifier: Apache-2.0
#include "cli/problems_document.hpp"

#include <span>
#include <string>
#include <variant>

namespace mlmq::cli {
namespace {

json_document value_document(const tuner::value& value) {
  return std::visit([](const auto& content) { return json_document(content); }, value);
}

json_document meanings_document(std::span<const tuner::named_meaning> meanings) {
  json_document result = json_document::array();
  for (const tuner::named_meaning& meaning : meanings)
    result.push_back({{"name", meaning.name}, {"meaning", meaning.meaning}});
  return result;
}

json_document parameter_document(const tuner::parameter_declaration& declared) {
  json_document result{{"name", declared.name},
                       {"meaning", declared.description},
                       {"type", tuner::name_of(declared.type)},
                       {"default", value_document(declared.default_value)},
                       {"binding", tuner::name_of(declared.bind)}};
  if (!declared.allowed.empty()) result["allowed"] = declared.allowed;
  if (declared.minimum) result["minimum"] = *declared.minimum;
  if (declared.maximum) result["maximum"] = *declared.maximum;
  const auto add = [&result](const char* name, const std::string& text) {
    if (!text.empty()) result[name] = text;
  };
  add("unit", declared.unit);
  add("when", declared.when);
  add("macro", declared.macro.name);
  add("symbol", declared.symbol);
  for (const tuner::parameter_limit& limit : declared.limits)
    result["limits"].push_back({{"condition", limit.condition}, {"reason", limit.reason}});
  return result;
}

}  // namespace

json_document problems_document() {
  json_document document = begin_document("problems");
  document["problems"] = json_document::array();
  for (const problems::problem_entry& entry : problems::all_problems()) {
    document["problems"].push_back({{"name", entry.name}, {"description", entry.description}});
  }
  return document;
}

json_document problem_document(const problems::problem_entry& entry) {
  const auto problem = entry.make();
  json_document document = begin_document("problem");
  document["name"] = entry.name;
  document["description"] = entry.description;
  document["workloads"] = {{"kind", problem->workloads().name()},
                           {"options", meanings_document(problem->workloads().options())}};
  document["query_settings"] = meanings_document(problem->query_settings());
  document["parameters"] = json_document::array();
  for (const auto& declared : problem->declarations()) document["parameters"].push_back(parameter_document(declared));
  document["presets"] = json_document::array();
  for (const tuner::preset& preset : problem->presets()) {
    document["presets"].push_back({{"name", preset.name}, {"source", preset.source}, {"configuration", preset.label}});
  }
  document["counters"] = meanings_document(problem->counters());
  if (!problem->rate_counter().empty()) document["rate_counter"] = problem->rate_counter();
  return document;
}

}  // namespace mlmq::cli
