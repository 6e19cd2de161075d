// SPDX-License-Identifier: Apache-2.0
// Exports results in the formats of other tools.
#pragma once

#include <cstddef>
#include <functional>
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

/// Returns the format with this name: "csv", "kernel-tuner-cache", "t4" or "nvbench". @throws input_error for any other
/// name
[[nodiscard]] export_format export_format_from(std::string_view name);

struct exported_file {
  std::string name;  ///< without a folder, safe on every file system
  std::string content;
  std::size_t trials = 0;
  std::size_t without_samples = 0;  ///< number of these trials whose samples `mlmq db compact` has dropped
};

struct export_result {
  std::vector<exported_file> files;
  /// Workload, query and device of inputs without a file, because no configuration has a time (Kernel Tuner's cache
  /// only).
  std::vector<std::string> without_result;
};

/// Exports the finished trials that pass the filter. csv and nvbench produce one file. The other formats describe one
/// kernel on one input and one device, so there is one file per problem, workload, query and device, with the newest
/// time measurement of each configuration, including failures (db/parameter_table.hpp describes the encoding of
/// parameters). If Kernel Tuner has to search configurations by number, an additional csv file explains the numbers.
/// Samples that a compact record has dropped are left empty, and their number is in "samples_dropped": a column of csv,
/// an entry's field, a measurement of T4.
/// @throws input_error if nothing is selected, or nothing can be written in the format
[[nodiscard]] export_result export_results(const store& source, const trial_filter& filter, export_format format);

struct csv_counts {
  std::size_t trials = 0;
  std::size_t without_samples = 0;  ///< as in exported_file
};

inline constexpr const char* csv_file_name = "results.csv";

/// Writes the file of export_format::csv in pieces: it may be larger than the memory.
/// @throws input_error if nothing is selected; then nothing is written
csv_counts export_csv(const store& source, const trial_filter& filter,
                      const std::function<void(std::string_view)>& write);

/// Returns the content of the only file of export_results().
/// @throws input_error if there is no file, or more than one (naming some)
[[nodiscard]] std::string export_single(const store& source, const trial_filter& filter, export_format format);

}  // namespace mlmq::db
