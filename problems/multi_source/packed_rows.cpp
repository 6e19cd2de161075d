// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/packed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace mlmq::multi_source {
namespace {

constexpr unsigned word_bits = 32;
/// The first word of a row that does not fit: a difference of 0 with a weight of 1.
constexpr u32 elsewhere_mark = 1;
constexpr std::size_t most_elsewhere = 8;  // at most one row in eight

std::int64_t difference(graph::vertex_id source, graph::vertex_id target) {
  return static_cast<std::int64_t>(target) - static_cast<std::int64_t>(source);
}

/// Returns the bits of a signed number.
unsigned signed_bits(std::int64_t number) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(number < 0 ? ~number : number))) + 1;
}

/// The requirements of a row.
struct row_needs {
  std::size_t edges = 0;  ///< without loops
  unsigned weight_bits = 1;
  unsigned difference_bits = 1;

  [[nodiscard]] bool fits(unsigned width, unsigned bits_of_weights) const {
    return edges <= width && weight_bits <= bits_of_weights && difference_bits <= word_bits - bits_of_weights;
  }
};

row_needs needs_of(const graph::csr_graph& graph, graph::vertex_id v) {
  row_needs needs;
  for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
    const graph::vertex_id target = graph.targets()[e];
    if (target == v) continue;
    ++needs.edges;
    needs.weight_bits = std::max(needs.weight_bits, static_cast<unsigned>(std::bit_width(graph.weight_bits()[e])));
    needs.difference_bits = std::max(needs.difference_bits, signed_bits(difference(v, target)));
  }
  return needs;
}

/// Returns the number of weight bits with which most rows fit.
unsigned best_weight_bits(const graph::csr_graph& graph, unsigned width) {
  // change[b]: rows that start to fit with b weight bits, minus those that stop fitting.
  std::array<std::int64_t, word_bits + 2> change{};
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const row_needs needs = needs_of(graph, v);
    if (needs.edges > width || needs.weight_bits + needs.difference_bits > word_bits) continue;
    ++change[needs.weight_bits];
    --change[word_bits - needs.difference_bits + 1];
  }
  unsigned best = 1;
  std::int64_t most = -1;
  std::int64_t fitting = 0;
  for (unsigned bits = 1; bits < word_bits; ++bits) {
    fitting += change[bits];
    if (fitting > most) {
      most = fitting;
      best = bits;
    }
  }
  return best;
}

}  // namespace

packed_rows pack_rows(const graph::csr_graph& graph, unsigned width) {
  if (graph.weights() != graph::weight_type::uint32) {
    throw backends::launch_error("packed_rows: only whole weights can be packed");
  }
  const std::size_t n = graph.vertex_count();
  packed_rows packed{.words = std::vector<u32>(n * width), .weight_bits = best_weight_bits(graph, width)};
  for (graph::vertex_id v = 0; v < n; ++v) {
    u32* const row = packed.words.data() + std::size_t{v} * width;
    if (!needs_of(graph, v).fits(width, packed.weight_bits)) {
      row[0] = elsewhere_mark;
      ++packed.elsewhere;
      continue;
    }
    u32* word = row;
    for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
      const graph::vertex_id target = graph.targets()[e];
      if (target != v) *word++ = static_cast<u32>(difference(v, target)) << packed.weight_bits | graph.weight_bits()[e];
    }
  }
  if (packed.elsewhere * most_elsewhere > n) {
    throw backends::launch_error(
        fmt::format("packed_rows: {} of {} rows do not fit in {} words with {} bits for weights", packed.elsewhere, n,
                    width, packed.weight_bits));
  }
  return packed;
}

void resident_packed_rows::place(unsigned width) {
  current_ = nullptr;
  auto entry = by_width_.find(width);
  if (entry == by_width_.end()) {
    const packed_rows packed = pack_rows(graph_, width);
    entry = by_width_
                .emplace(width, placement{.words = backends::uploaded(device_, packed.words, "the packed rows"),
                                          .weight_bits = packed.weight_bits})
                .first;
  }
  current_ = &entry->second;
}

}  // namespace mlmq::multi_source
