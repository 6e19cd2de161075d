// SPDX-License-Identifier: Apache-2.0
// What an instance of a shortest-path problem can besides answering queries: distances, features found on the device,
// sources by their vertices. For the library and whoever else has a graph at hand.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/csr.hpp"
#include "graph/feature_pass.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// What a device has found out about the graph that it holds.
struct device_features {
  graph::feature_pass pass;
  double milliseconds = 0;  ///< on the device
};

class graph_instance : public tuner::problem_instance {
 public:
  /// What graph::run_feature_pass() would find, found on the device. Nothing when this device cannot.
  /// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual std::optional<device_features> features() = 0;

  /// As run() with the query of this source. @param source a vertex, 0 … n-1
  [[nodiscard]] virtual tuner::run_report run_from(graph::vertex_id source, double time_limit_ms) = 0;
  /// The same, and where the device can copy the distances in the same wait, it does: a small answer is had sooner than by
  /// all_distances(). @param to n numbers, as all_distances() has them; empty: they are not wanted
  /// @return whether they are there
  [[nodiscard]] virtual std::pair<tuner::run_report, bool> run_from(graph::vertex_id source, double time_limit_ms,
                                                                    std::span<std::byte> to) = 0;

  /// The distances of the last run, one for each vertex: of a type of 4 bytes, or of float64.
  [[nodiscard]] virtual graph::distance_array all_distances() = 0;
  /// Those of a type of 4 bytes. @throws std::bad_variant_access when it has 8
  [[nodiscard]] std::vector<graph::distance_bits> distances() {
    return std::get<std::vector<graph::distance_bits>>(all_distances());
  }

  /// The memory where they are on the device, one word for each vertex and one more; words of float64 have 8 bytes.
  [[nodiscard]] virtual const backends::device_memory& device_distances() const = 0;
  /// The same, given away: later runs write to `spare`, or where that is empty to new memory. check() has nothing to
  /// look at before the next run.
  /// @param spare that device_distances() of this instance was before, or nothing
  [[nodiscard]] virtual backends::device_memory take_distances(backends::device_memory spare) = 0;
};

}  // namespace mlmq::problems
