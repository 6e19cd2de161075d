// SPDX-License-Identifier: Apache-2.0
// Rows that someone else has put into device memory: what is wrong with them, and the layouts of them that searches read.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Compressed sparse rows in device memory, as addresses. Either `targets` or `pairs` is there.
struct device_rows {
  graph::vertex_id vertices = 0;
  graph::edge_offset edges = 0;
  const void* offsets = nullptr;  ///< vertices + 1 row starts
  bool wide_offsets = false;      ///< these are of 64 bits, else of 32
  const std::uint32_t* targets = nullptr;
  const std::uint32_t* weights = nullptr;  ///< bits of weights; null beside `targets`: all are 1
  const std::uint64_t* pairs = nullptr;    ///< a target in the low half, the bits of its weight in the high one
  graph::weight_type type = graph::weight_type::uint32;
};

/// Where device_rows are to be written in another layout; null: nowhere.
struct row_outputs {
  std::uint32_t* narrow_offsets = nullptr;
  std::uint64_t* pairs = nullptr;
  std::uint32_t* targets = nullptr;
};

/// The smallest positions where a rule is broken. Nothing: it is kept.
struct row_faults {
  std::optional<std::uint64_t> fall;    ///< a vertex whose row ends before it begins
  std::optional<std::uint64_t> target;  ///< an edge that leads to what is no vertex
  std::optional<std::uint64_t> weight;  ///< an edge of a weight that cannot be
  graph::vertex_id widest = 0;          ///< the first vertex of the largest degree
  std::uint32_t largest_degree = 0;
};

struct row_pass {
  row_faults faults;          ///< where they were asked for
  double average_weight = 1;  ///< as average_weight() has it, where it was asked for
  double milliseconds = 0;    ///< on the device
};

/// Looks at the rows, and writes them in other layouts. Besides the first and the last row start, which it does not look at,
/// no position is read that `vertices` and `edges` do not allow, whatever is in the arrays.
/// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
[[nodiscard]] row_pass pass_over_rows(backends::backend& device, const device_rows& rows, const row_outputs& to,
                                      bool finds_faults, bool finds_average);

/// The rows in host memory. Any thread may call this. @throws input_error for rows that break a rule
[[nodiscard]] graph::csr_graph download_rows(backends::backend& device, const device_rows& rows);

}  // namespace mlmq::problems
