// SPDX-License-Identifier: Apache-2.0
// Reads files of other auto-tuners: Kernel Tuner's cache, results in the T4 format, and the search space of a T1 input.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "tuner/configuration.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::tuner {

/// Result of one configuration. Durations are in milliseconds.
struct foreign_result {
  db::outcome outcome = db::outcome::ok;
  std::string message;                 ///< the tuner's name of the failure; empty if ok
  std::optional<double> milliseconds;  ///< the objective `time`; absent if the configuration failed
  std::vector<double> samples_ms;
  double compile_ms = 0;
  double check_ms = 0;
  double measure_ms = 0;
  double other_ms = 0;  ///< spent by the tuner and its strategy
  std::string timestamp;
};

/// Results of one kernel on one input and one device.
struct results_file {
  std::filesystem::path file;
  std::string format;                   ///< "Kernel Tuner cache" or "T4"
  std::string device;                   ///< as the tuner names it; the file's name if the file does not say
  std::string kernel;                   ///< likewise
  std::string problem;                  ///< problem size ("4096x4096") or workload; empty if the file does not say
  std::vector<std::string> parameters;  ///< in the order of the file
  std::map<configuration, foreign_result> results;
};

/// Returns whether the file is JSON, plain or gzip, rather than a database. @throws input_error if it cannot be read
[[nodiscard]] bool is_results_file(const std::filesystem::path& file);

/// Reads a Kernel Tuner cache (also of an interrupted run) or a T4 file; both may be compressed with gzip. Failed
/// configurations are kept. Of repeated configurations the last result counts.
/// @throws input_error "FILE: …" for a file that is neither, is truncated, or has an invalid or missing field
[[nodiscard]] results_file read_results_file(const std::filesystem::path& file);

/// The search space of a T1 input.
struct t1_input {
  std::filesystem::path file;
  std::string kernel;   ///< KernelName; empty if the file does not say
  std::string problem;  ///< ProblemSize; likewise
  space_definition space;
};

/// Reads ConfigurationSpace and the names of a T1 input. The parts that describe launches are ignored.
/// @throws input_error "FILE: …" like read_results_file()
[[nodiscard]] t1_input read_t1_input(const std::filesystem::path& file);

/// Converts the values of `results` to the types of `space`.
/// @throws input_error "FILE: …" for a parameter that only one of them has, and for a value that is not of its type
void convert_to_types(results_file& results, const t1_input& input);

}  // namespace mlmq::tuner
