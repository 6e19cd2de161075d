// SPDX-License-Identifier: Apache-2.0
// Results in the formats of other tools.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

enum class export_format {
  csv,                 ///< every finished trial, one column per parameter and counter
  kernel_tuner_cache,  ///< Kernel Tuner's cache file, cache schema 1.1.0
  t4,                  ///< results of the auto-tuning community's T4 format, schema 1.0.0
  nvbench,             ///< nvbench's JSON format, version 1.0.0
};

/// "csv", "kernel-tuner-cache", "t4" or "nvbench". @throws input_error on anything else.
[[nodiscard]] export_format export_format_from(std::string_view name);

struct exported_file {
  std::string name;  ///< without a folder, safe on every file system
  std::string content;
  std::size_t trials = 0;
  std::size_t without_samples = 0;  ///< trials of these whose samples `mlmq db compact` has dropped
};

struct export_result {
  std::vector<exported_file> files;
  /// Workload, query and device of what has no file because no configuration has a time (Kernel Tuner's cache only).
  std::vector<std::string> without_result;
};

/// The finished trials that pass the filter. csv and nvbench are one file. The other formats know one kernel on one
/// input and one device, so there is one file per problem, workload, query and device, with the newest time measurement
/// of each configuration, failures included (db/parameter_table.hpp says how parameters are written). Where Kernel Tuner
/// is to search configurations by number, a csv file beside says what the numbers mean. Samples that a compact record has
/// dropped are left empty, and how many they were is in "samples_dropped": a column of csv, an entry's field, a
/// measurement of T4.
/// @throws input_error when nothing is selected, or nothing of it can be written in the format.
[[nodiscard]] export_result export_results(const store& from, const trial_filter& filter, export_format format);

/// The content of the only file of export_results.
/// @throws input_error when there is none, or more than one (naming some).
[[nodiscard]] std::string export_single(const store& from, const trial_filter& filter, export_format format);

}  // namespace mlmq::db
