// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/reverse_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mlmq::problems {
namespace {

struct host_rows {
  std::vector<std::uint64_t> offsets;
  std::vector<graph::vertex_id> edges;
};

/// In-edges, by the vertices they come from: each row ascends.
host_rows reversed(const graph::csr_graph& graph) {
  const std::size_t n = graph.vertex_count();
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  host_rows rows{.offsets = std::vector<std::uint64_t>(n + 1, 0),
                 .edges = std::vector<graph::vertex_id>(graph.edge_count())};
  for (const graph::vertex_id target : targets) ++rows.offsets[target + std::size_t{1}];
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::size_t v = 0; v < n; ++v) {
    for (auto i = offsets[v]; i < offsets[v + 1]; ++i) {
      rows.edges[next[targets[i]]++] = static_cast<graph::vertex_id>(v);
    }
  }
  return rows;
}

/// Whether each row has the same edges in both. @param rows ascending
bool are_rows_of(const graph::csr_graph& graph, const host_rows& rows) {
  if (!std::ranges::equal(graph.offsets(), rows.offsets)) return false;
  if (std::ranges::equal(graph.targets(), rows.edges)) return true;
  std::vector<graph::vertex_id> row;
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    const std::size_t begin = rows.offsets[v];
    const auto targets = graph.targets().subspan(begin, rows.offsets[v + 1] - begin);
    row.assign(targets.begin(), targets.end());
    std::ranges::sort(row);
    if (!std::equal(row.begin(), row.end(), rows.edges.begin() + static_cast<std::ptrdiff_t>(begin))) return false;
  }
  return true;
}

backends::device_memory borrowed(const backends::device_memory& memory) {
  return backends::device_memory::borrowed(memory.address(), memory.bytes());
}

}  // namespace

std::shared_ptr<const reversed_rows> resident_reverse::get() {
  if (rows_ != nullptr) return rows_;
  const host_rows rows = reversed(graph_);
  auto made = std::make_shared<reversed_rows>();
  if (are_rows_of(graph_, rows)) {
    made->offsets = borrowed(on_device_.offsets);
    made->edges = borrowed(on_device_.edges);
  } else {
    if (on_device_.wide_offsets) {
      made->offsets = backends::uploaded(device_, rows.offsets, "the row starts of the reversed edges");
    } else {
      const std::vector<std::uint32_t> narrow(rows.offsets.begin(), rows.offsets.end());
      made->offsets = backends::uploaded(device_, narrow, "the row starts of the reversed edges");
    }
    made->edges = backends::uploaded(device_, rows.edges, "the reversed edges");
  }
  rows_ = std::move(made);
  return rows_;
}

bool resident_reverse::drop_unused() {
  if (rows_ == nullptr || rows_.use_count() > 1) return false;
  rows_.reset();
  return true;
}

}  // namespace mlmq::problems
