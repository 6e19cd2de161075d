// SPDX-License-Identifier: Apache-2.0
// Failed trials that are to be measured once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// A finished trial without a right answer, with what it was measured on and with.
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

/// The finished trials of the experiment with one of these outcomes, in the order planned. `ok` is no failure: those are
/// never among them.
[[nodiscard]] std::vector<failed_trial> failed_trials(const store& from, std::int64_t experiment,
                                                      std::span<const outcome> outcomes);

/// Makes these trials pending again and forgets their results: samples, counters, timeline, message, and which workers
/// they have cost. What counts claims (`attempt`) goes on counting. Finals of the experiment on the same workload, query and
/// device were chosen without them: they are pending again, too. Trials that are not done or are ok stay as they are.
/// @return how many are pending now
std::size_t retry(store& in, std::int64_t experiment, std::span<const std::int64_t> trials);

}  // namespace mlmq::db
