// SPDX-License-Identifier: Apache-2.0
#include "problems/search/rows_in_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "backends/backend.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

/// Each further row costs a search a round trip to memory, bounds cost two.
constexpr std::size_t most_rows = 4;
constexpr std::size_t most_slots = simt::warp_size;

/// @param word the word of the edge at a position of the graph's arrays
/// @param comes_first whether the first of two positions is that of an edge that is worth more
template <class Word, class MakeWord, class ComesFirst>
std::vector<Word> rows_in_place(const graph::csr_graph& graph, std::size_t slots, const MakeWord& word,
                                const ComesFirst& comes_first) {
  const auto offsets = graph.offsets();
  const std::size_t n = graph.vertex_count();
  std::size_t further = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const std::size_t degree = offsets[v + 1] - offsets[v];
    if (degree > slots && degree <= most_rows * slots) further += (degree - 2) / (slots - 1);
  }
  if (n + further >= continuation) {
    throw backends::launch_error(fmt::format(
        "row_slots={}: {} vertices and {} further rows are too many for 31 bits; use row_slots=0", slots, n, further));
  }
  std::vector<Word> rows((n + further) * slots, Word{no_edge});
  std::size_t next_row = n;
  std::array<std::size_t, most_rows * most_slots> order{};
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t left = offsets[v + 1] - offsets[v];
    std::size_t row = v;
    if (left > most_rows * slots) {
      rows[row * slots] = Word{long_row};
      continue;
    }
    std::iota(order.begin(), order.begin() + left, offsets[v]);
    if (left > slots) std::stable_sort(order.begin(), order.begin() + left, comes_first);
    const std::size_t* edge = order.data();
    while (left > slots) {
      for (std::size_t i = 0; i + 1 < slots; ++i) rows[row * slots + i] = word(*edge++);
      left -= slots - 1;
      rows[row * slots + slots - 1] = Word{continuation | static_cast<u32>(next_row)};
      row = next_row++;
    }
    for (std::size_t i = 0; i < left; ++i) rows[row * slots + i] = word(*edge++);
  }
  return rows;
}

}  // namespace

std::vector<u64> weighted_rows_in_place(const graph::csr_graph& graph, unsigned slots) {
  const auto weights = graph.weight_bits();
  return rows_in_place<u64>(
      graph, slots, [&](std::size_t edge) { return graph.targets()[edge] | static_cast<u64>(weights[edge]) << 32; },
      [&](std::size_t one, std::size_t other) { return weights[one] < weights[other]; });
}

std::vector<u32> unit_rows_in_place(const graph::csr_graph& graph, unsigned slots) {
  return rows_in_place<u32>(
      graph, slots, [&](std::size_t edge) { return graph.targets()[edge]; },
      [](std::size_t, std::size_t) { return false; });
}

placed_rows::placement placed_rows::make(unsigned slots) const {
  const auto placed = [&](const auto& words) {
    return placement{.words = backends::uploaded(device_, words, "the rows in place"), .rows = words.size() / slots};
  };
  return unit_weights_ ? placed(unit_rows_in_place(graph_, slots)) : placed(weighted_rows_in_place(graph_, slots));
}

void placed_rows::place(unsigned slots) {
  address_ = nullptr;
  rows_ = graph_.vertex_count();
  if (slots == 0) return;
  auto found = by_slots_.find(slots);
  if (found == by_slots_.end()) {
    try {
      found = by_slots_.emplace(slots, make(slots)).first;
    } catch (const backends::out_of_device_memory&) {
      if (by_slots_.empty()) throw;
      by_slots_.clear();
      found = by_slots_.emplace(slots, make(slots)).first;
    }
  }
  address_ = found->second.words.address();
  rows_ = found->second.rows;
}

bool placed_rows::drop_others() {
  return std::erase_if(by_slots_, [this](const auto& one) { return one.second.words.address() != address_; }) > 0;
}

}  // namespace mlmq::problems
