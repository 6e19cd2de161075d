// SPDX-License-Identifier: Apache-2.0
#include "graph/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace mlmq::graph {
namespace {

struct moments {
  double average = 0;
  double deviation = 0;
  double largest = 0;
};

/// Exact sums of integers below 2^32, up to 2^63 of them.
class integer_moments {
 public:
  void add(std::uint64_t value) noexcept {
    ++count_;
    sum_ += value;
    squares_ += static_cast<wide>(value) * value;
    largest_ = std::max(largest_, value);
  }

  [[nodiscard]] moments result() const noexcept {
    if (count_ == 0) return {};
    // Squares about the whole part q of the average, exactly (the terms may wrap around, their sum
    // fits); the part r below one is all that is left to subtract, and nothing cancels.
    const wide count = count_;
    const wide q = sum_ / count;
    const double n = static_cast<double>(count_);
    const double r = static_cast<double>(sum_ - q * count) / n;
    const wide about_q = squares_ - 2 * q * sum_ + count * q * q;
    const double variance = static_cast<double>(about_q) / n - r * r;
    return {.average = static_cast<double>(q) + r,
            .deviation = std::sqrt(std::max(0.0, variance)),
            .largest = static_cast<double>(largest_)};
  }

 private:
  __extension__ using wide = unsigned __int128;
  std::uint64_t count_ = 0;
  wide sum_ = 0;
  wide squares_ = 0;
  std::uint64_t largest_ = 0;
};

/// Blocks small enough for the first-level cache are averaged in two passes and merged (Chan,
/// Golub, LeVeque 1983), so that memory is read once and a large average does not swamp a small
/// deviation.
moments float_moments(std::span<const std::uint32_t> bits) {
  constexpr std::size_t block_size = 2048;
  double count = 0;
  double average = 0;
  double squares = 0;
  std::uint32_t largest = 0;
  for (std::size_t start = 0; start < bits.size(); start += block_size) {
    const auto block = bits.subspan(start, std::min(block_size, bits.size() - start));
    double sum = 0;
    for (const std::uint32_t weight : block) {
      sum += static_cast<double>(std::bit_cast<float>(weight));
      largest = std::max(largest, weight);  // the bits order like the numbers
    }
    const auto block_count = static_cast<double>(block.size());
    const double block_average = sum / block_count;
    double block_squares = 0;
    for (const std::uint32_t weight : block) {
      const double distance = static_cast<double>(std::bit_cast<float>(weight)) - block_average;
      block_squares += distance * distance;
    }
    const double distance = block_average - average;
    const double total = count + block_count;
    average += distance * (block_count / total);
    squares += block_squares + distance * distance * (count * block_count / total);
    count = total;
  }
  if (bits.empty()) return {};
  return {.average = average,
          .deviation = std::sqrt(squares / count),
          .largest = static_cast<double>(std::bit_cast<float>(largest))};
}

moments weight_moments(const csr_graph& graph) {
  if (graph.weights() == weight_type::float32) return float_moments(graph.weight_bits());
  integer_moments sums;
  for (const std::uint32_t weight : graph.weight_bits()) sums.add(weight);
  return sums.result();
}

}  // namespace

std::array<double, feature_count> graph_features::as_array() const noexcept {
  return {m, nnz, avg_nnz, max_nnz, dev_nnz, avg_weight, dev_weight, max_weight};
}

const std::array<std::string, feature_count>& feature_names() {
  static const std::array<std::string, feature_count> names{"m",       "nnz",        "avg_nnz",    "max_nnz",
                                                            "dev_nnz", "avg_weight", "dev_weight", "max_weight"};
  return names;
}

graph_features compute_features(const csr_graph& graph) {
  integer_moments degrees;
  const auto offsets = graph.offsets();
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) degrees.add(offsets[v + 1] - offsets[v]);
  const moments degree = degrees.result();
  const moments weight = weight_moments(graph);
  return {.m = static_cast<double>(graph.vertex_count()),
          .nnz = static_cast<double>(graph.edge_count()),
          .avg_nnz = degree.average,
          .max_nnz = degree.largest,
          .dev_nnz = degree.deviation,
          .avg_weight = weight.average,
          .dev_weight = weight.deviation,
          .max_weight = weight.largest};
}

}  // namespace mlmq::graph
