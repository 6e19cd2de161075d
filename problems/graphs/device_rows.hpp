// SPDX-License-Identifier: Apache-2.0
// Rows that the caller has put into device memory: checks them and converts them to the layouts that searches read.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Compressed sparse rows in device memory, as addresses. Exactly one of `targets` and `pairs` is set.
struct device_rows {
  graph::vertex_id vertices = 0;
  graph::edge_offset edges = 0;
  const void* offsets = nullptr;  ///< vertices + 1 row starts
  bool wide_offsets = false;      ///< whether row starts have 64 bits instead of 32
  const std::uint32_t* targets = nullptr;
  const std::uint32_t* weights = nullptr;  ///< bits of weights; null with `targets`: all are 1
  const std::uint64_t* pairs = nullptr;    ///< a target in the low half, the bits of its weight in the high one
  graph::weight_type type = graph::weight_type::uint32;
};

/// Destinations of device_rows in other layouts; null: not written.
struct row_outputs {
  std::uint32_t* narrow_offsets = nullptr;
  std::uint64_t* pairs = nullptr;
  std::uint32_t* targets = nullptr;
};

/// The smallest position that violates each rule; nothing if none does.
struct row_faults {
  std::optional<std::uint64_t> decreasing_row;  ///< a vertex whose row ends before it begins
  std::optional<std::uint64_t> target;          ///< an edge whose target is not a vertex
  std::optional<std::uint64_t> weight;          ///< an edge with an invalid weight
  graph::vertex_id widest = 0;                  ///< the first vertex of the largest degree
  std::uint32_t largest_degree = 0;
};

struct row_pass {
  row_faults faults;          ///< if requested
  double average_weight = 1;  ///< like average_weight(), if requested
  double milliseconds = 0;    ///< on the device
};

/// Checks the rows and writes them in other layouts. It does not check the first and last row start; apart from these,
/// it reads only positions within `vertices` and `edges`, whatever the arrays contain.
/// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
[[nodiscard]] row_pass pass_over_rows(backends::backend& device, const device_rows& rows, const row_outputs& outputs,
                                      bool finds_faults, bool finds_average);

/// Downloads the rows. Thread-safe.
/// @throws input_error if the rows violate a rule
[[nodiscard]] graph::csr_graph download_rows(backends::backend& device, const device_rows& rows);

}  // namespace mlmq::problems
