// SPDX-License-Identifier: Apache-2.0
// Models of PHOLD as workloads of the kind "phold".
#pragma once

#include <cstdint>

#include "phold/model.cuh"
#include "tuner/workload.hpp"

namespace mlmq::phold {

/// Settings parsed from a text such as `phold:entities=1024:events=128:rate=0.1`. Times are in units of virtual time.
struct model_settings {
  std::uint64_t entities = 1024;
  std::uint64_t events = 128;  ///< average number per entity
  double rate = 0.1;           ///< λ: the mean delay is 1 / rate
  double lookahead = 10;
  std::uint64_t seed = 1;

  [[nodiscard]] std::uint64_t population() const { return entities * events; }
  /// Returns the average number of events executed per unit of virtual time, in the steady state.
  [[nodiscard]] double events_per_time() const { return static_cast<double>(population()) / (lookahead + 1 / rate); }
};

struct phold_workload final : tuner::workload {
  model_settings settings;
};

inline constexpr double ticks_per_unit = 1 << tick_bits;

/// Returns the latest end of a run, in units of virtual time; a later event would overflow its word.
[[nodiscard]] double latest_end(const model_settings& settings);

/// Returns the model in the form that kernels use.
[[nodiscard]] model model_of(const model_settings& settings);

/// Returns the kind "phold". A model consists of a few numbers and needs no device memory.
[[nodiscard]] const tuner::workload_kind& phold_kind();

/// Returns the settings of a workload. @throws std::bad_cast for a workload of another kind
[[nodiscard]] const model_settings& settings_of(const tuner::workload& workload);

}  // namespace mlmq::phold
