// SPDX-License-Identifier: Apache-2.0
#include "selector/time_model_json.hpp"

#include "selector/encoding.hpp"

namespace mlmq::selector {
namespace {

using json = nlohmann::ordered_json;

/// As doubles, which have the shortest digits that lead back to the same float.
json numbers(const std::vector<float>& values) {
  json result = json::array();
  for (const float value : values) result.push_back(double{value});
  return result;
}

std::vector<float> floats(const json& array) {
  std::vector<float> result;
  for (const json& item : array) result.push_back(to_float32(item.get<double>()));
  return result;
}

json fit_to_json(const time_fit& fit) {
  json axes = json::array();
  for (const runtime::time_axis& one : fit.axes)
    axes.push_back({{"feature", one.value},
                    {"centre", double{one.centre}},
                    {"scale", double{one.scale}},
                    {"low", double{one.low}},
                    {"high", double{one.high}}});
  return {{"axes", axes},
          {"landmarks", numbers(fit.landmarks)},
          {"weights", numbers(fit.weights)},
          {"least", numbers(fit.least)},
          {"most", numbers(fit.most)},
          {"least_items", numbers(fit.least_items)}};
}

time_fit fit_from_json(const json& object) {
  time_fit fit;
  const auto number = [](const json& axis, const char* name) { return to_float32(axis.at(name).get<double>()); };
  for (const json& axis : object.at("axes"))
    fit.axes.push_back({axis.at("feature").get<std::size_t>(), number(axis, "centre"), number(axis, "scale"),
                        number(axis, "low"), number(axis, "high")});
  fit.landmarks = floats(object.at("landmarks"));
  fit.weights = floats(object.at("weights"));
  fit.least = floats(object.at("least"));
  fit.most = floats(object.at("most"));
  fit.least_items = floats(object.at("least_items"));
  return fit;
}

}  // namespace

json times_to_json(const time_model& times) {
  json searchers = json::array();
  for (const time_model::searcher& one : times.searchers) {
    json calibrations = json::array();
    for (const calibration& known : one.calibrations)
      calibrations.push_back({{"workload", known.workload}, {"query", known.query}, {"ms", known.milliseconds}});
    searchers.push_back({{"label", one.label}, {"calibrations", calibrations}});
  }
  return {{"problem", times.problem},
          {"features", times.features},
          {"by_size", fit_to_json(times.by_size)},
          {"by_features", fit_to_json(times.by_features)},
          {"processors", times.processors},
          {"processor_threads", times.processor_threads},
          {"searchers", searchers}};
}

time_model times_from_json(const json& object) {
  time_model times;
  object.at("problem").get_to(times.problem);
  object.at("features").get_to(times.features);
  times.by_size = fit_from_json(object.at("by_size"));
  times.by_features = fit_from_json(object.at("by_features"));
  object.at("processors").get_to(times.processors);
  times.processor_threads = object.at("processor_threads").get<unsigned>();
  for (const json& item : object.at("searchers")) {
    time_model::searcher one;
    item.at("label").get_to(one.label);
    for (const json& known : item.at("calibrations"))
      one.calibrations.push_back({.workload = known.at("workload").get<std::string>(),
                                  .query = known.at("query").get<std::string>(),
                                  .milliseconds = known.at("ms").get<double>()});
    times.searchers.push_back(std::move(one));
  }
  return times;
}

}  // namespace mlmq::selector
