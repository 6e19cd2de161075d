// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/ell_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "backends/backend.hpp"
#include "ell_rows_abi.cuh"
#include "problems/graphs/helper_kernels.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr std::size_t usual_rows = max_ell_rows;
constexpr std::size_t most_width = simt::warp_size;
/// Making rows takes a processor 10 to 25 ns per edge, and a GPU about a millisecond. Its kernel is compiled once per
/// machine.
constexpr graph::edge_offset edges_worth_a_kernel = 80'000;

/// @throws backends::launch_error if the rows cannot be numbered
void require_row_numbers(std::size_t width, std::size_t vertices, std::size_t overflow) {
  if (vertices + overflow < continuation) return;
  throw backends::launch_error(
      fmt::format("ell_width={}: {} vertices and {} overflow rows are too many for 31 bits; use ell_width=0", width,
                  vertices, overflow));
}

/// @param word returns the word of the edge at a position of the graph's arrays
/// @param most_rows rows per vertex; a search finds longer rows by their bounds
/// @param marked returns the word with a target that is not a vertex
/// @param comes_first returns whether the edge at the first of two positions precedes the other one
template <class Word, class MakeWord, class Marked, class ComesFirst>
std::vector<Word> ell_rows(const graph::csr_graph& graph, std::size_t width, std::size_t most_rows,
                           const MakeWord& word, const Marked& marked, const ComesFirst& comes_first) {
  const auto offsets = graph.offsets();
  const std::size_t n = graph.vertex_count();
  std::size_t overflow = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const std::size_t degree = offsets[v + 1] - offsets[v];
    if (degree > width && degree <= most_rows * width) overflow += (degree - 2) / (width - 1);
  }
  require_row_numbers(width, n, overflow);
  std::vector<Word> rows((n + overflow) * width, marked(no_edge));
  std::size_t next_row = n;
  std::array<std::size_t, usual_rows * most_width> order{};
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t remaining = offsets[v + 1] - offsets[v];
    std::size_t row = v;
    if (remaining > most_rows * width) {
      rows[row * width] = marked(long_row);
      continue;
    }
    std::iota(order.begin(), order.begin() + remaining, offsets[v]);
    if (remaining > width) std::stable_sort(order.begin(), order.begin() + remaining, comes_first);
    const std::size_t* edge = order.data();
    while (remaining > width) {
      for (std::size_t i = 0; i + 1 < width; ++i) rows[row * width + i] = word(*edge++);
      remaining -= width - 1;
      rows[row * width + width - 1] = marked(continuation | static_cast<u32>(next_row));
      row = next_row++;
    }
    for (std::size_t i = 0; i < remaining; ++i) rows[row * width + i] = word(*edge++);
  }
  return rows;
}

}  // namespace

std::vector<u64> weighted_ell_rows(const graph::csr_graph& graph, unsigned width) {
  const auto weights = graph.weight_bits();
  return ell_rows<u64>(
      graph, width, usual_rows,
      [&](std::size_t edge) { return graph.targets()[edge] | static_cast<u64>(weights[edge]) << 32; },
      [](u32 target) { return u64{target}; },
      [&](std::size_t first, std::size_t second) { return weights[first] < weights[second]; });
}

std::vector<graph::wide_edge> wide_ell_rows(const graph::csr_graph& graph, unsigned width) {
  const auto weights = graph.wide_weight_bits();
  return ell_rows<graph::wide_edge>(
      graph, width, 1,
      [&](std::size_t edge) { return graph::wide_edge{.target = graph.targets()[edge], .weight_bits = weights[edge]}; },
      [](u32 target) { return graph::wide_edge{.target = target, .weight_bits = 0}; },
      [&](std::size_t first, std::size_t second) { return weights[first] < weights[second]; });
}

std::vector<u32> unit_ell_rows(const graph::csr_graph& graph, unsigned width) {
  return ell_rows<u32>(
      graph, width, usual_rows, [&](std::size_t edge) { return graph.targets()[edge]; },
      [](u32 target) { return target; }, [](std::size_t, std::size_t) { return false; });
}

resident_ell::placement resident_ell::make_on_device(unsigned width) const {
  constexpr unsigned blocks_per_multiprocessor = 8;
  const unsigned threads = helper_threads(device_.info());
  const auto kernel = device_.compile(helper_variant("ell_rows", device_.info()));
  const std::size_t n = graph_.vertex_count();
  const unsigned most = std::clamp(kernel->resident_blocks(0), 1U,
                                   blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
  std::vector<u32> overflow((n + simt::warp_size - 1) / simt::warp_size);
  const backends::device_memory device_overflow =
      device_.allocate(overflow.size() * sizeof(u32), "numbers of ELL rows");
  const auto run = [&](void* rows) {
    const ell_rows_arguments arguments{.offsets = on_device_.offsets.address(),
                                       .edges = on_device_.edges.address(),
                                       .rows = rows,
                                       .overflow = device_overflow.as<u32>(),
                                       .vertices = static_cast<u32>(n),
                                       .width = width,
                                       .wide_offsets = on_device_.wide_offsets ? 1U : 0U,
                                       .unit_weights = unit_weights_ ? 1U : 0U};
    device_.set_watchdog({});
    (void)device_.measure([&] {
      device_.launch(*kernel, {.grid_blocks = static_cast<unsigned>(std::clamp<std::size_t>(n / threads, 1, most)),
                               .shared_bytes = 0,
                               .arguments = &arguments,
                               .argument_bytes = sizeof arguments,
                               .together = false});
    });
  };
  run(nullptr);
  device_.download(overflow.data(), device_overflow, device_overflow.bytes());
  // Exclusive scan: replaces the number of overflow rows per 32 vertices by the index of their first one.
  std::size_t rows = n;
  for (u32& group : overflow) {
    const u32 count = group;
    group = static_cast<u32>(rows);
    rows += count;
  }
  require_row_numbers(width, n, rows - n);
  device_.upload(device_overflow, overflow.data(), device_overflow.bytes());
  placement result{
      .words = device_.allocate(rows * width * (unit_weights_ ? sizeof(u32) : sizeof(u64)), "the ELL rows"),
      .rows = rows};
  run(result.words.address());
  return result;
}

resident_ell::placement resident_ell::make(unsigned width) const {
  const backends::device_info& info = device_.info();
  const bool is_large = !info.modelled && graph_.edge_count() >= edges_worth_a_kernel;
  const bool is_wide = !unit_weights_ && graph_.weights() == graph::weight_type::float64;
  if (info.grid && !is_wide && (is_large || !graph_.is_fetched())) return make_on_device(width);
  const auto placed = [&](const auto& words) {
    return placement{.words = backends::uploaded(device_, words, "the ELL rows"), .rows = words.size() / width};
  };
  if (unit_weights_) return placed(unit_ell_rows(graph_, width));
  if (is_wide) return placed(wide_ell_rows(graph_, width));
  return placed(weighted_ell_rows(graph_, width));
}

void resident_ell::place(unsigned width) {
  address_ = nullptr;
  rows_ = graph_.vertex_count();
  if (width == 0) return;
  auto entry = by_width_.find(width);
  if (entry == by_width_.end()) {
    try {
      entry = by_width_.emplace(width, make(width)).first;
    } catch (const backends::out_of_device_memory&) {
      if (by_width_.empty()) throw;
      by_width_.clear();
      entry = by_width_.emplace(width, make(width)).first;
    }
  }
  address_ = entry->second.words.address();
  rows_ = entry->second.rows;
}

bool resident_ell::drop_others() {
  return std::erase_if(by_width_, [this](const auto& entry) { return entry.second.words.address() != address_; }) > 0;
}

}  // namespace mlmq::problems
