// SPDX-License-Identifier: Apache-2.0
// Writes T4, the results format of the auto-tuning community, like Kernel Tuner's file_utils.py.
#include "db/exchange_formats.hpp"

namespace mlmq::db {
namespace {

using nlohmann::ordered_json;

const char* invalidity(outcome result) {
  switch (result) {
    case outcome::ok:
      return "correct";
    case outcome::compile_error:
      return "compile";
    case outcome::timeout:
      return "timeout";
    case outcome::wrong_answer:
      return "correctness";
    case outcome::constraint:
      return "constraints";
    case outcome::launch_error:
    case outcome::overflow:
    case outcome::crashed:
      return "runtime";
  }
  return "runtime";
}

ordered_json measurements(const tuned_configuration& tuned, const std::vector<objective>& objectives) {
  ordered_json list = ordered_json::array();
  const auto add = [&](const std::string& name, const ordered_json& value, const char* unit) {
    list.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  };
  if (tuned.median_ms) {
    add("time", *tuned.median_ms, "ms");
  } else {
    add("time", kernel_tuner_error(tuned.result), "ms");
  }
  if (tuned.spread) add("spread", *tuned.spread, "");
  if (tuned.samples_dropped > 0) add("samples_dropped", tuned.samples_dropped, "");
  for (const auto& [name, value] : tuned.counters) add(name, value, "");
  for (const auto& [name, value] : tuned.metrics) add(name, value, "");
  for (const objective& criterion : objectives) {
    if (!criterion.is_time() && !tuned.median_ms) add(criterion.name, kernel_tuner_error(tuned.result), "");
  }
  if (!tuned.message.empty()) add("message", tuned.message, "");
  return list;
}

}  // namespace

std::string t4_results(const tuning_record& record, const parameter_table& parameters) {
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < record.configurations.size(); ++i) {
    const tuned_configuration& tuned = record.configurations[i];
    ordered_json entry;
    entry["timestamp"] = tuned.finished_at;
    entry["configuration"] = ordered_json::object();
    for (const parameter_column& column : parameters.searched) {
      entry["configuration"][column.name] = column.values[i];
    }
    // A record of one configuration has no varying parameter.
    if (parameters.searched.empty()) entry["configuration"]["configuration"] = "c1";
    entry["objectives"] = ordered_json::array();
    for (const objective& criterion : record.objectives) {
      const bool has_value = criterion.is_time() || !tuned.median_ms || tuned.metrics.contains(criterion.name);
      if (has_value) entry["objectives"].push_back(criterion.name);
    }
    // The schema's text says compilation_time, but its writers and readers use compilation.
    entry["times"] = {{"compilation", tuned.compile_ms}, {"benchmark", tuned.measure_ms},
                      {"framework", tuned.upload_ms},    {"search_algorithm", 0.0},
                      {"validation", tuned.check_ms},    {"runtimes", tuned.samples_ms}};
    entry["invalidity"] = invalidity(tuned.result);
    entry["correctness"] = tuned.result == outcome::ok ? 1 : 0;
    entry["measurements"] = measurements(tuned, record.objectives);
    results.push_back(std::move(entry));
  }
  ordered_json implied = ordered_json::array();
  for (const parameter_column& column : parameters.implied) implied.push_back(column.name);
  ordered_json output;
  output["schema_version"] = "1.0.0";
  output["metadata"] = {{"timeunit", "milliseconds"},
                        {"device_name", record.device},
                        {"device", record.device_description},
                        {"kernel_name", record.problem},
                        {"problem_size", record.workload_bytes},
                        {"workload", record.workload},
                        {"query", record.query},
                        {"constant_parameters", parameters.constants},
                        {"implied_parameters", implied}};
  output["results"] = std::move(results);
  return output.dump(1) + "\n";
}

}  // namespace mlmq::db
