// SPDX-License-Identifier: Apache-2.0
#include "graph/feature_pass.hpp"

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <thread>

#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

using wide = feature_pass::wide;

/// Number of vertices or edges in one unit of work. It is a multiple of the blocks of float weights and of the groups
/// of edges.
constexpr std::size_t piece = std::size_t{1} << 16;
/// Size of a block of float weights: fits into the first-level cache, so that two passes read memory only once.
constexpr std::size_t float_block = 2048;
static_assert(piece % float_block == 0 && float_block % 32 == 0);

/// Average and squared deviations of the weights of one block.
struct float_block_moments {
  double average = 0;
  double squares = 0;
};

template <class Traits>
float_block_moments moments_of(std::span<const typename Traits::bits> bits) {
  double sum = 0;
  for (const auto weight : bits) sum += Traits::number(weight);
  float_block_moments result{.average = sum / static_cast<double>(bits.size()), .squares = 0};
  for (const auto weight : bits) {
    const double distance = Traits::number(weight) - result.average;
    result.squares += distance * distance;
  }
  return result;
}

/// The sums of one thread.
class partial_pass {
 public:
  partial_pass(const csr_graph& graph, std::vector<float_block_moments>& blocks)
      : graph_(graph), blocks_(blocks), stride_(histogram_stride(graph.edge_count())) {}

  void add_vertices(std::size_t first, std::size_t last) {
    const auto offsets = graph_.offsets();
    for (std::size_t v = first; v < last; ++v) {
      const std::uint64_t degree = offsets[v + 1] - offsets[v];
      total_.degree_squares += static_cast<wide>(degree) * degree;
      ++total_.degree_histogram[degree_bin(degree)];
      const bool is_first_of_these = degree == total_.largest_degree && v < total_.widest;
      if (degree > total_.largest_degree || is_first_of_these) {
        total_.largest_degree = degree;
        total_.widest = static_cast<vertex_id>(v);
      }
    }
  }

  void add_edges(std::size_t first, std::size_t last) {
    with_weight_traits(graph_.weights(), [&]<class Traits>(Traits) { add_edges_of<Traits>(first, last); });
  }

  template <class Traits>
  void add_edges_of(std::size_t first, std::size_t last) {
    const auto weights = Traits::weights_of(graph_);
    const auto bits = weights.subspan(first, last - first);
    if constexpr (Traits::type == weight_type::uint32) {
      add_integers(bits);
    } else {
      for (std::size_t start = 0; start < bits.size(); start += float_block) {
        blocks_[(first + start) / float_block] =
            moments_of<Traits>(bits.subspan(start, std::min(float_block, bits.size() - start)));
      }
    }
    typename Traits::bits largest = 0;
    for (const auto weight : bits) largest = std::max(largest, weight);
    total_.largest_weight = std::max<std::uint64_t>(total_.largest_weight, largest);
    // Groups are numbered from the first edge of the graph. Pieces and strides also start there.
    for (std::size_t group = (first / 32 + stride_ - 1) / stride_ * stride_; group * 32 < last; group += stride_) {
      const std::size_t end = std::min(last, group * 32 + 32);
      for (std::size_t i = group * 32; i < end; ++i) {
        constexpr double most = std::numeric_limits<float>::max();
        ++total_.weight_histogram[weight_bin(static_cast<float>(std::min(Traits::number(weights[i]), most)))];
      }
    }
  }

  /// Adds the sums to the result of all threads. The order of the threads does not matter.
  void merge_into(feature_pass& total) const {
    total.degree_squares += total_.degree_squares;
    total.weight_sum += total_.weight_sum;
    total.weight_squares += total_.weight_squares;
    total.largest_weight = std::max(total.largest_weight, total_.largest_weight);
    if (total_.largest_degree > total.largest_degree ||
        (total_.largest_degree == total.largest_degree && total_.widest < total.widest)) {
      total.largest_degree = total_.largest_degree;
      total.widest = total_.widest;
    }
    for (std::size_t i = 0; i < degree_bin_count; ++i) total.degree_histogram[i] += total_.degree_histogram[i];
    for (std::size_t i = 0; i < weight_bin_count; ++i) total.weight_histogram[i] += total_.weight_histogram[i];
  }

 private:
  /// Adds at most 2^16 integer weights, so that two 64-bit sums can hold the halves of the squares.
  void add_integers(std::span<const std::uint32_t> weights) {
    std::uint64_t sum = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (const std::uint32_t weight : weights) {
      const std::uint64_t square = std::uint64_t{weight} * weight;
      sum += weight;
      low += square & 0xFFFFFFFFu;
      high += square >> 32;
    }
    total_.weight_sum += sum;
    total_.weight_squares += (static_cast<wide>(high) << 32) + low;
  }

  const csr_graph& graph_;
  std::vector<float_block_moments>& blocks_;
  std::uint32_t stride_;
  feature_pass total_;
};

/// Merges the blocks in their order (Chan, Golub, LeVeque 1983), so that a small deviation stays accurate with a large
/// average, and the result does not depend on the threads.
void merge_floats(const std::vector<float_block_moments>& blocks, feature_pass& result) {
  double count = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto size = static_cast<double>(std::min<std::uint64_t>(float_block, result.edges - i * float_block));
    const double distance = blocks[i].average - result.float_average;
    const double total = count + size;
    result.float_average += distance * (size / total);
    result.float_squares += blocks[i].squares + distance * distance * (count * size / total);
    count = total;
  }
}

struct moments {
  double average = 0;
  double deviation = 0;
};

/// Returns the moments of `count` integers below 2^32.
moments integer_moments(std::uint64_t count, wide sum, wide squares) {
  if (count == 0) return {};
  // Exact sum of squares around the integer part q of the average (the terms may wrap around, but their sum fits). Only
  // the contribution of the fractional part r is subtracted, without cancellation.
  const wide q = sum / count;
  const double n = static_cast<double>(count);
  const double r = static_cast<double>(sum - q * count) / n;
  const wide about_q = squares - 2 * q * sum + count * q * q;
  const double variance = static_cast<double>(about_q) / n - r * r;
  return {.average = static_cast<double>(q) + r, .deviation = std::sqrt(std::max(0.0, variance))};
}

moments weight_moments(const feature_pass& pass) {
  if (pass.weights == weight_type::uint32) return integer_moments(pass.edges, pass.weight_sum, pass.weight_squares);
  if (pass.edges == 0) return {};
  return {.average = pass.float_average, .deviation = std::sqrt(pass.float_squares / static_cast<double>(pass.edges))};
}

/// Returns the bin of the percentile `percent` of the counted numbers; 0 if none were counted.
unsigned quantile_bin(std::span<const std::uint64_t> histogram, unsigned percent) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : histogram) total += count;
  if (total == 0) return 0;
  const std::uint64_t rank = (total - 1) / 100 * percent + (total - 1) % 100 * percent / 100;
  std::uint64_t below = 0;
  for (unsigned bin = 0; bin < histogram.size(); ++bin) {
    below += histogram[bin];
    if (below > rank) return bin;
  }
  return 0;
}

double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0.0; }

}  // namespace

feature_pass run_feature_pass(const csr_graph& graph, unsigned threads) {
  feature_pass total;
  total.vertices = graph.vertex_count();
  total.edges = graph.edge_count();
  total.weights = graph.weights();
  std::vector<float_block_moments> blocks;
  if (graph.weights() != weight_type::uint32) blocks.resize((total.edges + float_block - 1) / float_block);
  const std::size_t vertex_pieces = (total.vertices + piece - 1) / piece;
  const std::size_t pieces = vertex_pieces + (total.edges + piece - 1) / piece;
  // Starting a thread takes about as long as four pieces.
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::clamp<std::size_t>(pieces / 8, 1, threads));

  std::atomic<std::size_t> next = 0;
  std::vector<partial_pass> parts(threads, partial_pass(graph, blocks));
  const auto work = [&](partial_pass& part) {
    for (std::size_t i = next++; i < pieces; i = next++) {
      if (i < vertex_pieces) {
        part.add_vertices(i * piece, std::min<std::size_t>(total.vertices, (i + 1) * piece));
      } else {
        const std::size_t first = (i - vertex_pieces) * piece;
        part.add_edges(first, std::min<std::size_t>(total.edges, first + piece));
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work, std::ref(parts[i]));
    work(parts[0]);
  }
  total.widest = static_cast<vertex_id>(std::max<std::uint64_t>(1, total.vertices) - 1);
  for (const partial_pass& part : parts) part.merge_into(total);
  merge_floats(blocks, total);
  return total;
}

feature_values pass_features(const feature_pass& pass) {
  const moments degree = integer_moments(pass.vertices, pass.edges, pass.degree_squares);
  const moments weight = weight_moments(pass);
  const double largest_degree = static_cast<double>(pass.largest_degree);
  const auto degree_at = [&](unsigned percent) { return degree_of_bin(quantile_bin(pass.degree_histogram, percent)); };
  const auto weight_at = [&](unsigned percent) { return weight_of_bin(quantile_bin(pass.weight_histogram, percent)); };
  return {static_cast<double>(pass.vertices),
          static_cast<double>(pass.edges),
          degree.average,
          largest_degree,
          degree.deviation,
          weight.average,
          weight.deviation,
          pass.weights == weight_type::float64
              ? distance_value(pass.largest_weight)
              : distance_value(pass.weights, static_cast<distance_bits>(pass.largest_weight)),
          degree_at(10),
          degree_at(50),
          degree_at(90),
          degree_at(99),
          ratio(static_cast<double>(pass.degree_histogram[0]), static_cast<double>(pass.vertices)),
          ratio(largest_degree, degree.average),
          ratio(degree.deviation, degree.average),
          weight_at(10),
          weight_at(50),
          weight_at(90),
          weight_at(99),
          ratio(weight.deviation, weight.average),
          ratio(weight.average, weight_at(50)),
          ratio(weight.average, degree.average)};
}

}  // namespace mlmq::graph
