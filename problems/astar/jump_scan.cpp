// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/jump_scan.hpp"

#include <bit>

namespace mlmq::astar {
namespace {

using word = std::uint64_t;

/// Returns the word at i shifted by one place: bit b describes the place after (or before) place b.
word places_after(const word* line, std::size_t i) { return line[i] >> 1 | line[i + 1] << 63; }
word places_before(const word* line, std::size_t i) { return line[i] << 1 | line[i - 1] >> 63; }

}  // namespace

blocked_lines::blocked_lines(const grid& map, along lines) : corners_(map.corners()) {
  const bool rows = lines == along::rows;
  const std::uint32_t count = rows ? map.height() : map.width();
  const std::uint32_t length = rows ? map.width() : map.height();
  words_ = (length + word_bits - 1) / word_bits + 2;
  bits_.assign((std::size_t{count} + 2) * words_ + 2 * margin, ~word{0});
  for (std::uint32_t line = 0; line < count; ++line) {
    for (std::uint32_t place = 0; place < length; ++place) {
      if (!map.is_free(rows ? map.cell(place, line) : map.cell(line, place))) continue;
      const std::size_t bit_index = place + border;
      bits_[begin_of(line) + bit_index / word_bits] &= ~(word{1} << bit_index % word_bits);
    }
  }
}

// If corners may be cut, a walk can turn at a place next to a blocked cell if the following cell of that line is free.
// Otherwise it can turn one place later, next to the free cell.

std::optional<std::uint32_t> blocked_lines::forwards(std::uint32_t line, std::uint32_t origin,
                                                     std::int64_t goal) const {
  const word* const current = line_at(line);
  const word* const above = current - words_;
  const word* const below = current + words_;
  const std::size_t start = std::size_t{origin} + border + 1;
  const std::size_t goal_bit = goal > static_cast<std::int64_t>(origin) ? static_cast<std::size_t>(goal) + border : 0;
  word mask = ~word{0} << start % word_bits;
  for (std::size_t i = start / word_bits;; ++i, mask = ~word{0}) {
    const word turns = corners_ == corner_rule::cut
                           ? (above[i] & ~places_after(above, i)) | (below[i] & ~places_after(below, i))
                           : (places_before(above, i) & ~above[i]) | (places_before(below, i) & ~below[i]);
    word stops = turns | current[i];
    if (goal_bit / word_bits == i) stops |= word{1} << goal_bit % word_bits;
    stops &= mask;
    if (stops == 0) continue;
    const auto bit = static_cast<unsigned>(std::countr_zero(stops));
    if ((current[i] >> bit & 1U) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(i * word_bits + bit - border);
  }
}

std::optional<std::uint32_t> blocked_lines::backwards(std::uint32_t line, std::uint32_t origin,
                                                      std::int64_t goal) const {
  const word* const current = line_at(line);
  const word* const above = current - words_;
  const word* const below = current + words_;
  const std::size_t start = std::size_t{origin} + border - 1;
  const std::size_t goal_bit =
      goal >= 0 && goal < static_cast<std::int64_t>(origin) ? static_cast<std::size_t>(goal) + border : ~std::size_t{0};
  word mask = ~word{0} >> (word_bits - 1 - start % word_bits);
  for (std::size_t i = start / word_bits;; --i, mask = ~word{0}) {
    const word turns = corners_ == corner_rule::cut
                           ? (above[i] & ~places_before(above, i)) | (below[i] & ~places_before(below, i))
                           : (places_after(above, i) & ~above[i]) | (places_after(below, i) & ~below[i]);
    word stops = turns | current[i];
    if (goal_bit / word_bits == i) stops |= word{1} << goal_bit % word_bits;
    stops &= mask;
    if (stops == 0) continue;
    const unsigned bit = word_bits - 1 - static_cast<unsigned>(std::countl_zero(stops));
    if ((current[i] >> bit & 1U) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(i * word_bits + bit - border);
  }
}

}  // namespace mlmq::astar
