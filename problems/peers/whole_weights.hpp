// SPDX-License-Identifier: Apache-2.0
// Converts decimal weights to integers for programs that only read integers.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/csr.hpp"

namespace mlmq::peers {

/// A graph whose weights are those of another graph, multiplied by a factor.
struct scaled_graph {
  graph::csr_graph graph;  ///< with weights of uint32, at most 2^31 - 1
  std::uint32_t factor = 1;
};

/// Multiplies the weights by the smallest factor that makes whole numbers of all of them without a loss: a power of two
/// up to 2^20, or a power of ten up to 10^6.
///
/// A power of ten is accepted if each weight is the nearest number of its type to a decimal number of at most 6 digits
/// (float32) or 15 digits (float64), which a file may contain.
///
/// @return nothing if no such factor exists
[[nodiscard]] std::optional<scaled_graph> with_whole_weights(const graph::csr_graph& graph);

}  // namespace mlmq::peers
