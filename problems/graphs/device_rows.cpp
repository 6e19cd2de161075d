// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/device_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "device_rows_abi.cuh"
#include "problems/graphs/helper_kernels.hpp"

namespace mlmq::problems {
namespace {

/// The kernel is memory-bound, so more blocks do not help.
constexpr unsigned blocks_per_multiprocessor = 8;

row_faults faults_of(const device_rows_faults& faults) {
  const auto position = [](u64 word) { return word == ~u64{0} ? std::nullopt : std::optional<std::uint64_t>(word); };
  return {.decreasing_row = position(faults.decreasing_row),
          .target = position(faults.target),
          .weight = position(faults.weight),
          .widest = static_cast<graph::vertex_id>(faults.widest),
          .largest_degree = ~static_cast<std::uint32_t>(faults.widest >> 32)};
}

/// Returns 1 if all weights are 0, because their mean cannot be a unit of lengths.
double mean_of(const std::vector<u64>& sums, const device_rows& rows) {
  double sum = 0;
  if (rows.type == graph::weight_type::float32) {
    for (const u64 part : sums) sum += std::bit_cast<double>(part);
  } else {
    u64 whole = 0;
    for (const u64 part : sums) whole += part;
    sum = static_cast<double>(whole);
  }
  return sum > 0 ? sum / static_cast<double>(rows.edges) : 1.0;
}

template <class T>
std::vector<T> read(backends::backend& device, const void* address, std::size_t count) {
  std::vector<T> values(count);
  device.read(values.data(), address, count * sizeof(T));
  return values;
}

}  // namespace

row_pass pass_over_rows(backends::backend& device, const device_rows& rows, const row_outputs& outputs,
                        bool finds_faults, bool finds_average) {
  const unsigned threads = helper_threads(device.info());
  const auto kernel = device.compile(helper_variant("device_rows", device.info()));
  const std::uint64_t work = std::max<std::uint64_t>(rows.vertices + std::uint64_t{1}, rows.edges);
  const unsigned most = std::clamp(kernel->resident_blocks(0), 1U,
                                   blocks_per_multiprocessor * std::max(1U, device.info().multiprocessors));
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(work / threads, 1, most));
  const std::size_t warps = std::size_t{blocks} * threads / simt::warp_size;
  const backends::device_memory faults = device.allocate(sizeof(device_rows_faults), "faults of rows");
  const backends::device_memory sums = device.allocate(warps * sizeof(u64), "sums of weights");
  const device_rows_arguments arguments{.offsets = rows.offsets,
                                        .targets = rows.targets,
                                        .weights = rows.weights,
                                        .pairs = reinterpret_cast<const u64*>(rows.pairs),
                                        .narrow_offsets = outputs.narrow_offsets,
                                        .words = reinterpret_cast<u64*>(outputs.pairs),
                                        .plain_targets = outputs.targets,
                                        .faults = finds_faults ? faults.as<device_rows_faults>() : nullptr,
                                        .weight_sums = finds_average ? sums.as<u64>() : nullptr,
                                        .vertices = rows.vertices,
                                        .edges = rows.edges,
                                        .wide_offsets = rows.wide_offsets ? 1U : 0U,
                                        .float_weights = rows.type == graph::weight_type::float32 ? 1U : 0U};
  device.set_watchdog({});
  row_pass result;
  result.milliseconds = device.measure([&] {
    device.fill(faults, 0, faults.bytes(), 0xFF);
    device.launch(*kernel, {.grid_blocks = blocks,
                            .shared_bytes = 0,
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments,
                            .together = false});
  });
  if (finds_faults) {
    device_rows_faults words{};
    device.download(&words, faults, sizeof words);
    result.faults = faults_of(words);
  }
  if (finds_average) {
    std::vector<u64> parts(warps);
    device.download(parts.data(), sums, sums.bytes());
    result.average_weight = mean_of(parts, rows);
  }
  return result;
}

graph::csr_graph download_rows(backends::backend& device, const device_rows& rows) {
  const std::size_t starts = std::size_t{rows.vertices} + 1;
  std::vector<graph::edge_offset> offsets;
  if (rows.wide_offsets) {
    offsets = read<graph::edge_offset>(device, rows.offsets, starts);
  } else {
    const auto narrow = read<std::uint32_t>(device, rows.offsets, starts);
    offsets.assign(narrow.begin(), narrow.end());
  }
  std::vector<graph::vertex_id> targets(rows.edges);
  std::vector<std::uint32_t> bits;
  if (rows.pairs != nullptr) {
    const auto pairs = read<std::uint64_t>(device, rows.pairs, rows.edges);
    bits.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      targets[i] = static_cast<graph::vertex_id>(pairs[i]);
      bits[i] = static_cast<std::uint32_t>(pairs[i] >> 32);
    }
  } else {
    targets = read<graph::vertex_id>(device, rows.targets, rows.edges);
    bits = rows.weights != nullptr ? read<std::uint32_t>(device, rows.weights, rows.edges)
                                   : std::vector<std::uint32_t>(rows.edges, 1U);
  }
  if (rows.type == graph::weight_type::uint32) return {std::move(offsets), std::move(targets), std::move(bits)};
  std::vector<float> floats(bits.size());
  std::transform(bits.begin(), bits.end(), floats.begin(),
                 [](std::uint32_t word) { return std::bit_cast<float>(word); });
  return {std::move(offsets), std::move(targets), std::move(floats)};
}

}  // namespace mlmq::problems
