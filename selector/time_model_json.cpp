// SPDX-License-Identifier: Apache-2.0
#include "selector/time_model_json.hpp"

#include "selector/encoding.hpp"
#include "selector/packed_numbers.hpp"

namespace mlmq::selector {
namespace {

using json = nlohmann::ordered_json;

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
          {"least", pack(fit.least)},
          {"most", pack(fit.most)},
          {"least_items", pack(fit.least_items)}};
}

time_fit fit_from_json(const json& object) {
  time_fit fit;
  const auto number = [](const json& axis, const char* name) { return to_float32(axis.at(name).get<double>()); };
  for (const json& axis : object.at("axes"))
    fit.axes.push_back({axis.at("feature").get<std::size_t>(), number(axis, "centre"), number(axis, "scale"),
                        number(axis, "low"), number(axis, "high")});
  const auto floats = [&](const char* name) { return unpack<float>(object.at(name).get_ref<const std::string&>()); };
  fit.landmarks = floats("landmarks");
  fit.weights = floats("weights");
  fit.least = floats("least");
  fit.most = floats("most");
  fit.least_items = floats("least_items");
  return fit;
}

}  // namespace

json times_to_json(const time_model& times) {
  json searchers = json::array();
  for (const time_model::searcher& searcher : times.searchers) {
    json calibrations = json::array();
    for (const calibration& run : searcher.calibrations)
      calibrations.push_back({{"workload", run.workload}, {"query", run.query}, {"ms", run.milliseconds}});
    searchers.push_back({{"label", searcher.label}, {"calibrations", calibrations}});
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
    time_model::searcher searcher;
    item.at("label").get_to(searcher.label);
    for (const json& run : item.at("calibrations"))
      searcher.calibrations.push_back({.workload = run.at("workload").get<std::string>(),
                                       .query = run.at("query").get<std::string>(),
                                       .milliseconds = run.at("ms").get<double>()});
    times.searchers.push_back(std::move(searcher));
  }
  return times;
}

}  // namespace mlmq::selector
