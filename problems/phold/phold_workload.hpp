// SPDX-License-Identifier: Apache-2.0
// Models of PHOLD as workloads: the kind "phold".
#pragma once

#include <cstdint>

#include "phold/model.cuh"
#include "tuner/workload.hpp"

namespace mlmq::phold {

/// What a text such as `phold:entities=1024:events=128:rate=0.1` says. Times are in units of virtual time.
struct model_settings {
  std::uint64_t entities = 1024;
  std::uint64_t events = 128;  ///< of each entity, on average
  double rate = 0.1;           ///< λ: the mean delay is 1 / rate
  double lookahead = 10;
  std::uint64_t seed = 1;

  [[nodiscard]] std::uint64_t population() const { return entities * events; }
  /// Events executed in a unit of virtual time, on average, when the start is long past.
  [[nodiscard]] double events_per_time() const { return static_cast<double>(population()) / (lookahead + 1 / rate); }
};

struct phold_workload final : tuner::workload {
  model_settings settings;
};

inline constexpr double ticks_per_unit = 1 << tick_bits;

/// The latest end of a run, in units of virtual time: a later event would not fit into its word.
[[nodiscard]] double latest_end(const model_settings& settings);

/// What kernels compute with.
[[nodiscard]] model model_of(const model_settings& settings);

/// The kind "phold". Nothing is kept in memory: a model is a few numbers.
[[nodiscard]] const tuner::workload_kind& phold_kind();

/// @throws std::bad_cast for a workload of another kind
[[nodiscard]] const model_settings& settings_of(const tuner::workload& on);

}  // namespace mlmq::phold
