// SPDX-License-Identifier: Apache-2.0
// Tuning records in the formats of other tools. Only for db/export.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "db/format.hpp"
#include "db/parameter_table.hpp"
#include "db/tuning_record.hpp"

namespace mlmq::db {

/// Above this number of combinations of values, Kernel Tuner takes long to build a search space.
inline constexpr std::size_t most_combinations = 1'000'000;

/// Returns whether Kernel Tuner has to search the configurations by number, as values of one parameter "configuration".
/// This is the case if its search space would be too large, or if steps that change one parameter do not connect all
/// working configurations (its local searches may then never end).
[[nodiscard]] bool searched_by_number(const tuning_record& record, const parameter_table& table);

/// Formats Kernel Tuner's cache file, with one entry per line. The record must have a result: readers fail on files
/// without one.
[[nodiscard]] std::string kernel_tuner_cache(const tuning_record& record, const parameter_table& table);

/// Table of the configuration numbers in such a file: number, label and parameters, empty where inactive.
[[nodiscard]] table configuration_table(const tuning_record& record, const parameter_table& table);

/// Formats results as T4, schema 1.0.0.
[[nodiscard]] std::string t4_results(const tuning_record& record, const parameter_table& table);

/// Writes records as one file of nvbench's JSON format, version 1.0.0, with times in seconds: one benchmark per
/// problem, workload and query, one axis per parameter, one state per configuration and device.
class nvbench_writer {
 public:
  explicit nvbench_writer(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  /// Records of one problem, workload and query must follow each other.
  void add(tuning_record&& record);
  /// Writes the end of the file.
  void finish();

 private:
  void write_benchmark();

  std::function<void(std::string_view)> write_;
  std::map<std::int64_t, std::size_t> device_numbers_;
  nlohmann::ordered_json devices_ = nlohmann::ordered_json::array();
  std::size_t benchmarks_ = 0;
  tuning_record next_;  ///< the benchmark that is next, with the configurations of all devices
  std::vector<std::size_t> configuration_device_;  ///< number of the device, by configuration of next_
};

/// Returns Kernel Tuner's name of a failure; it has only three.
[[nodiscard]] const char* kernel_tuner_error(outcome result);

}  // namespace mlmq::db
