// SPDX-License-Identifier: Apache-2.0
// Writes nvbench's JSON format, like its json_printer, for its scripts (nvbench_compare).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "base/version.hpp"
#include "db/exchange_formats.hpp"

namespace mlmq::db {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const char* axis_type(const parameter_column& column) {
  if (column.domain.front().is_string()) return "string";
  return column.domain.front().is_number_integer() ? "int64" : "float64";
}

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? value.dump() : shortest_decimal(value.get<double>());
}

ordered_json axis_of(const parameter_column& column) {
  ordered_json values = ordered_json::array();
  for (const json& value : column.domain) {
    values.push_back({{"input_string", text_of(value)}, {"description", ""}, {"value", value}});
  }
  return {{"name", column.name}, {"type", axis_type(column)}, {"flags", ""}, {"values", values}};
}

ordered_json summary(const char* tag, const char* name, const char* hint, const char* type, const std::string& value) {
  ordered_json result{{"tag", tag}, {"name", name}};
  if (*hint != '\0') result["hint"] = hint;
  result["data"] = ordered_json::array({{{"name", "value"}, {"type", type}, {"value", value}}});
  return result;
}

/// Samples are in milliseconds, nvbench's times in seconds. A compact record has only the median.
ordered_json summaries(const tuned_configuration& tuned) {
  ordered_json list = ordered_json::array();
  const auto count = static_cast<double>(tuned.samples_ms.size());
  if (count > 0) {
    const double mean = std::accumulate(tuned.samples_ms.begin(), tuned.samples_ms.end(), 0.0) / count;
    list.push_back(summary("nv/cold/sample_size", "Samples", "sample_size", "int64", fmt::format("{}", count)));
    list.push_back(summary("nv/cold/time/gpu/mean", "GPU Time", "duration", "float64", shortest_decimal(mean / 1e3)));
    double squares = 0;
    for (const double sample : tuned.samples_ms) squares += (sample - mean) * (sample - mean);
    // One sample has no deviation; nvbench writes infinity in this case.
    const double deviation = count > 1 ? std::sqrt(squares / (count - 1)) / mean : INFINITY;
    list.push_back(summary("nv/cold/time/gpu/stdev/relative", "Noise", "percentage", "float64",
                           std::isfinite(deviation) ? shortest_decimal(deviation) : "inf"));
  }
  if (tuned.median_ms) {
    list.push_back(
        summary("nv/cold/time/gpu/median", "Median", "duration", "float64", shortest_decimal(*tuned.median_ms / 1e3)));
  }
  for (const auto& [name, value] : tuned.counters) {
    const std::string tag = fmt::format("mlmq/counter/{}", name);
    list.push_back(summary(tag.c_str(), name.c_str(), "", "float64", shortest_decimal(value)));
  }
  for (const auto& [name, value] : tuned.metrics) {
    const std::string tag = fmt::format("mlmq/metric/{}", name);
    list.push_back(summary(tag.c_str(), name.c_str(), "", "float64", shortest_decimal(value)));
  }
  return list;
}

ordered_json state_of(const parameter_table& parameters, std::size_t configuration, const tuned_configuration& tuned,
                      std::size_t device) {
  ordered_json values = ordered_json::array();
  std::string name = fmt::format("Device={}", device);
  const auto add = [&](const std::string& axis, const char* type, const std::string& value) {
    values.push_back({{"name", axis}, {"type", type}, {"value", value}});
    name += fmt::format(" {}={}", axis, value);
  };
  for (const parameter_column& column : parameters.searched) {
    add(column.name, axis_type(column), text_of(column.values[configuration]));
  }
  ordered_json state{{"name", name}, {"device", device}, {"type_config_index", 0}, {"axis_values", values}};
  state["summaries"] = summaries(tuned);
  state["is_skipped"] = tuned.result != outcome::ok;
  if (tuned.result != outcome::ok) {
    state["skip_reason"] = fmt::format("{}: {}", to_string(tuned.result), tuned.message);
  }
  return state;
}

std::string begin_of_file() {
  const ordered_json meta{{"argv", ordered_json::array()},
                          {"version",
                           {{"json", {{"major", 1}, {"minor", 0}, {"patch", 0}, {"string", "1.0.0"}}},
                            {"mlmq", {{"string", program_version()}}}}}};
  return fmt::format("{{\"meta\": {},\n\"benchmarks\": [\n", meta.dump());
}

}  // namespace

void nvbench_writer::add(tuning_record&& record) {
  const auto [device, is_new] = device_numbers_.try_emplace(record.device_id, device_numbers_.size());
  if (is_new) {
    devices_.push_back({{"id", device->second}, {"name", record.device}, {"description", record.device_description}});
  }
  const auto benchmark_of = [](const tuning_record& entry) {
    return std::tie(entry.problem, entry.workload_hash, entry.query);
  };
  const std::size_t count = record.configurations.size();
  if (!next_.configurations.empty() && benchmark_of(record) == benchmark_of(next_)) {
    std::ranges::move(record.configurations, std::back_inserter(next_.configurations));
  } else {
    write_benchmark();
    next_ = std::move(record);
  }
  configuration_device_.insert(configuration_device_.end(), count, device->second);
}

void nvbench_writer::write_benchmark() {
  if (next_.configurations.empty()) return;
  const parameter_table parameters = tabulate_parameters(next_.configurations);
  ordered_json head{{"name", fmt::format("{} {}:{}", next_.problem, next_.workload, next_.query)},
                    {"index", benchmarks_}};
  head["devices"] = std::set(configuration_device_.begin(), configuration_device_.end());
  head["axes"] = ordered_json::array();
  for (const parameter_column& column : parameters.searched) head["axes"].push_back(axis_of(column));
  head["constant_parameters"] = parameters.constants;
  std::string text = benchmarks_++ == 0 ? begin_of_file() : ",\n";
  text += head.dump();
  text.back() = ',';
  text += "\n\"states\": [";
  for (std::size_t i = 0; i < next_.configurations.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += state_of(parameters, i, next_.configurations[i], configuration_device_[i]).dump();
  }
  write_(text + "]}");
  next_ = {};
  configuration_device_.clear();
}

void nvbench_writer::finish() {
  write_benchmark();
  write_(fmt::format("],\n\"devices\": {}}}\n", devices_.dump()));
}

}  // namespace mlmq::db
