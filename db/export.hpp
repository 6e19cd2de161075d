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

/// A file to write: of launch code, for example.
struct exported_file {
  std::string name;  ///< without a folder, safe on every file system
  std::string content;
};

/// Receives an export in pieces, since it may be larger than the memory. Consecutive pieces with one name make one
/// file.
using export_writer = std::function<void(const std::string& file, std::string_view piece)>;

struct export_summary {
  std::size_t trials = 0;
  std::size_t without_samples = 0;  ///< number of these trials whose samples `mlmq db compact` has dropped
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
/// @throws input_error if nothing is selected, or nothing can be written in the format; then nothing is written
export_summary export_results(const store& source, const trial_filter& filter, export_format format,
                              const export_writer& write);

}  // namespace mlmq::db
