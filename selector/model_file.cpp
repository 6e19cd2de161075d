// SPDX-License-Identifier: Apache-2.0
#include "selector/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_reason.hpp"
#include "selector/encoding.hpp"
#include "selector/packed_numbers.hpp"
#include "selector/tuned_file.hpp"

namespace mlmq::selector {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* format_name = "mlmq-selector-model";

/// Returns compact JSON. JSON is UTF-8, so names in other encodings cannot be stored.
std::string text_of(const json& value) {
  try {
    return value.dump();
  } catch (const json::exception& error) {
    throw input_error("selector model: a label or name is not UTF-8 text: " + json_reason(error));
  }
}

json learning_to_json(const learning& learned) {
  const train_settings& trees = learned.trees;
  return {{"method", to_string(learned.algorithm)},
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
          {"max_bin", trees.max_bin},
          {"kernel_scale", learned.kernel.scale},
          {"ridge", learned.kernel.ridge}};
}

learning learning_from_json(const json& object) {
  learning learned;
  learned.algorithm = method_from(object.at("method").get<std::string>());
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
  object.at("max_bin").get_to(trees.max_bin);
  object.at("kernel_scale").get_to(learned.kernel.scale);
  object.at("ridge").get_to(learned.kernel.ridge);
  return learned;
}

json fit_to_json(const time_fit& fit) {
  json axes = json::array();
  for (const runtime::time_axis& axis : fit.axes)
    axes.push_back({{"feature", axis.value},
                    {"centre", double{axis.centre}},
                    {"scale", double{axis.scale}},
                    {"low", double{axis.low}},
                    {"high", double{axis.high}}});
  return {{"axes", axes},
          {"landmarks", pack(fit.landmarks)},
          {"weights", pack(fit.weights)},
          {"least", double{fit.least}},
          {"most", double{fit.most}},
          {"least_items", double{fit.least_items}}};
}

time_fit fit_from_json(const json& object) {
  time_fit fit;
  const auto number = [](const json& parent, const char* name) { return to_float32(parent.at(name).get<double>()); };
  for (const json& axis : object.at("axes"))
    fit.axes.push_back({axis.at("feature").get<std::size_t>(), number(axis, "centre"), number(axis, "scale"),
                        number(axis, "low"), number(axis, "high")});
  fit.landmarks = unpack<float>(object.at("landmarks").get_ref<const std::string&>());
  fit.weights = unpack<float>(object.at("weights").get_ref<const std::string&>());
  fit.least = number(object, "least");
  fit.most = number(object, "most");
  fit.least_items = number(object, "least_items");
  return fit;
}

json times_to_json(const time_model& times) {
  return {{"problem", times.problem},
          {"features", times.features},
          {"by_size", fit_to_json(times.by_size)},
          {"by_features", fit_to_json(times.by_features)}};
}

time_model times_from_json(const json& object) {
  return {.problem = object.at("problem").get<std::string>(),
          .features = object.at("features").get<std::vector<std::string>>(),
          .by_size = fit_from_json(object.at("by_size")),
          .by_features = fit_from_json(object.at("by_features"))};
}

json provenance_to_json(const model_provenance& provenance) {
  return {{"device_name", provenance.source.device_name},
          {"device_kind", provenance.source.device_kind},
          {"times", provenance.source.times},
          {"problem", provenance.source.problem},
          {"program_version", provenance.source.program_version},
          {"training_set_hash", provenance.training_set_hash},
          {"workloads", provenance.workloads},
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
  object.at("workloads").get_to(result.workloads);
  object.at("candidates").get_to(result.candidates);
  object.at("observations").get_to(result.observations);
  result.learned = learning_from_json(object.at("settings"));
  object.at("xgboost_version").get_to(result.xgboost_version);
  return result;
}

template <typename Number>
std::vector<Number> numbers_in(const json& object, const char* name) {
  return unpack<Number>(object.at(name).get_ref<const std::string&>());
}

json trees_to_json(const tree_data& trees) {
  std::vector<std::uint32_t> nodes;
  for (const runtime::node& node : trees.nodes)
    nodes.push_back(std::uint32_t{node.input} << 24 | std::uint32_t{node.cut} << 16 | node.left_child);
  return {{"unit", double{trees.unit}}, {"cut_begin", pack(trees.cut_begin)}, {"cuts", pack(trees.cuts)},
          {"roots", pack(trees.roots)}, {"steps", pack(trees.steps)},         {"nodes", pack(nodes)},
          {"rows", pack(trees.rows)},   {"leaves", pack(trees.leaves)}};
}

tree_data trees_from_json(const json& object) {
  tree_data trees;
  trees.unit = to_float32(object.at("unit").get<double>());
  trees.cut_begin = numbers_in<std::uint16_t>(object, "cut_begin");
  trees.cuts = numbers_in<float>(object, "cuts");
  trees.roots = numbers_in<std::uint32_t>(object, "roots");
  trees.steps = numbers_in<std::uint8_t>(object, "steps");
  for (const std::uint32_t bits : numbers_in<std::uint32_t>(object, "nodes"))
    trees.nodes.push_back({static_cast<std::uint8_t>(bits >> 24), static_cast<std::uint8_t>(bits >> 16),
                           static_cast<std::uint16_t>(bits)});
  trees.rows = numbers_in<std::uint32_t>(object, "rows");
  trees.leaves = numbers_in<std::int16_t>(object, "leaves");
  return trees;
}

json kernel_to_json(const kernel_fit& kernel) {
  return {{"candidates", kernel.candidates}, {"used", pack(kernel.used)},     {"centre", pack(kernel.centre)},
          {"scale", pack(kernel.scale)},     {"level", double{kernel.level}}, {"points", pack(kernel.points)},
          {"weights", pack(kernel.weights)}};
}

kernel_fit kernel_from_json(const json& object) {
  kernel_fit kernel;
  object.at("candidates").get_to(kernel.candidates);
  kernel.used = numbers_in<std::uint8_t>(object, "used");
  kernel.centre = numbers_in<float>(object, "centre");
  kernel.scale = numbers_in<float>(object, "scale");
  kernel.level = to_float32(object.at("level").get<double>());
  kernel.points = numbers_in<std::uint8_t>(object, "points");
  kernel.weights = numbers_in<float>(object, "weights");
  return kernel;
}

json inputs_to_json(const input_encoding& inputs) {
  json ratios = json::array();
  for (const input_encoding::ratio& ratio : inputs.ratios)
    ratios.push_back({inputs.features.at(ratio.numerator), inputs.features.at(ratio.denominator)});
  return {{"features", inputs.features}, {"ratios", ratios}};
}

input_encoding inputs_from_json(const json& object) {
  input_encoding inputs;
  object.at("features").get_to(inputs.features);
  const auto place_of = [&](const json& name) {
    const auto place = inputs.place_of(name.get<std::string>());
    if (!place)
      throw input_error(fmt::format("a ratio of '{}', which is not one of its features", name.get<std::string>()));
    return *place;
  };
  for (const json& pair : object.at("ratios")) inputs.ratios.push_back({place_of(pair.at(0)), place_of(pair.at(1))});
  return inputs;
}

model read_document(const json& document) {
  if (!document.is_object() || document.value("format", "") != format_name)
    throw input_error(fmt::format("not a selector model (no \"format\": \"{}\")", format_name));
  const int version = document.at("version").get<int>();
  if (version != model_format_version)
    throw input_error(fmt::format("model format version {}, but this program reads version {}: train the model again",
                                  version, model_format_version));
  model result;
  result.inputs = inputs_from_json(document.at("inputs"));
  for (const json& item : document.at("candidates")) {
    candidate parsed_candidate;
    item.at("label").get_to(parsed_candidate.label);
    for (const json& pair : item.at("parameters"))
      parsed_candidate.parameters.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    result.candidates.push_back(std::move(parsed_candidate));
  }
  result.provenance = provenance_from_json(document.at("provenance"));
  result.starts = numbers_in<float>(document, "starts");
  document.at("squared").get_to(result.squared);
  document.at("importance").get_to(result.importance);
  if (document.contains("trees")) result.trees = trees_from_json(document.at("trees"));
  if (document.contains("kernel")) result.kernel = kernel_from_json(document.at("kernel"));
  if (document.contains("times")) result.times = times_from_json(document.at("times"));
  check_model(result);
  return result;
}

}  // namespace

void check_model(const model& model) {
  if (model.candidates.empty()) throw input_error("selector model: no candidates");
  if (model.candidates.size() > runtime::most_candidates)
    throw input_error(fmt::format("selector model: {} candidates, expected at most {}", model.candidates.size(),
                                  runtime::most_candidates));
  check_inputs(model.inputs);
  if (model.starts.size() != model.candidates.size() ||
      !std::all_of(model.starts.begin(), model.starts.end(), [](float start) { return std::isfinite(start); }))
    throw input_error("selector model: its starts are not one finite number per candidate");
  if (model.importance.size() != model.inputs.size())
    throw input_error("selector model: its importances are not one number per input");
  if (!model.trees && !model.kernel)
    throw input_error("selector model: neither trees nor a kernel, expected at least one of them");
  if (model.trees) check_trees(*model.trees, model.inputs.size(), model.candidates.size());
  if (model.kernel) check_kernel(*model.kernel, model.inputs.size(), model.candidates.size());
  if (!model.times) return;
  check_times(*model.times);
  for (const std::string& name : model.times->features) {
    if (!model.inputs.place_of(name))
      throw input_error(
          fmt::format("selector model: its expected times need the feature '{}', which its choice does not use", name));
  }
}

std::string provenance_json(const model_provenance& provenance) { return text_of(provenance_to_json(provenance)); }

std::string model_to_text(const model& model) {
  json candidates = json::array();
  for (const candidate& candidate : model.candidates) {
    json parameters = json::array();
    for (const auto& [name, value] : candidate.parameters) parameters.push_back({name, value});
    candidates.push_back({{"label", candidate.label}, {"parameters", parameters}});
  }
  // One line per section: with one line per tree, trees would dominate the file.
  std::string text = fmt::format("{{\n\"format\": \"{}\",\n\"version\": {},\n", format_name, model_format_version);
  text += "\"provenance\": " + provenance_json(model.provenance) + ",\n";
  text += "\"inputs\": " + text_of(inputs_to_json(model.inputs)) + ",\n";
  text += fmt::format("\"squared\": {},\n", model.squared);
  text += "\"importance\": " + text_of(model.importance) + ",\n";
  text += "\"candidates\": [\n";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    text += text_of(candidates[i]) + (i + 1 < candidates.size() ? ",\n" : "\n");
  text += "],\n\"starts\": " + text_of(pack(model.starts));
  if (model.trees) text += ",\n\"trees\": " + text_of(trees_to_json(*model.trees));
  if (model.kernel) text += ",\n\"kernel\": " + text_of(kernel_to_json(*model.kernel));
  if (model.times) text += ",\n\"times\": " + text_of(times_to_json(*model.times));
  return text + "\n}\n";
}

model model_from_text(std::string_view text, const std::string& name) {
  try {
    return read_document(json::parse(text));
  } catch (const json::parse_error& error) {
    throw input_error(fmt::format("{}: not a complete JSON document: {}", name, json_reason(error)));
  } catch (const json::exception& error) {
    throw input_error(fmt::format("{}: not a selector model: {}", name, json_reason(error)));
  } catch (const input_error& error) {
    throw input_error(fmt::format("{}: {}", name, error.what()));
  }
}

void save_model(const model& model, const std::filesystem::path& file) {
  write_file_atomically(file, model_to_text(model));
}

model load_model(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return model_from_text(model_part(text, file.string()), file.string());
}

}  // namespace mlmq::selector
