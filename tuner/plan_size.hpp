// SPDX-License-Identifier: Apache-2.0
// Estimates the size of a sweep without listing configurations or reading workloads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"
#include "tuner/shard.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

/// Default limit of trials. This number of trials takes hours on a fast GPU and some hundred megabytes of database.
inline constexpr std::uint64_t default_most_trials = 1'000'000;

/// Size of a plan. Counts saturate at the largest number. A learning strategy is limited by its budget; if this is not
/// a number of evaluations, configurations and trials are 0.
struct plan_size {
  std::uint64_t configurations = 0;  ///< for a learning strategy, or with restrictions over sizes: most per workload
  bool depends_on_workload = false;  ///< whether restrictions over sizes make the spaces of workloads different
  bool exact = true;                 ///< false: `configurations` is an upper bound
  std::uint64_t left_out = 0;    ///< configurations of the product that break limits; 0 if there are too many to count
  std::uint64_t queries = 0;     ///< upper bound over all workloads
  std::uint64_t trials = 0;      ///< timed trials on one kind of device; approximate for a shard of trials
  std::uint64_t all_trials = 0;  ///< timed trials and those with counters or timelines

  std::string space = {};  ///< number of configurations of the space, for users; empty: `configurations`

  /// Returns "1000 configurations", "up to 1000 configurations" or "more than 2^63 configurations".
  [[nodiscard]] std::string configurations_text() const;
};

/// Returns a number that saturates for users.
[[nodiscard]] std::string count_text(std::uint64_t number);

/// Returns the space of one workload, or nothing if no configuration satisfies the restrictions over its sizes.
[[nodiscard]] std::optional<search_space> space_of(const experiment_file& experiment, const problem& problem,
                                                   const workload_input& input);

/// @param space of all workloads
/// @param inputs workloads of the shard
/// @throws no_configuration if no configuration satisfies the restrictions for any workload
[[nodiscard]] plan_size size_of_plan(const experiment_file& experiment, const search_space& space,
                                     const problem& problem, std::span<const workload_input> inputs, const shard& part);

/// @throws input_error with the size and advice if there are more than `most` configurations or trials
void require_at_most(std::uint64_t most, const plan_size& size, const experiment_file& experiment);

}  // namespace mlmq::tuner
