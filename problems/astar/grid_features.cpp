// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/grid_features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "problems/astar/pairs.hpp"
#include "problems/astar/path_search.hpp"

namespace mlmq::astar {
namespace {

constexpr std::uint64_t probes = 16;
constexpr std::uint64_t probe_seed = 0x70726F6265;

constexpr std::array meanings{
    tuner::named_meaning{"width", "columns"},
    tuner::named_meaning{"height", "rows"},
    tuner::named_meaning{"cells", "width times height"},
    tuner::named_meaning{"free", "free cells"},
    tuner::named_meaning{"blocked", "share of cells that are not free"},
    tuner::named_meaning{"corners_cut", "1 where diagonal steps may pass obstacles, else 0"},
    tuner::named_meaning{"steps", "mean number of legal steps from a free cell"},
    tuner::named_meaning{"blocked_run", "mean length of the runs of blocked cells in a row"},
    tuner::named_meaning{"free_run", "mean length of the runs of free cells in a row"},
    tuner::named_meaning{"largest_component", "share of the free cells in the largest component"},
    tuner::named_meaning{"reachable", "share of pairs of free cells with a path between them"},
    tuner::named_meaning{"probe_ratio",
                         "least length without obstacles / length, mean over a few searches; 1 if none found a path"},
    tuner::named_meaning{"probe_length", "mean length of the paths of these searches, in steps"},
    tuner::named_meaning{"probe_expansions", "mean number of cells that such a search expands"}};

class definitions_of_grids final : public tuner::workload_features {
 public:
  [[nodiscard]] std::span<const tuner::named_meaning> definitions() const override { return meanings; }
};

/// Returns the number of free cells of each connected component.
std::vector<double> component_sizes(const grid& map) {
  std::vector<double> sizes;
  std::vector<bool> seen(map.numbers(), false);
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < map.numbers(); ++first) {
    if (!map.is_free(first) || seen[first]) continue;
    double size = 0;
    seen[first] = true;
    open.assign(1, first);
    while (!open.empty()) {
      const std::uint32_t cell = open.back();
      open.pop_back();
      ++size;
      for (unsigned legal = map.moves(cell); legal != 0; legal &= legal - 1) {
        const std::uint32_t target = map.after_step(cell, static_cast<unsigned>(std::countr_zero(legal)));
        if (seen[target]) continue;
        seen[target] = true;
        open.push_back(target);
      }
    }
    sizes.push_back(size);
  }
  return sizes;
}

struct run_lengths {
  double blocked = 0;
  double free = 0;
};

run_lengths mean_runs(const grid& map) {
  double cells[2] = {};
  double runs[2] = {};
  for (std::uint32_t row = 0; row < map.height(); ++row) {
    for (std::uint32_t column = 0; column < map.width(); ++column) {
      const bool free = map.is_free(map.cell(column, row));
      cells[free ? 1 : 0] += 1;
      if (column == 0 || map.is_free(map.cell(column - 1, row)) != free) runs[free ? 1 : 0] += 1;
    }
  }
  const auto mean = [&](int kind) { return runs[kind] == 0 ? 0.0 : cells[kind] / runs[kind]; };
  return {.blocked = mean(0), .free = mean(1)};
}

struct probe_means {
  double ratio = 1;
  double length = 0;
  double expansions = 0;
};

probe_means probe(const grid& map) {
  probe_means means;
  if (map.free_cells() == 0) return means;
  const auto searcher = make_searcher("astar", map);
  double path_count = 0;
  double ratios = 0;
  double lengths = 0;
  for (const cell_pair& pair : drawn_pairs(map, probes, probe_seed)) {
    const units length = searcher->run(pair);
    if (length == unreachable || length == 0) continue;
    path_count += 1;
    ratios += static_cast<double>(free_length(map, pair.start, pair.goal)) / static_cast<double>(length);
    lengths += static_cast<double>(length) / straight_step;
  }
  means.expansions = static_cast<double>(searcher->work().expansions) / static_cast<double>(probes);
  if (path_count > 0) {
    means.ratio = ratios / path_count;
    means.length = lengths / path_count;
  }
  return means;
}

}  // namespace

const tuner::workload_features& grid_feature_definitions() {
  static const definitions_of_grids definitions;
  return definitions;
}

std::vector<std::pair<std::string, double>> features_of(const grid& map) {
  const double cells = static_cast<double>(map.width()) * map.height();
  const auto free = static_cast<double>(map.free_cells());
  double steps = 0;
  for (const std::uint8_t moves : map.all_moves()) steps += std::popcount(moves);
  double largest = 0;
  double pairs = 0;
  for (const double size : component_sizes(map)) {
    largest = std::max(largest, size);
    pairs += size * size;
  }
  const double some = std::max(free, 1.0);
  const run_lengths runs = mean_runs(map);
  const probe_means probed = probe(map);
  return {{"width", map.width()},
          {"height", map.height()},
          {"cells", cells},
          {"free", free},
          {"blocked", 1 - free / cells},
          {"corners_cut", map.corners() == corner_rule::cut ? 1 : 0},
          {"steps", steps / some},
          {"blocked_run", runs.blocked},
          {"free_run", runs.free},
          {"largest_component", largest / some},
          {"reachable", pairs / (some * some)},
          {"probe_ratio", probed.ratio},
          {"probe_length", probed.length},
          {"probe_expansions", probed.expansions}};
}

}  // namespace mlmq::astar
