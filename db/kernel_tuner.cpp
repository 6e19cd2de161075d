// SPDX-License-Identifier: Apache-2.0
// Writes Kernel Tuner's cache file for its readers: kernel_tuner/util.py (process_cache, read_cache,
// infer_args_from_cache), runners/simulation.py and the dashboard.
#include <fmt/format.h>

#include "db/exchange_formats.hpp"

namespace mlmq::db {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json left_out(const parameter_table& parameters) {
  ordered_json names = ordered_json::array();
  for (const parameter_column& column : parameters.implied) names.push_back(column.name);
  return names;
}

ordered_json stand_ins(const parameter_table& parameters) {
  ordered_json values = ordered_json::object();
  for (const auto* columns : {&parameters.searched, &parameters.implied}) {
    for (const parameter_column& column : *columns) {
      if (column.sometimes_inactive) values[column.name] = column.inactive;
    }
  }
  return values;
}

/// Adds the measurements under Kernel Tuner's names. Times must be floating-point numbers.
void add_measurement(ordered_json& entry, const tuned_configuration& tuned) {
  if (tuned.result == outcome::ok) {
    entry["time"] = *tuned.median_ms;
  } else {
    // Old versions look for the error in the objective, new ones in __error__.
    entry["time"] = kernel_tuner_error(tuned.result);
    entry["__error__"] = kernel_tuner_error(tuned.result);
  }
  entry["times"] = tuned.samples_ms;
  entry["compile_time"] = tuned.compile_ms;
  entry["verification_time"] = tuned.check_ms;
  entry["benchmark_time"] = tuned.measure_ms;
  entry["strategy_time"] = 0.0;
  entry["framework_time"] = tuned.upload_ms;
  entry["timestamp"] = tuned.finished_at;
  if (tuned.spread) entry["spread"] = *tuned.spread;
  if (tuned.samples_dropped > 0) entry["samples_dropped"] = tuned.samples_dropped;
  if (tuned.result != outcome::ok) {
    entry["outcome"] = to_string(tuned.result);
    entry["message"] = tuned.message;
  }
  for (const auto& [name, value] : tuned.counters) {
    entry[entry.contains(name) ? "counter_" + name : name] = value;
  }
  for (const auto& [name, value] : tuned.metrics) {
    entry[entry.contains(name) ? "metric_" + name : name] = value;
  }
}

}  // namespace

const char* kernel_tuner_error(outcome result) {
  switch (result) {
    case outcome::compile_error:
      return "CompilationFailedConfig";
    case outcome::constraint:
      return "InvalidConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

bool searched_by_number(const tuning_record& record, const parameter_table& parameters) {
  if (parameters.searched.empty() || parameters.combinations(most_combinations + 1) > most_combinations ||
      parameters.has_equal_keys()) {
    return true;
  }
  std::vector<std::size_t> valid;
  for (std::size_t i = 0; i < record.configurations.size(); ++i) {
    if (record.configurations[i].result == outcome::ok) valid.push_back(i);
  }
  return !parameters.connects(valid);
}

std::string kernel_tuner_cache(const tuning_record& record, const parameter_table& parameters) {
  const bool by_number = searched_by_number(record, parameters);
  const std::vector<std::string> numbers = configuration_numbers(record.configurations.size());
  ordered_json names = ordered_json::array();
  ordered_json values = ordered_json::object();
  if (by_number) {
    names.push_back("configuration");
    values["configuration"] = numbers;
  } else {
    for (const parameter_column& column : parameters.searched) {
      names.push_back(column.name);
      values[column.name] = column.domain;
    }
  }
  ordered_json head;
  head["schema_version"] = "1.1.0";
  head["device_name"] = record.device;
  head["kernel_name"] = record.problem;
  head["problem_size"] = record.workload_bytes;
  head["tune_params_keys"] = std::move(names);
  head["tune_params"] = std::move(values);
  head["objective"] = record.objectives.front().name;
  if (record.objectives.front().is_maximized) head["objective_higher_is_better"] = true;
  // Readers ignore the following fields, which are for information only.
  head["workload"] = record.workload;
  head["query"] = record.query;
  head["constant_parameters"] = parameters.constants;
  head["implied_parameters"] = left_out(parameters);
  head["inactive_values"] = stand_ins(parameters);
  std::string output = head.dump();
  output.back() = ',';
  output += "\n\"cache\": {";
  for (std::size_t i = 0; i < record.configurations.size(); ++i) {
    const tuned_configuration& tuned = record.configurations[i];
    ordered_json entry;
    if (by_number) entry["configuration"] = numbers[i];
    for (const auto* columns : {&parameters.searched, &parameters.implied}) {
      for (const parameter_column& column : *columns) entry[column.name] = column.values[i];
    }
    add_measurement(entry, tuned);
    output += fmt::format("{}\n{}: {}", i == 0 ? "" : ",", json(by_number ? numbers[i] : parameters.key(i)).dump(),
                          entry.dump());
  }
  // Kernel Tuner treats a file as complete only if it ends exactly like this.
  return output + "}\n}";
}

table configuration_table(const tuning_record& record, const parameter_table& parameters) {
  const std::vector<std::string> numbers = configuration_numbers(record.configurations.size());
  table result;
  result.columns = {"configuration", "label"};
  for (const auto* columns : {&parameters.searched, &parameters.implied}) {
    for (const parameter_column& column : *columns) result.columns.push_back(column.name);
  }
  for (std::size_t i = 0; i < record.configurations.size(); ++i) {
    std::vector<cell> row{text_cell(numbers[i]), text_cell(record.configurations[i].label)};
    for (const auto* columns : {&parameters.searched, &parameters.implied}) {
      for (const parameter_column& column : *columns) {
        const json& value = column.values[i];
        const bool inactive = column.sometimes_inactive && value == column.inactive;
        if (inactive) {
          row.emplace_back();
        } else if (value.is_string()) {
          row.push_back(text_cell(value.get<std::string>()));
        } else if (value.is_number_integer()) {
          row.push_back({cell_kind::integer, value.dump()});
        } else {
          row.push_back(number_cell(value.get<double>()));
        }
      }
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace mlmq::db
