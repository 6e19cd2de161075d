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
  if (sum != length)
    return fmt::format("the path has {}, but its length is given as {}", text_of(sum), text_of(length));
  return "";
}

std::string wrong_length(const grid& map, const reference& right, const answers& actual, std::size_t i) {
  const units length = actual.lengths[i] == no_length ? unreachable : actual.lengths[i];
  const units shortest = right.lengths[i];
  const bool fits =
      actual.shortest || length == unreachable || shortest == unreachable ? length == shortest : length >= shortest;
  if (!fits) return fmt::format("the shortest path has {}, but the answer has {}", text_of(shortest), text_of(length));
  if (!actual.shortest || right.searches.printed.empty() || map.corners() == corner_rule::cut) return "";
  const double printed = right.searches.printed[i];
  const double actual_length = length == unreachable ? HUGE_VAL : counts_of_units(actual.lengths[i]).length();
  if (std::abs(actual_length - printed) <= length_tolerance) return "";
  return fmt::format("the scenarios say that the shortest path is {} long, not {:.4f}", printed, actual_length);
}

}  // namespace

void reference::compute(const grid& map, const std::string& solver, unsigned threads) {
  const std::string_view searcher = solver == "cpu_astar" ? "dijkstra" : "astar";
  if (computed_by == searcher) return;
  lengths = solve_all(map, searches.pairs, threads, searcher);
  computed_by = searcher;
}

std::string find_error(const grid& map, const reference& right, const answers& actual) {
  if (actual.lengths.size() != right.lengths.size()) {
    return fmt::format("{} answers for {} searches", actual.lengths.size(), right.lengths.size());
  }
  for (std::size_t i = 0; i < right.lengths.size(); ++i) {
    const cell_pair& pair = right.searches.pairs[i];
    std::string wrong = wrong_length(map, right, actual, i);
    if (wrong.empty() && !actual.path_begins.empty() && actual.lengths[i] != no_length) {
      const step_counts counts = counts_of_units(actual.lengths[i]);
      const std::size_t steps = std::size_t{counts.straight} + counts.diagonal;
      const std::size_t begin = actual.path_begins[i];
      wrong = begin > actual.paths.size() || steps > actual.paths.size() - begin
                  ? "its path is missing"
                  : wrong_path(map, pair, actual.lengths[i], actual.paths.subspan(begin, steps));
    }
    if (wrong.empty()) continue;
    return fmt::format("search {} from {},{} to {},{}: {}", i, map.column(pair.start), map.row(pair.start),
                       map.column(pair.goal), map.row(pair.goal), wrong);
  }
  return "";
}

excess excess_of(const reference& right, std::span<const std::uint32_t> lengths) {
  excess result;
  double paths = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == no_length || right.lengths[i] == unreachable) continue;
    paths += 1;
    if (right.lengths[i] == 0) continue;
    const double more = static_cast<double>(lengths[i]) / static_cast<double>(right.lengths[i]) - 1;
    result.mean += more;
    result.longer += more > 0 ? 1 : 0;
    result.largest = std::max(result.largest, more);
  }
  if (paths > 0) {
    result.mean /= paths;
    result.longer /= paths;
  }
  return result;
}

}  // namespace mlmq::astar
