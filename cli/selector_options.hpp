// SPDX-License-Identifier: Apache-2.0
// Options that several of the commands 'mlmq selector …' have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/code_option.hpp"
#include "selector/method.hpp"
#include "selector/train.hpp"
#include "selector/training_data.hpp"

namespace mlmq::cli {

/// What is trained unless said otherwise; docs/notebook/selector.md says how good it is.
constexpr selector::method standard_method = selector::method::boosted;

/// Which trials to learn from, and what is known of their workloads.
struct source_options {
  std::vector<std::string> databases = {"results.sqlite"};
  std::string problem;  ///< empty: the only one on record
  std::string device;
  std::optional<std::string> processors;  ///< absent: of no interest to the command
  std::string groups = "family";
  bool each_query = false;            ///< instead of a workload's mean over its queries
  std::vector<std::string> features;  ///< empty: all
  code_option code;

  void add_to(CLI::App& command);
  void add_processors_to(CLI::App& command);
  void add_groups_to(CLI::App& command);
  void add_queries_to(CLI::App& command);
  void add_features_to(CLI::App& command);

  /// @throws input_error as load_training_data(), and for features that are not on record
  [[nodiscard]] selector::training_data load() const;

  /// What is to be learned and judged of what was loaded: workloads by their means over queries, or each query by itself.
  [[nodiscard]] selector::training_set instances(const selector::training_data& data) const;
};

/// Which of the recorded configurations a selector chooses from.
struct candidate_options {
  double tolerance = 0.03;
  std::size_t most = 24;  // more are chosen from hardly better, and take longer: docs/notebook/selector.md

  void add_to(CLI::App& command);
};

/// How to learn. What is not given is the method's own.
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

  /// One for each method that is named, or else for each of `standard`.
  /// @throws input_error for a method that there is not, and for an option that none of the methods has
  [[nodiscard]] std::vector<selector::learning> learnings(const std::vector<selector::method>& standard) const;
  /// Of one model, by standard_method unless another is named. @throws input_error also when several are
  [[nodiscard]] selector::learning only_learning() const;

 private:
  void require_takers(const std::vector<selector::learning>& learnings) const;
  [[nodiscard]] selector::learning adjusted(selector::method how) const;
};

}  // namespace mlmq::cli
