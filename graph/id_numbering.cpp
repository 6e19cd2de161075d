// SPDX-License-Identifier: Apache-2.0
#include "graph/id_numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mlmq::graph {

file_ids number_ids(const std::vector<std::uint64_t>& ids, edge_list& edges, const text_reader& reader) {
  const std::size_t edge_count = ids.size() / 2;
  edges.sources.resize(edge_count);
  edges.targets.resize(edge_count);
  const auto assign = [&](const auto& number_of) {
    for (std::size_t i = 0; i < edge_count; ++i) {
      edges.sources[i] = number_of(ids[2 * i]);
      edges.targets[i] = number_of(ids[2 * i + 1]);
    }
  };
  const auto check_count = [&](std::uint64_t count) {
    if (count > 0xFFFFFFFEu) {
      reader.fail_file(fmt::format("{} vertices, expected at most {}", count, 0xFFFFFFFEu));
    }
  };
  const std::uint64_t largest = *std::max_element(ids.begin(), ids.end());
  if (largest < 4 * ids.size() + (std::uint64_t{1} << 20)) {
    // The ids are dense enough for a table, which needs no sorting.
    std::vector<std::uint64_t> number(largest + 1, 0);
    for (const std::uint64_t id : ids) number[id] = 1;
    std::vector<std::uint64_t> used;
    for (std::uint64_t id = 0; id <= largest; ++id) {
      if (std::exchange(number[id], used.size()) == 1) used.push_back(id);
    }
    check_count(used.size());
    assign([&](std::uint64_t id) { return static_cast<vertex_id>(number[id]); });
    return file_ids::listed(std::move(used));
  }
  std::vector<std::uint64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  check_count(sorted.size());
  assign([&](std::uint64_t id) {
    return static_cast<vertex_id>(std::lower_bound(sorted.begin(), sorted.end(), id) - sorted.begin());
  });
  return file_ids::listed(std::move(sorted));
}

}  // namespace mlmq::graph
