// SPDX-License-Identifier: Apache-2.0
#include "graph/id_numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"

namespace mlmq::graph {

namespace {

/// Number of ids that take longer to number than a thread takes to start.
constexpr std::size_t ids_per_block = std::size_t{1} << 17;

std::uint64_t largest_of(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> of_blocks((ids.size() + ids_per_block - 1) / ids_per_block);
  for_each_block(ids.size(), ids_per_block, [&](std::size_t index, std::size_t first, std::size_t last) {
    of_blocks[index] = std::ranges::max(ids.subspan(first, last - first));
  });
  return std::ranges::max(of_blocks);
}

}  // namespace

file_ids number_ids(std::span<const std::uint64_t> ids, edge_list& edges, const line_place& place) {
  const std::size_t edge_count = ids.size() / 2;
  edges.sources.resize(edge_count);
  edges.targets.resize(edge_count);
  const auto assign = [&](const auto& number_of) {
    for_each_block(edge_count, ids_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        edges.sources[i] = number_of(ids[2 * i]);
        edges.targets[i] = number_of(ids[2 * i + 1]);
      }
    });
  };
  const auto check_count = [&](std::uint64_t count) {
    if (count > 0xFFFFFFFEu) {
      place.fail_file(fmt::format("{} vertices, expected at most {}", count, 0xFFFFFFFEu));
    }
  };
  const std::uint64_t largest = largest_of(ids);
  if (largest < 4 * ids.size() + (std::uint64_t{1} << 20)) {
    // The ids are dense enough for a table, which needs no sorting.
    std::vector<std::uint64_t> number(largest + 1, 0);
    for_each_block(ids.size(), ids_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
      for (const std::uint64_t id : ids.subspan(first, last - first))
        std::atomic_ref(number[id]).store(1, std::memory_order_relaxed);
    });
    std::vector<std::uint64_t> used;
    for (std::uint64_t id = 0; id <= largest; ++id) {
      if (std::exchange(number[id], used.size()) == 1) used.push_back(id);
    }
    check_count(used.size());
    assign([&](std::uint64_t id) { return static_cast<vertex_id>(number[id]); });
    return file_ids::listed(std::move(used));
  }
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  check_count(sorted.size());
  assign([&](std::uint64_t id) {
    return static_cast<vertex_id>(std::lower_bound(sorted.begin(), sorted.end(), id) - sorted.begin());
  });
  return file_ids::listed(std::move(sorted));
}

}  // namespace mlmq::graph
