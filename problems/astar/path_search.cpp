// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/path_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <queue>
#include <thread>
#include <utility>

#include "problems/astar/bucket_astar.hpp"
#include "problems/astar/jump_search.hpp"

namespace mlmq::astar {
namespace {

class dijkstra final : public path_searcher {
 public:
  explicit dijkstra(const grid& map) : map_(map), lengths_(map.numbers()) {}

  [[nodiscard]] units run(const cell_pair& pair) override {
    using entry = std::pair<units, std::uint32_t>;
    std::fill(lengths_.begin(), lengths_.end(), unreachable);
    std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
    lengths_[pair.start] = 0;
    open.emplace(0, pair.start);
    while (!open.empty()) {
      const auto [length, cell] = open.top();
      open.pop();
      if (length > lengths_[cell]) {
        ++work_.stale;
        continue;
      }
      if (cell == pair.goal) return length;
      ++work_.expansions;
      for (unsigned d = 0; d < 8; ++d) {
        if ((map_.moves(cell) >> d & 1U) == 0) continue;
        const std::uint32_t target = map_.after_step(cell, d);
        const units total = length + units_of_step(d);
        if (total >= lengths_[target]) continue;
        lengths_[target] = total;
        ++work_.inserted;
        open.emplace(total, target);
      }
    }
    return unreachable;
  }

  [[nodiscard]] units length_at(std::uint32_t cell) const override { return lengths_[cell]; }

 private:
  const grid& map_;
  std::vector<units> lengths_;
};

constexpr std::array<std::string_view, 3> names{"astar", "jps", "dijkstra"};

}  // namespace

std::span<const std::string_view> searcher_names() { return names; }

std::unique_ptr<path_searcher> make_searcher(std::string_view name, const grid& map) {
  if (name == "astar") return std::make_unique<bucket_astar>(map);
  if (name == "jps") return std::make_unique<jump_search>(map);
  if (name == "dijkstra") return std::make_unique<dijkstra>(map);
  return nullptr;
}

units free_length(const grid& map, std::uint32_t start, std::uint32_t goal) noexcept {
  const auto difference = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
  const std::uint32_t columns = difference(map.column(start), map.column(goal));
  const std::uint32_t rows = difference(map.row(start), map.row(goal));
  const std::uint32_t less = std::min(columns, rows);
  return units_of({.straight = columns + rows - 2 * less, .diagonal = less});
}

std::vector<units> solve_all(const grid& map, std::span<const cell_pair> pairs, unsigned threads,
                             std::string_view searcher) {
  std::vector<units> lengths(pairs.size(), unreachable);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(1, pairs.size() / 4)));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    const std::unique_ptr<path_searcher> thread_searcher = make_searcher(searcher, map);
    for (std::size_t i = next++; i < pairs.size(); i = next++) lengths[i] = thread_searcher->run(pairs[i]);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return lengths;
}

}  // namespace mlmq::astar
