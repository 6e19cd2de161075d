// SPDX-License-Identifier: Apache-2.0
// How much a sweep has to measure, found without listing a configuration or reading a workload.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"
#include "tuner/shard.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

/// So many trials take hours on a fast GPU, and a database of some hundred megabytes.
inline constexpr std::uint64_t default_most_trials = 1'000'000;

/// Numbers that would not fit are the largest that do. For a strategy that learns, the budget bounds them; without a
/// budget of evaluations, configurations and trials are 0.
struct plan_size {
  std::uint64_t configurations = 0;  ///< of a strategy that learns: on each workload
  bool exact = true;             ///< otherwise there are at most so many configurations
  std::uint64_t left_out = 0;    ///< configurations of the product that break limits; 0 if they are too many to count
  std::uint64_t queries = 0;     ///< of all workloads, at most
  std::uint64_t trials = 0;      ///< timed ones on one kind of device; of a part that divides trials about so many
  std::uint64_t all_trials = 0;  ///< with those that count work or record a timeline

  /// "1000 configurations", "up to 1000 configurations"
  [[nodiscard]] std::string configurations_text() const;
};

/// @param inputs of the part
[[nodiscard]] plan_size size_of_plan(const experiment_file& experiment, const search_space& space, const problem& of,
                                     std::span<const workload_input> inputs, const shard& part);

/// @throws input_error that says how much there is and what to do, when there are more than `most` configurations or
///   trials
void require_at_most(std::uint64_t most, const plan_size& size, const experiment_file& experiment);

}  // namespace mlmq::tuner
