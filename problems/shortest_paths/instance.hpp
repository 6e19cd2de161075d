// SPDX-License-Identifier: Apache-2.0
// The interface of a shortest-path instance for callers that have the graph, such as the library: distances, features
// computed on the device, searches from a vertex.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/csr.hpp"
#include "graph/reduction.hpp"
#include "problems/graphs/device_features.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class graph_instance : public tuner::problem_instance {
 public:
  /// Computes on the device what graph::run_feature_pass() computes. Returns nothing if this device cannot.
  /// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual std::optional<device_features> features() = 0;

  /// Returns the core of the graph, which searches with this parameter `reduction` search. The first call makes it.
  /// @throws backends::launch_error if the graph cannot be reduced
  [[nodiscard]] virtual const graph::csr_graph& core_by(graph::reduction_extent extent) = 0;

  /// Like run() with the query of this source. @param source a vertex, 0 … n-1
  [[nodiscard]] virtual tuner::run_report run_from(graph::vertex_id source, double time_limit_ms) = 0;
  /// Like run_from(), but also copies the distances, without a second wait, if the device supports it. This is faster
  /// than all_distances() for small answers.
  /// @param destination n elements like those of all_distances(); empty: no copy
  /// @return the report, and whether the distances were copied
  [[nodiscard]] virtual std::pair<tuner::run_report, bool> run_from(graph::vertex_id source, double time_limit_ms,
                                                                    std::span<std::byte> destination) = 0;

  /// Downloads the distances of the last run, one per vertex, as 4-byte words or float64.
  [[nodiscard]] virtual graph::distance_array all_distances() = 0;
  /// Downloads distances of a 4-byte type. @throws std::bad_variant_access if the type has 8 bytes
  [[nodiscard]] std::vector<graph::distance_bits> distances() {
    const auto words = std::get<uninitialized_vector<graph::distance_bits>>(all_distances());
    return {words.begin(), words.end()};
  }

  /// The distances in device memory, n + 1 words; words of float64 have 8 bytes.
  [[nodiscard]] virtual const backends::device_memory& device_distances() const = 0;
  /// Moves the distances in device memory to the caller. Later runs write to `spare`, or to new memory if it is empty.
  /// check() needs another run first.
  /// @param spare an earlier result of this function, or nothing
  [[nodiscard]] virtual backends::device_memory take_distances(backends::device_memory spare) = 0;
};

}  // namespace mlmq::problems
