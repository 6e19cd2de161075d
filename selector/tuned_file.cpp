// SPDX-License-Identifier: Apache-2.0
#include "selector/tuned_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_reason.hpp"

namespace mlmq::selector {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view format_name = "mlmq-tuned-selector";
/// Beginning of every such file.
constexpr std::string_view beginning = R"({"format":"mlmq-tuned-selector",)";

/// @throws input_error if the choices do not match the workloads and configurations
void check_choices(const strategy_evaluation& strategy, const strategy_evaluations& evaluation) {
  const auto refuse = [&] { throw input_error(fmt::format("the evaluation of the {} is incomplete", strategy.name)); };
  if (strategy.relative.size() != strategy.choices.size()) refuse();
  if (!strategy.choices.empty() && strategy.choices.size() != evaluation.workloads.size()) refuse();
  for (std::size_t w = 0; w < strategy.choices.size(); ++w) {
    if (strategy.choices[w].empty()) refuse();
    for (const std::size_t choice : strategy.choices[w]) {
      if (choice >= evaluation.configurations.size()) refuse();
    }
  }
}

json to_json(const strategy_evaluations& evaluation) {
  json strategies = json::array();
  for (const strategy_evaluation& strategy : evaluation.strategies) {
    strategies.push_back({{"name", strategy.name},
                          {"mean_relative", strategy.mean_relative},
                          {"near_best", strategy.near_best},
                          {"worst", strategy.worst},
                          {"choices", strategy.choices},
                          {"relative", strategy.relative}});
  }
  return {{"selector_way", evaluation.selector_strategy},
          {"workloads", evaluation.workloads},
          {"configurations", evaluation.configurations},
          {"ways", strategies}};
}

json to_json(const tuned_about& about) {
  json object = {{"device", about.device}, {"problem", about.problem},     {"made", about.creation_day},
                 {"how", about.origin},    {"workloads", about.workloads}, {"held_out", about.held_out}};
  if (!about.evaluation.strategies.empty()) object["evaluation"] = to_json(about.evaluation);
  return object;
}

strategy_evaluations evaluation_from_json(const json& object) {
  strategy_evaluations evaluation;
  object.at("selector_way").get_to(evaluation.selector_strategy);
  object.at("workloads").get_to(evaluation.workloads);
  object.at("configurations").get_to(evaluation.configurations);
  for (const json& stored : object.at("ways")) {
    strategy_evaluation& strategy = evaluation.strategies.emplace_back();
    stored.at("name").get_to(strategy.name);
    stored.at("mean_relative").get_to(strategy.mean_relative);
    stored.at("near_best").get_to(strategy.near_best);
    stored.at("worst").get_to(strategy.worst);
    stored.at("choices").get_to(strategy.choices);
    stored.at("relative").get_to(strategy.relative);
    check_choices(strategy, evaluation);
  }
  return evaluation;
}

tuned_about from_json(const json& object) {
  tuned_about about;
  object.at("device").get_to(about.device);
  object.at("problem").get_to(about.problem);
  object.at("made").get_to(about.creation_day);
  object.at("how").get_to(about.origin);
  object.at("workloads").get_to(about.workloads);
  object.at("held_out").get_to(about.held_out);
  if (object.contains("evaluation")) about.evaluation = evaluation_from_json(object.at("evaluation"));
  return about;
}

std::string checksum_of(const json& about, std::string_view model_text) {
  return content_hash().add(about.dump()).add(model_text).hex();
}

struct parts {
  tuned_about about;
  std::string_view model_text;
};

parts read_parts(std::string_view text, const std::string& name) {
  if (!is_tuned_file(text)) throw input_error(fmt::format("{}: not a tuned selector", name));
  try {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) throw input_error("the file is truncated");
    const json head = json::parse(text.substr(0, end));
    const int version = head.at("version").get<int>();
    if (version != tuned_file_version)
      throw input_error(fmt::format("version {} of tuned selectors, but this program reads version {}: tune again",
                                    version, tuned_file_version));
    parts result{.about = from_json(head.at("about")), .model_text = text.substr(end + 1)};
    if (checksum_of(to_json(result.about), result.model_text) != head.at("checksum").get<std::string>())
      throw input_error("the file was modified: its checksum does not match");
    return result;
  } catch (const json::exception& error) {
    throw input_error(fmt::format("{}: not a tuned selector: {}", name, json_reason(error)));
  } catch (const input_error& error) {
    throw input_error(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

bool is_tuned_file(std::string_view text) { return text.starts_with(beginning); }

std::string tuned_file_to_text(const tuned_file& tuned) {
  const std::string model_text = model_to_text(tuned.learned_model);
  const json about = to_json(tuned.about);
  const json head = {{"format", format_name},
                     {"version", tuned_file_version},
                     {"checksum", checksum_of(about, model_text)},
                     {"about", about}};
  return head.dump() + "\n" + model_text;
}

tuned_file tuned_file_from_text(std::string_view text, const std::string& name) {
  parts file = read_parts(text, name);
  return {.about = std::move(file.about), .learned_model = model_from_text(file.model_text, name)};
}

tuned_about about_from_text(std::string_view text, const std::string& name) { return read_parts(text, name).about; }

std::string_view model_part(std::string_view text, const std::string& name) {
  return is_tuned_file(text) ? read_parts(text, name).model_text : text;
}

}  // namespace mlmq::selector
