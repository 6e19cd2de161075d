// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/jump_scan.hpp"

#include <bit>

namespace mlmq::astar {
namespace {

using word = std::uint64_t;

/// The word at i, moved by one place: bit b is what is at the place after (or before) it.
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
      const std::size_t at = place + border;
      bits_[begin_of(line) + at / word_bits] &= ~(word{1} << at % word_bits);
    }
  }
}

// Where corners may be cut, a walk can turn at a place beside a blocked cell to the free cell after that. Where not, it can
// turn one place later, beside the free cell.

std::optional<std::uint32_t> blocked_lines::forwards(std::uint32_t line, std::uint32_t from, std::int64_t goal) const {
  const word* const here = line_at(line);
  const word* const above = here - words_;
  const word* const below = here + words_;
  const std::size_t start = std::size_t{from} + border + 1;
  const std::size_t goal_at = goal > static_cast<std::int64_t>(from) ? static_cast<std::size_t>(goal) + border : 0;
  word wanted = ~word{0} << start % word_bits;
  for (std::size_t i = start / word_bits;; ++i, wanted = ~word{0}) {
    const word turns = corners_ == corner_rule::cut
                           ? (above[i] & ~places_after(above, i)) | (below[i] & ~places_after(below, i))
                           : (places_before(above, i) & ~above[i]) | (places_before(below, i) & ~below[i]);
    word stops = turns | here[i];
    if (goal_at / word_bits == i) stops |= word{1} << goal_at % word_bits;
    stops &= wanted;
    if (stops == 0) continue;
    const auto bit = static_cast<unsigned>(std::countr_zero(stops));
    if ((here[i] >> bit & 1U) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(i * word_bits + bit - border);
  }
}

std::optional<std::uint32_t> blocked_lines::backwards(std::uint32_t line, std::uint32_t from, std::int64_t goal) const {
  const word* const here = line_at(line);
  const word* const above = here - words_;
  const word* const below = here + words_;
  const std::size_t start = std::size_t{from} + border - 1;
  const std::size_t goal_at =
      goal >= 0 && goal < static_cast<std::int64_t>(from) ? static_cast<std::size_t>(goal) + border : ~std::size_t{0};
  word wanted = ~word{0} >> (word_bits - 1 - start % word_bits);
  for (std::size_t i = start / word_bits;; --i, wanted = ~word{0}) {
    const word turns = corners_ == corner_rule::cut
                           ? (above[i] & ~places_before(above, i)) | (below[i] & ~places_before(below, i))
                           : (places_after(above, i) & ~above[i]) | (places_after(below, i) & ~below[i]);
    word stops = turns | here[i];
    if (goal_at / word_bits == i) stops |= word{1} << goal_at % word_bits;
    stops &= wanted;
    if (stops == 0) continue;
    const unsigned bit = word_bits - 1 - static_cast<unsigned>(std::countl_zero(stops));
    if ((here[i] >> bit & 1U) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(i * word_bits + bit - border);
  }
}

}  // namespace mlmq::astar
