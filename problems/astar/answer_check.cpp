// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/answer_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problems/astar/map_file.hpp"

namespace mlmq::astar {
namespace {

std::string text_of(units length) {
  if (length == unreachable) return "no path";
  if (length >= no_length) return fmt::format("{} units", length);
  const step_counts counts = counts_of_units(static_cast<std::uint32_t>(length));
  return fmt::format("{} straight and {} diagonal steps", counts.straight, counts.diagonal);
}

std::string wrong_path(const grid& map, const cell_pair& pair, std::uint32_t length,
                       std::span<const std::uint8_t> path) {
  std::uint32_t cell = pair.start;
  units sum = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const unsigned d = path[i];
    if (d >= 8 || (map.moves(cell) >> d & 1U) == 0) {
      return fmt::format("step {} of the path, in direction {} from {},{}, is not legal", i, d, map.column(cell),
                         map.row(cell));
    }
    cell = map.after_step(cell, d);
    sum += units_of_step(d);
  }
  if (cell != pair.goal) return fmt::format("the path ends at {},{}", map.column(cell), map.row(cell));
  if (sum != length) return fmt::format("the path has {}, but {} are said", text_of(sum), text_of(length));
  return "";
}

std::string wrong_length(const grid& map, const reference& right, const answers& given, std::size_t i) {
  const units length = given.lengths[i] == no_length ? unreachable : given.lengths[i];
  const units shortest = right.lengths[i];
  const bool fits =
      given.shortest || length == unreachable || shortest == unreachable ? length == shortest : length >= shortest;
  if (!fits) return fmt::format("the shortest path has {}, not {}", text_of(shortest), text_of(length));
  if (!given.shortest || right.asked.printed.empty() || map.corners() == corner_rule::cut) return "";
  const double printed = right.asked.printed[i];
  const double found = length == unreachable ? HUGE_VAL : counts_of_units(given.lengths[i]).length();
  if (std::abs(found - printed) <= length_tolerance) return "";
  return fmt::format("the scenarios say that the shortest path is {} long, not {:.4f}", printed, found);
}

}  // namespace

void reference::compute(const grid& map, unsigned threads) {
  if (lengths.empty()) lengths = solve_all(map, asked.pairs, threads);
}

std::string what_is_wrong(const grid& map, const reference& right, const answers& given) {
  if (given.lengths.size() != right.lengths.size()) {
    return fmt::format("{} answers for {} searches", given.lengths.size(), right.lengths.size());
  }
  for (std::size_t i = 0; i < right.lengths.size(); ++i) {
    const cell_pair& pair = right.asked.pairs[i];
    std::string wrong = wrong_length(map, right, given, i);
    if (wrong.empty() && !given.path_begins.empty() && given.lengths[i] != no_length) {
      const step_counts counts = counts_of_units(given.lengths[i]);
      const std::size_t steps = std::size_t{counts.straight} + counts.diagonal;
      const std::size_t begin = given.path_begins[i];
      wrong = begin > given.paths.size() || steps > given.paths.size() - begin
                  ? "its path is not there"
                  : wrong_path(map, pair, given.lengths[i], given.paths.subspan(begin, steps));
    }
    if (wrong.empty()) continue;
    return fmt::format("search {} from {},{} to {},{}: {}", i, map.column(pair.start), map.row(pair.start),
                       map.column(pair.goal), map.row(pair.goal), wrong);
  }
  return "";
}

excess excess_of(const reference& right, std::span<const std::uint32_t> lengths) {
  excess found;
  double paths = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == no_length || right.lengths[i] == unreachable) continue;
    paths += 1;
    if (right.lengths[i] == 0) continue;
    const double more = static_cast<double>(lengths[i]) / static_cast<double>(right.lengths[i]) - 1;
    found.mean += more;
    found.longer += more > 0 ? 1 : 0;
    found.largest = std::max(found.largest, more);
  }
  if (paths > 0) {
    found.mean /= paths;
    found.longer /= paths;
  }
  return found;
}

}  // namespace mlmq::astar
