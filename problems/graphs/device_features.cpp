// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/device_features.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "features_abi.cuh"
#include "graph/feature_pass.hpp"

namespace mlmq::problems {
namespace {

static_assert(weight_bins == graph::weight_bin_count && degree_bins == graph::degree_bin_count);
static_assert(bin_of_one == graph::weight_bin(1.0F));

/// Warps per block; fewer if a multiprocessor holds fewer.
constexpr unsigned most_warps = 8;
static_assert(most_warps <= simt::warp_size, "one slot of shared memory for each warp");

graph::feature_pass::wide square_sum(u64 low, u64 high) {
  return (static_cast<graph::feature_pass::wide>(high) << 32) + low;
}

/// Layout of the results in device memory: totals, extremes, then each block's sums of floats.
struct layout {
  unsigned blocks;
  static constexpr std::size_t extremes = sizeof(feature_totals);
  static constexpr std::size_t block_sums = extremes + sizeof(feature_extremes);
  static_assert(extremes % alignof(feature_extremes) == 0 && block_sums % alignof(float_sums) == 0);
  [[nodiscard]] std::size_t bytes() const { return block_sums + blocks * sizeof(float_sums); }
};

/// Combines the results of the blocks like run_feature_pass() does.
graph::feature_pass combine_block_results(const graph::csr_graph& graph, const std::vector<std::byte>& memory,
                                          unsigned blocks, double weight_shift) {
  const auto* const totals = reinterpret_cast<const feature_totals*>(memory.data());
  const auto* const extremes = reinterpret_cast<const feature_extremes*>(memory.data() + layout::extremes);
  const auto* const sums = reinterpret_cast<const float_sums*>(memory.data() + layout::block_sums);
  graph::feature_pass pass;
  pass.vertices = graph.vertex_count();
  pass.edges = graph.edge_count();
  pass.weights = graph.weights();
  const auto sum_of = [](u64 word) -> std::uint64_t { return word + 1; };
  pass.degree_squares = square_sum(sum_of(totals->degree_squares_low), sum_of(totals->degree_squares_high));
  if (pass.vertices > 0) {
    pass.largest_degree = static_cast<u32>(~(extremes->widest >> 32));
    pass.widest = static_cast<graph::vertex_id>(extremes->widest);
  }
  pass.weight_sum = sum_of(totals->weight_sum);
  pass.weight_squares = square_sum(sum_of(totals->weight_squares_low), sum_of(totals->weight_squares_high));
  if (pass.edges > 0) pass.largest_weight = ~extremes->largest_weight;
  std::transform(totals->degree_histogram, totals->degree_histogram + degree_bins, pass.degree_histogram.begin(),
                 sum_of);
  std::transform(totals->weight_histogram, totals->weight_histogram + weight_bins, pass.weight_histogram.begin(),
                 sum_of);
  if (pass.weights == graph::weight_type::float32 && pass.edges > 0) {
    double sum = 0;
    double squares = 0;
    for (unsigned block = 0; block < blocks; ++block) {
      sum += sums[block].sum;
      squares += sums[block].squares;
    }
    const double average = sum / static_cast<double>(pass.edges);
    pass.float_average = weight_shift + average;
    pass.float_squares = std::max(0.0, squares - sum * average);
  }
  return pass;
}

float read_first_weight(backends::backend& device, const graph::csr_graph& graph, const resident_graph& on_device) {
  if (graph.is_fetched()) return std::bit_cast<float>(graph.weight_bits().front());
  std::uint64_t edge = 0;
  device.download(&edge, on_device.edges, sizeof edge);
  return std::bit_cast<float>(static_cast<std::uint32_t>(edge >> 32));
}

/// Adds the result of a pass over weights of 1.
void add_unit_weights(graph::feature_pass& pass) {
  pass.weight_sum = pass.edges;
  pass.weight_squares = pass.edges;
  pass.largest_weight = pass.edges > 0 ? 1 : 0;
  pass.weight_histogram[graph::weight_bin(1.0F)] = graph::histogram_edges(pass.edges);
}

}  // namespace

backends::kernel_source features_variant(graph::weight_type weights, bool wide_offsets, unsigned block_threads) {
  return {.file = "features.cu",
          .entry = "features",
          .block_threads = block_threads,
          .defines = {{"MLMQ_OFFSET", wide_offsets ? "u64" : "u32"},
                      {"MLMQ_FLOAT_WEIGHTS", weights == graph::weight_type::float32 ? "1" : "0"}}};
}

backends::kernel_source features_variant(graph::weight_type weights, bool wide_offsets,
                                         const backends::device_info& device) {
  return features_variant(weights, wide_offsets, simt::warp_size * std::clamp(device.warp_slots, 1U, most_warps));
}

device_features find_features(backends::backend& device, const graph::csr_graph& graph, const resident_graph& on_device,
                              bool unit_weights) {
  const bool floats = graph.weights() == graph::weight_type::float32;
  const backends::kernel_source variant = features_variant(graph.weights(), on_device.wide_offsets, device.info());
  const unsigned block_threads = variant.block_threads;
  const auto kernel = device.compile(variant);
  // More blocks than can run concurrently only add histograms to combine; small graphs need few blocks.
  const std::uint64_t work = std::max<std::uint64_t>(graph.vertex_count(), graph.edge_count());
  const unsigned blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(
      work / (4 * block_threads), 1,
      std::clamp(kernel->resident_blocks(sizeof(feature_block)), 1U, 4 * std::max(1U, device.info().multiprocessors))));
  const layout memory_layout{.blocks = blocks};
  const backends::device_memory memory = device.allocate(memory_layout.bytes(), "the features of a graph");
  auto* const base = memory.as<std::byte>();
  // Sums are relative to one of the weights, so that a large average does not hide a small deviation.
  const float shift = floats && graph.edge_count() > 0 ? read_first_weight(device, graph, on_device) : 0.0F;
  feature_arguments arguments{
      .offsets = on_device.offsets.address(),
      .edges = on_device.edges.as<const u64>(),
      .totals = reinterpret_cast<feature_totals*>(base),
      .extremes = reinterpret_cast<feature_extremes*>(base + layout::extremes),
      .block_sums = reinterpret_cast<float_sums*>(base + layout::block_sums),
      .edge_count = 0,
      .vertex_count = 0,
      .histogram_stride = graph::histogram_stride(graph.edge_count()),
      .weight_shift = shift,
      .unused = 0,
  };
  const auto queue_pass = [&] {
    device.launch(*kernel, {.grid_blocks = blocks,
                            .shared_bytes = sizeof(feature_block),
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments,
                            .together = false});
  };
  device.set_watchdog({});
  // The first launch loads the kernel and adds nothing to the empty totals. Like reading the disk cache and allocating
  // memory, it is neither part of the measured time of the features nor of a search's time.
  (void)device.measure([&] {
    device.fill(memory, 0, layout::block_sums, 0xFF);
    queue_pass();
  });
  arguments.vertex_count = graph.vertex_count();
  arguments.edge_count = unit_weights ? 0 : graph.edge_count();
  device_features features;
  features.milliseconds = device.measure(queue_pass);
  std::vector<std::byte> bytes(memory_layout.bytes());
  device.download(bytes.data(), memory, bytes.size());
  features.pass = combine_block_results(graph, bytes, blocks, static_cast<double>(shift));
  if (unit_weights) add_unit_weights(features.pass);
  return features;
}

}  // namespace mlmq::problems
