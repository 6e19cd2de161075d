// SPDX-License-Identifier: Apache-2.0
#include "selector/model_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "selector/encoding.hpp"
#include "selector/forest.hpp"
#include "selector/json_reason.hpp"
#include "selector/scorer.hpp"
#include "selector/time_model_json.hpp"

namespace mlmq::selector {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* format_name = "mlmq-selector-model";

/// Compact text. JSON is UTF-8; a name that is not cannot be stored.
std::string text_of(const json& value) {
  try {
    return value.dump();
  } catch (const json::exception& error) {
    throw input_error("selector model: a label or name is not UTF-8 text: " + json_reason(error));
  }
}

json parse_trees(const std::string& xgboost_json) {
  try {
    return json::parse(xgboost_json);
  } catch (const json::exception& error) {
    throw input_error("selector model: its trees are not JSON: " + json_reason(error));
  }
}

json learning_to_json(const learning& learned) {
  const train_settings& trees = learned.trees;
  return {{"method", to_string(learned.how)},
          {"start_at_mean", learned.start_at_mean},
          {"members", learned.members},
          {"rounds", trees.rounds},
          {"max_depth", trees.max_depth},
          {"eta", trees.eta},
          {"subsample", trees.subsample},
          {"colsample", trees.colsample},
          {"min_child_weight", trees.min_child_weight},
          {"lambda", trees.lambda},
          {"trees_per_round", trees.trees_per_round},
          {"seed", trees.seed},
          {"nthread", trees.nthread},
          {"tree_method", trees.tree_method},
          {"kernel_scale", learned.kernel.scale},
          {"ridge", learned.kernel.ridge}};
}

learning learning_from_json(const json& object) {
  learning learned;
  learned.how = method_from(object.at("method").get<std::string>());
  object.at("start_at_mean").get_to(learned.start_at_mean);
  object.at("members").get_to(learned.members);
  train_settings& trees = learned.trees;
  object.at("rounds").get_to(trees.rounds);
  object.at("max_depth").get_to(trees.max_depth);
  object.at("eta").get_to(trees.eta);
  object.at("subsample").get_to(trees.subsample);
  object.at("colsample").get_to(trees.colsample);
  object.at("min_child_weight").get_to(trees.min_child_weight);
  object.at("lambda").get_to(trees.lambda);
  object.at("trees_per_round").get_to(trees.trees_per_round);
  object.at("seed").get_to(trees.seed);
  object.at("nthread").get_to(trees.nthread);
  object.at("tree_method").get_to(trees.tree_method);
  object.at("kernel_scale").get_to(learned.kernel.scale);
  object.at("ridge").get_to(learned.kernel.ridge);
  return learned;
}

json provenance_to_json(const model_provenance& provenance) {
  return {{"device_name", provenance.source.device_name},
          {"device_kind", provenance.source.device_kind},
          {"times", provenance.source.times},
          {"problem", provenance.source.problem},
          {"program_version", provenance.source.program_version},
          {"training_set_hash", provenance.training_set_hash},
          {"graphs", provenance.graphs},
          {"candidates", provenance.candidates},
          {"observations", provenance.observations},
          {"settings", learning_to_json(provenance.learned)},
          {"xgboost_version", provenance.xgboost_version}};
}

model_provenance provenance_from_json(const json& object) {
  model_provenance result;
  object.at("device_name").get_to(result.source.device_name);
  object.at("device_kind").get_to(result.source.device_kind);
  object.at("times").get_to(result.source.times);
  object.at("problem").get_to(result.source.problem);
  object.at("program_version").get_to(result.source.program_version);
  object.at("training_set_hash").get_to(result.training_set_hash);
  object.at("graphs").get_to(result.graphs);
  object.at("candidates").get_to(result.candidates);
  object.at("observations").get_to(result.observations);
  result.learned = learning_from_json(object.at("settings"));
  object.at("xgboost_version").get_to(result.xgboost_version);
  return result;
}

/// NaN has no JSON number; null stands for an absent parameter.
json encoding_to_json(const std::vector<float>& encoding) {
  json result = json::array();
  for (float value : encoding) result.push_back(std::isnan(value) ? json(nullptr) : json(double{value}));
  return result;
}

std::vector<float> encoding_from_json(const json& array) {
  std::vector<float> result;
  for (const json& item : array)
    result.push_back(item.is_null() ? std::numeric_limits<float>::quiet_NaN() : to_float32(item.get<double>()));
  return result;
}

json candidate_to_json(const candidate& one, const std::vector<float>& encoding) {
  json parameters = json::array();
  for (const auto& [name, value] : one.parameters) parameters.push_back({name, value});
  return {{"label", one.label}, {"parameters", parameters}, {"encoding", encoding_to_json(encoding)}};
}

json kernel_to_json(const kernel_fit& kernel) {
  return {{"candidates", kernel.candidates},
          {"features", kernel.features},
          {"centre", encoding_to_json(kernel.centre)},
          {"scale", encoding_to_json(kernel.scale)},
          {"level", double{kernel.level}},
          {"points", kernel.points},
          {"weights", encoding_to_json(kernel.weights)}};
}

kernel_fit kernel_from_json(const json& object) {
  kernel_fit kernel;
  object.at("candidates").get_to(kernel.candidates);
  object.at("features").get_to(kernel.features);
  kernel.centre = encoding_from_json(object.at("centre"));
  kernel.scale = encoding_from_json(object.at("scale"));
  kernel.level = to_float32(object.at("level").get<double>());
  for (const json& item : object.at("points")) {
    const auto level = item.get<double>();
    if (!(level >= 0 && level <= 255 && level == std::floor(level)))
      throw input_error(fmt::format("a point of the kernel is at level {}, expected 0 to 255", level));
    kernel.points.push_back(static_cast<std::uint8_t>(level));
  }
  kernel.weights = encoding_from_json(object.at("weights"));
  return kernel;
}

json member_to_json(const model_member& member) {
  if (member.kernel) {
    return {{"weight", double{member.weight}},
            {"starts", encoding_to_json(member.starts)},
            {"kernel", kernel_to_json(*member.kernel)}};
  }
  return {{"weight", double{member.weight}},
          {"starts", encoding_to_json(member.starts)},
          {"xgboost", parse_trees(member.xgboost_json)}};
}

model_member member_from_json(const json& object) {
  model_member result;
  result.weight = to_float32(object.at("weight").get<double>());
  result.starts = encoding_from_json(object.at("starts"));
  if (object.contains("kernel")) {
    result.kernel = kernel_from_json(object.at("kernel"));
  } else {
    result.xgboost_json = object.at("xgboost").dump();
  }
  return result;
}

json graph_to_json(const graph_encoding& graph) {
  json ratios = json::array();
  for (const graph_encoding::ratio& one : graph.ratios)
    ratios.push_back({graph.features.at(one.numerator), graph.features.at(one.denominator)});
  return {{"features", graph.features}, {"ratios", ratios}};
}

graph_encoding graph_from_json(const json& object) {
  graph_encoding graph;
  object.at("features").get_to(graph.features);
  const auto place_of = [&](const json& name) {
    const auto place = graph.place_of(name.get<std::string>());
    if (!place) throw input_error(fmt::format("a ratio of '{}', which is no feature of it", name.get<std::string>()));
    return *place;
  };
  for (const json& pair : object.at("ratios")) graph.ratios.push_back({place_of(pair.at(0)), place_of(pair.at(1))});
  return graph;
}

void check_inputs(const model& model) {
  if (model.candidates.empty()) throw input_error("no candidates");
  if (model.members.empty()) throw input_error("no trees");
  require_nameable(model.graph);
  const std::vector<std::string> expected = model.graph.names();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (model.feature_names.size() <= i || model.feature_names[i] != expected[i])
      throw input_error(fmt::format("input {} is not '{}'", i, expected[i]));
  }
  for (std::size_t i = 0; i < model.candidates.size(); ++i) {
    if (expected.size() + model.encodings[i].size() != model.feature_names.size())
      throw input_error(fmt::format("candidate '{}' has {} encoded values instead of {}", model.candidates[i].label,
                                    model.encodings[i].size(), model.feature_names.size() - expected.size()));
  }
}

/// The walk indexes by these sizes without looking again.
void check_consistency(const model& model) {
  check_inputs(model);
  for (const model_member& member : model.members) {
    if (!member.starts.empty() && member.starts.size() != model.candidates.size())
      throw input_error(fmt::format("{} starts for {} candidates", member.starts.size(), model.candidates.size()));
    if (member.kernel) continue;
    const forest trees = parse_xgboost_json(member.xgboost_json);
    const std::size_t named = trees.outputs > 1 ? model.graph.size() : model.feature_names.size();
    if (named != trees.feature_count)
      throw input_error(fmt::format("{} feature names for a model of {} features", named, trees.feature_count));
  }
  const scorer asked = make_scorer(model);
  if (!model.times) return;
  check_times(*model.times);
  for (const std::string& name : model.times->features) {
    if (!asked.graph.place_of(name))
      throw input_error(
          fmt::format("its expected times need the feature '{}', which its choice does not ask for", name));
  }
}

model read_document(const json& document) {
  if (!document.is_object() || document.value("format", "") != format_name)
    throw input_error(fmt::format("not a selector model (no \"format\": \"{}\")", format_name));
  if (const int version = document.at("version").get<int>(); version != model_format_version)
    throw input_error(fmt::format("model format version {}; this program reads version {}; train it again", version,
                                  model_format_version));
  model result;
  result.graph = graph_from_json(document.at("graph"));
  document.at("feature_names").get_to(result.feature_names);
  for (const json& item : document.at("candidates")) {
    candidate one;
    item.at("label").get_to(one.label);
    for (const json& pair : item.at("parameters"))
      one.parameters.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    result.candidates.push_back(std::move(one));
    result.encodings.push_back(encoding_from_json(item.at("encoding")));
  }
  result.provenance = provenance_from_json(document.at("provenance"));
  for (const json& item : document.at("members")) result.members.push_back(member_from_json(item));
  if (document.contains("times")) result.times = times_from_json(document.at("times"));
  check_consistency(result);
  return result;
}

}  // namespace

std::string provenance_json(const model_provenance& provenance) { return text_of(provenance_to_json(provenance)); }

std::string model_to_text(const model& model) {
  json candidates = json::array();
  for (std::size_t i = 0; i < model.candidates.size(); ++i)
    candidates.push_back(candidate_to_json(model.candidates[i], model.encodings.at(i)));
  // One line per section: the trees on lines of their own would be most of the file.
  std::string text = fmt::format("{{\n\"format\": \"{}\",\n\"version\": {},\n", format_name, model_format_version);
  text += "\"provenance\": " + provenance_json(model.provenance) + ",\n";
  text += "\"graph\": " + text_of(graph_to_json(model.graph)) + ",\n";
  text += "\"feature_names\": " + text_of(model.feature_names) + ",\n";
  text += "\"candidates\": [\n";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    text += text_of(candidates[i]) + (i + 1 < candidates.size() ? ",\n" : "\n");
  text += "],\n\"members\": [\n";
  for (std::size_t i = 0; i < model.members.size(); ++i)
    text += text_of(member_to_json(model.members[i])) + (i + 1 < model.members.size() ? ",\n" : "\n");
  text += "]";
  if (model.times) text += ",\n\"times\": " + text_of(times_to_json(*model.times));
  return text + "\n}\n";
}

model model_from_text(std::string_view text, const std::string& name) {
  try {
    return read_document(json::parse(text));
  } catch (const json::parse_error& error) {
    throw input_error(fmt::format("{}: not a whole JSON document: {}", name, json_reason(error)));
  } catch (const json::exception& error) {
    throw input_error(fmt::format("{}: not a selector model: {}", name, json_reason(error)));
  } catch (const input_error& error) {
    throw input_error(fmt::format("{}: {}", name, error.what()));
  }
}

void save_model(const model& model, const std::filesystem::path& file) {
  write_file_atomically(file, model_to_text(model));
}

model load_model(const std::filesystem::path& file) { return model_from_text(read_file(file), file.string()); }

}  // namespace mlmq::selector
