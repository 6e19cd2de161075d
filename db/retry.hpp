// SPDX-License-Identifier: Apache-2.0
// Measures failed trials again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// A finished trial without a right answer, with its workload, device and configuration.
struct failed_trial {
  std::int64_t id = 0;
  std::int64_t workload = 0;
  std::int64_t device = 0;
  std::string query;
  outcome result = outcome::crashed;
  std::string workload_hash;
  std::string configuration_hash;
  std::string parameters_json;
  std::string kernel_source_hash;
};

/// Lists the finished trials of the experiment with one of these outcomes, in the order planned. `ok` is not a failure
/// and never matches.
[[nodiscard]] std::vector<failed_trial> failed_trials(const store& source, std::int64_t experiment,
                                                      std::span<const outcome> outcomes);

/// Makes these trials pending again and deletes their results: samples, counters, timeline, message, and the counts of
/// workers they have cost. The number of claims (`attempt`) is kept. Finals of the experiment on the same workload,
/// query and device become pending too, because they were chosen without these trials. Trials that are unfinished or ok
/// stay unchanged.
/// @return number of trials that are pending now
std::size_t retry(store& in, std::int64_t experiment, std::span<const std::int64_t> trials);

}  // namespace mlmq::db
