// SPDX-License-Identifier: Apache-2.0
// Readers of the distances of a run, which stay where they were found: on the device, or in the memory of a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "multi_source/distance_batch.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "problems/multi_source/reduction.hpp"
#include "tuner/problem.hpp"

namespace mlmq::multi_source {

class distance_reader {
 public:
  virtual ~distance_reader() = default;

  /// Prepares for a run: compiles kernels and reserves memory.
  /// @throws backends::compile_error, backends::out_of_device_memory
  virtual void begin(std::size_t searches) = 0;

  /// Devices: queues work that reads a batch.
  /// @param control the run's words in device memory; long work ends when they end the run
  virtual void read(const distance_batch& batch, multi_source_control* control) = 0;
  /// Processors: reads the distances of one search. Threads may read those of different searches at the same time.
  virtual void read(std::size_t search, std::span<const graph::distance_bits> row) = 0;
  virtual void read(std::size_t search, std::span<const graph::wide_distance_bits> row) = 0;

  /// Returns whether the results follow from the sum, the number and the maximum of the distances of each search.
  [[nodiscard]] virtual bool needs_sums_only() const { return false; }
  /// Solvers may call this once per run instead of read(), if needs_sums_only().
  /// @param sums one per search; the digest is the sum over all reached vertices of their distance + 1
  virtual void read_sums(std::span<const multi_source_answer> /*sums*/) {
    throw std::logic_error("a reader needs the distances");
  }

  /// Completes the results of a run, on processors, where the device could not.
  /// @return time and outcome
  [[nodiscard]] virtual tuner::run_report complete(double /*time_limit_ms*/) { return {}; }
  /// Returns the results of the run, after complete().
  [[nodiscard]] virtual std::vector<std::uint64_t> results() = 0;
  /// Returns whether a distance that was read is too large for its type.
  [[nodiscard]] virtual bool has_saturated() = 0;
};

/// Returns a reader whose results are reduction_width() words per search.
/// @param device must outlive the reader
/// @param type of the distances
[[nodiscard]] std::unique_ptr<distance_reader> make_reducer(backends::backend& device, graph::weight_type type,
                                                            reduction quantity);

/// Returns a reader whose results are the distances of pairs of a search and a vertex, no_result if not reached.
/// @param first_pair of each search, and the number of pairs
/// @param vertices of each pair
[[nodiscard]] std::unique_ptr<distance_reader> make_pair_reader(backends::backend& device, graph::weight_type type,
                                                                std::vector<std::uint32_t> first_pair,
                                                                std::vector<graph::vertex_id> vertices);

/// Returns the variant of the kernel of a reduction.
[[nodiscard]] backends::kernel_source reduction_variant(reduction_kind kind, graph::weight_type type);
/// Returns the variant of the kernel that reads pairs.
[[nodiscard]] backends::kernel_source pair_variant(graph::weight_type type);

}  // namespace mlmq::multi_source
