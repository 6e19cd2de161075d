// SPDX-License-Identifier: Apache-2.0
#include "graph/array_checks.hpp"

#include <algorithm>
#include <vector>

#include "base/thread_team.hpp"

namespace mlmq::graph {
namespace {

/// Number of elements that take longer to read than a thread takes to start.
constexpr std::size_t checked_block = std::size_t{1} << 18;

/// Returns the first position of any block. @param find (first, last) returns the first position in that block
template <class Find>
std::optional<std::size_t> first_of_blocks(std::size_t size, const Find& find) {
  std::vector<std::optional<std::size_t>> positions((size + checked_block - 1) / checked_block);
  for_each_block(size, checked_block,
                 [&](std::size_t index, std::size_t first, std::size_t last) { positions[index] = find(first, last); });
  const auto match = std::ranges::find_if(positions, [](const auto& position) { return position.has_value(); });
  return match == positions.end() ? std::nullopt : *match;
}

template <class Number>
std::optional<std::size_t> first_large(std::span<const Number> numbers, Number limit) {
  return first_of_blocks(numbers.size(), [&](std::size_t first, std::size_t last) -> std::optional<std::size_t> {
    const auto part = numbers.subspan(first, last - first);
    // Without an exit in the loop, the compiler uses vectors.
    Number largest = 0;
    for (const Number number : part) largest = std::max(largest, number);
    if (part.empty() || largest < limit) return std::nullopt;
    const auto match = std::ranges::find_if(part, [limit](Number number) { return number >= limit; });
    return first + static_cast<std::size_t>(match - part.begin());
  });
}

}  // namespace

std::optional<std::size_t> first_at_least(std::span<const std::uint32_t> numbers, std::uint32_t limit) {
  return first_large(numbers, limit);
}

std::optional<std::size_t> first_at_least(std::span<const std::uint64_t> numbers, std::uint64_t limit) {
  return first_large(numbers, limit);
}

std::optional<std::size_t> first_decrease(std::span<const std::uint64_t> numbers) {
  if (numbers.empty()) return std::nullopt;
  return first_of_blocks(numbers.size() - 1, [&](std::size_t first, std::size_t last) -> std::optional<std::size_t> {
    for (std::size_t i = first; i < last; ++i) {
      if (numbers[i] > numbers[i + 1]) return i;
    }
    return std::nullopt;
  });
}

}  // namespace mlmq::graph
