// SPDX-License-Identifier: Apache-2.0
// The features that one pass over a graph's row offsets and weights computes: the sums, and the features derived from
// them. The same sums can come from several threads, or from a device (kernels/features.cu).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "graph/csr.hpp"
#include "graph/feature_list.hpp"

namespace mlmq::graph {

/// Numbers of bins of the histograms. They have eight bins per power of two, so a number is known to within an eighth;
/// integers below 16 are exact.
inline constexpr unsigned weight_bin_count = 2048;
inline constexpr unsigned degree_bin_count = 265;

/// Returns the bin of `number` (at least 0) as a float.
[[nodiscard]] constexpr unsigned weight_bin(float number) noexcept {
  return std::bit_cast<std::uint32_t>(number) >> 20;
}
[[nodiscard]] constexpr unsigned degree_bin(std::uint64_t degree) noexcept {
  return degree == 0 ? 0 : weight_bin(static_cast<float>(degree)) - weight_bin(1.0F) + 1;
}
/// Returns the smallest number in a bin.
[[nodiscard]] constexpr double weight_of_bin(unsigned bin) noexcept {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bin} << 20));
}
[[nodiscard]] constexpr double degree_of_bin(unsigned bin) noexcept {
  return bin == 0 ? 0.0 : weight_of_bin(bin - 1 + weight_bin(1.0F));
}

/// Returns the sampling stride of the weight histogram: it includes one of this many groups of 32 edges, because a
/// large graph does not need all of them. A power of two; 1 below 2^19 edges.
[[nodiscard]] constexpr std::uint32_t histogram_stride(std::uint64_t edge_count) noexcept {
  return static_cast<std::uint32_t>(std::bit_floor(std::max<std::uint64_t>(1, edge_count >> 18)));
}

/// Returns the number of edges in the weight histogram.
[[nodiscard]] constexpr std::uint64_t histogram_edges(std::uint64_t edge_count) noexcept {
  const std::uint64_t step = std::uint64_t{32} * histogram_stride(edge_count);
  const std::uint64_t rest = edge_count % step;
  return edge_count / step * 32 + std::min<std::uint64_t>(rest, 32);
}

/// Sums and histograms of a pass.
struct feature_pass {
  __extension__ using wide = unsigned __int128;

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  weight_type weights = weight_type::uint32;
  wide degree_squares = 0;
  std::uint64_t largest_degree = 0;
  vertex_id widest = 0;              ///< first vertex with the largest degree
  std::uint64_t weight_sum = 0;      ///< for integer weights
  wide weight_squares = 0;           ///< for integer weights
  double float_average = 0;          ///< for float weights
  double float_squares = 0;          ///< for float weights: sum of squared deviations from the average
  std::uint64_t largest_weight = 0;  ///< bit pattern; in the lower half for 4-byte types
  std::vector<std::uint64_t> degree_histogram = std::vector<std::uint64_t>(degree_bin_count);
  std::vector<std::uint64_t> weight_histogram = std::vector<std::uint64_t>(weight_bin_count);
};

/// Runs the pass. @param threads number of threads; 0: one per core, or one for a small graph. The result does not
/// depend on it.
[[nodiscard]] feature_pass run_feature_pass(const csr_graph& graph, unsigned threads = 1);

/// Computes the features of cost `pass` from the sums.
[[nodiscard]] feature_values pass_features(const feature_pass& pass);

}  // namespace mlmq::graph
