// SPDX-License-Identifier: Apache-2.0
// Common options of the commands 'mlmq selector …'.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/record_options.hpp"
#include "selector/candidates.hpp"
#include "selector/method.hpp"
#include "selector/train.hpp"
#include "selector/training_data.hpp"

namespace mlmq::cli {

/// Trials to learn from, and features of their workloads.
struct source_options {
  std::vector<std::string> databases = {"results.sqlite"};
  std::string problem;  ///< empty: the only recorded one
  std::string device;
  std::string groups = "family";
  std::vector<std::string> features;  ///< empty: all
  code_option code;

  void add_to(CLI::App& command);
  void add_groups_to(CLI::App& command);
  void add_features_to(CLI::App& command);

  /// @throws input_error like load_training_data(), and for features that are not recorded
  [[nodiscard]] selector::training_data load() const;
};

/// Candidates of a selector among the recorded configurations.
struct candidate_options {
  double tolerance = selector::standard_tolerance;
  std::size_t most = selector::standard_candidates;

  void add_to(CLI::App& command);
};

/// Settings of learning; missing ones have the defaults of the method.
struct learning_options {
  std::vector<std::string> methods;
  std::optional<int> rounds;
  std::optional<int> depth;
  std::optional<double> eta;
  std::optional<double> subsample;
  std::optional<double> colsample;
  std::optional<double> lambda;
  std::optional<double> min_child_weight;
  std::optional<double> kernel_scale;
  std::optional<double> ridge;
  std::optional<std::uint32_t> seed;

  void add_to(CLI::App& command, const std::string& default_methods);

  /// Returns the settings of each named method, or else of each method in `standard`.
  /// @throws input_error for an unknown method, and for an option that none of the methods has
  [[nodiscard]] std::vector<selector::learning> learnings(const std::vector<selector::method>& standard) const;
  /// Returns the settings of the named method or of standard_method. @throws input_error also for several methods
  [[nodiscard]] selector::learning only_learning() const;

 private:
  void require_takers(const std::vector<selector::learning>& learnings) const;
  [[nodiscard]] selector::learning adjusted(selector::method method) const;
};

}  // namespace mlmq::cli
