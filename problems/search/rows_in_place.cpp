// SPDX-License-Identifier: Apache-2.0
#include "problems/search/rows_in_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/backend.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

/// Each further row costs a search a round trip to memory, bounds cost two.
constexpr std::size_t most_rows = 4;

/// @param word the word of the edge at a position of the graph's arrays
template <class Word, class MakeWord>
std::vector<Word> rows_in_place(const graph::csr_graph& graph, std::size_t slots, const MakeWord& word) {
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
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t left = offsets[v + 1] - offsets[v];
    std::size_t row = v;
    if (left > most_rows * slots) {
      rows[row * slots] = Word{long_row};
      continue;
    }
    std::size_t edge = offsets[v];
    while (left > slots) {
      for (std::size_t i = 0; i + 1 < slots; ++i) rows[row * slots + i] = word(edge++);
      left -= slots - 1;
      rows[row * slots + slots - 1] = Word{continuation | static_cast<u32>(next_row)};
      row = next_row++;
    }
    for (std::size_t i = 0; i < left; ++i) rows[row * slots + i] = word(edge++);
  }
  return rows;
}

}  // namespace

std::vector<u64> weighted_rows_in_place(const graph::csr_graph& graph, unsigned slots) {
  return rows_in_place<u64>(graph, slots, [&](std::size_t edge) {
    return graph.targets()[edge] | static_cast<u64>(graph.weight_bits()[edge]) << 32;
  });
}

std::vector<u32> unit_rows_in_place(const graph::csr_graph& graph, unsigned slots) {
  return rows_in_place<u32>(graph, slots, [&](std::size_t edge) { return graph.targets()[edge]; });
}

backends::device_memory placed_rows::make(unsigned slots) const {
  if (input_.kind == search_kind::bfs) {
    return backends::uploaded(input_.device, unit_rows_in_place(input_.graph, slots), "the rows in place");
  }
  return backends::uploaded(input_.device, weighted_rows_in_place(input_.graph, slots), "the rows in place");
}

void placed_rows::place(unsigned slots) {
  address_ = nullptr;
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
  address_ = found->second.address();
}

}  // namespace mlmq::problems
