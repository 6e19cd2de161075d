// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/resident_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.hpp"
#include "edge_weights_abi.cuh"
#include "graph/new_weights.hpp"
#include "problems/graphs/helper_kernels.hpp"

namespace mlmq::problems {
namespace {

constexpr unsigned blocks_per_multiprocessor = 8;

double sum_of(const std::vector<u64>& parts, graph::weight_type type) {
  if (type != graph::weight_type::float32)
    return static_cast<double>(std::accumulate(parts.begin(), parts.end(), u64{0}));
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, u64 part) { return sum + std::bit_cast<double>(part); });
}

[[noreturn]] void refuse(backends::backend& device, const resident_weights& weights, u64 edge,
                         graph::weight_type type) {
  std::uint32_t bits = 0;
  device.read(&bits, weights.memory.as<const std::uint32_t>() + edge, sizeof bits);
  if (type == graph::weight_type::uint32) {
    throw input_error(
        fmt::format("graph: edge {} has weight {}, at most {} is possible", edge, bits, graph::largest_weight));
  }
  throw input_error(fmt::format("graph: edge {} has weight {}, expected a finite number of at least 0", edge,
                                std::bit_cast<float>(bits)));
}

}  // namespace

resident_weights copy_weights(backends::backend& device, const backends::device_memory& weights,
                              graph::edge_offset edges, graph::weight_type type) {
  resident_weights result{.memory =
                              device.allocate(std::max<std::size_t>(1, edges) * sizeof(u32), "new weights of edges")};
  if (edges == 0) return result;
  const unsigned threads = helper_threads(device.info());
  const auto kernel = device.compile(helper_variant("edge_weights", device.info()));
  const unsigned most = std::clamp(kernel->resident_blocks(0), 1U,
                                   blocks_per_multiprocessor * std::max(1U, device.info().multiprocessors));
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(edges / threads, 1, most));
  std::vector<u64> parts(std::size_t{blocks} * threads / simt::warp_size);
  const backends::device_memory summary = device.allocate(sizeof(edge_weights_summary), "a summary of weights");
  const backends::device_memory sums = device.allocate(parts.size() * sizeof(u64), "sums of weights");
  const edge_weights_arguments arguments{.weights = weights.as<const u32>(),
                                         .copy = result.memory.as<u32>(),
                                         .summary = summary.as<edge_weights_summary>(),
                                         .weight_sums = sums.as<u64>(),
                                         .edges = edges,
                                         .float_weights = type == graph::weight_type::float32 ? 1U : 0U};
  device.set_watchdog({});
  static_cast<void>(device.measure([&] {
    device.fill(summary, 0, summary.bytes(), 0xFF);
    device.launch(*kernel, {.grid_blocks = blocks,
                            .shared_bytes = 0,
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments,
                            .together = false});
  }));
  edge_weights_summary words{};
  device.download(&words, summary, sizeof words);
  if (words.invalid != ~u64{0}) refuse(device, result, words.invalid, type);
  device.download(parts.data(), sums, sums.bytes());
  const double sum = sum_of(parts, type);
  if (sum > 0) result.average = sum / static_cast<double>(edges);
  result.heaviest_bits = static_cast<std::uint32_t>(~words.heaviest_complement);
  return result;
}

graph::csr_graph download_weights(backends::backend& device, const resident_weights& weights,
                                  const graph::csr_graph& structure) {
  std::vector<std::uint32_t> bits(structure.edge_count());
  device.read(bits.data(), weights.memory.address(), bits.size() * sizeof(std::uint32_t));
  if (structure.weights() == graph::weight_type::uint32) return graph::with_weights(structure, std::move(bits));
  std::vector<float> floats(bits.size());
  std::ranges::transform(bits, floats.begin(), [](std::uint32_t word) { return std::bit_cast<float>(word); });
  return graph::with_weights(structure, std::move(floats));
}

}  // namespace mlmq::problems
