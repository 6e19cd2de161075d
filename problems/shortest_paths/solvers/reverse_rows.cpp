// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/reverse_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "problems/graphs/helper_kernels.hpp"
#include "reverse_rows_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr const char* starts_name = "the row starts of the reversed edges";
constexpr const char* edges_name = "the reversed edges";

/// Making rows takes a processor about 30 ns per edge, and a GPU a few milliseconds plus compiling the kernel once.
constexpr graph::edge_offset edges_worth_a_kernel = 1'000'000;

struct host_rows {
  std::vector<std::uint64_t> offsets;
  std::vector<graph::vertex_id> edges;
};

/// Returns the in-edges; each row is sorted by source vertex.
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

/// Returns whether each row has the same edges in both. @param rows sorted rows
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

std::shared_ptr<reversed_rows> resident_reverse::make_on_host() const {
  const host_rows rows = reversed(graph_);
  auto result = std::make_shared<reversed_rows>();
  if (are_rows_of(graph_, rows)) {
    result->offsets = borrowed(on_device_.offsets);
    result->edges = borrowed(on_device_.edges);
    return result;
  }
  if (on_device_.wide_offsets) {
    result->offsets = backends::uploaded(device_, rows.offsets, starts_name);
  } else {
    const std::vector<std::uint32_t> narrow(rows.offsets.begin(), rows.offsets.end());
    result->offsets = backends::uploaded(device_, narrow, starts_name);
  }
  result->edges = backends::uploaded(device_, rows.edges, edges_name);
  return result;
}

template <class Offset>
void resident_reverse::make_on_device(reversed_rows& rows) const {
  constexpr unsigned blocks_per_multiprocessor = 8;
  const backends::device_info& info = device_.info();
  const auto kernel = device_.compile(helper_variant("reverse_rows", info));
  const unsigned blocks =
      std::clamp(kernel->resident_blocks(0), 1U, blocks_per_multiprocessor * std::max(1U, info.multiprocessors));
  const std::size_t n = graph_.vertex_count();
  std::vector<Offset> starts(n + 1);
  const backends::device_memory places = device_.allocate(starts.size() * sizeof(Offset), "places of reversed edges");
  const auto run = [&](u32* sources) {
    const reverse_rows_arguments arguments{.offsets = on_device_.offsets.address(),
                                           .edges = on_device_.edges.as<u32>(),
                                           .places = places.address(),
                                           .sources = sources,
                                           .edge_count = graph_.edge_count(),
                                           .vertices = static_cast<u32>(n),
                                           .wide_offsets = on_device_.wide_offsets ? 1U : 0U};
    device_.set_watchdog({});
    (void)device_.measure([&] {
      device_.launch(*kernel, {.grid_blocks = blocks,
                               .shared_bytes = 0,
                               .arguments = &arguments,
                               .argument_bytes = sizeof arguments,
                               .together = false});
    });
  };
  device_.fill(places, 0, places.bytes(), 0);
  run(nullptr);
  device_.download(starts.data(), places, places.bytes());
  std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), Offset{0});
  rows.offsets = backends::uploaded(device_, starts, starts_name);
  device_.upload(places, starts.data(), places.bytes());
  rows.edges = device_.allocate(graph_.edge_count() * sizeof(u32), edges_name);
  run(rows.edges.as<u32>());
}

std::shared_ptr<reversed_rows> resident_reverse::make_on_device() const {
  auto result = std::make_shared<reversed_rows>();
  if (on_device_.wide_offsets) {
    make_on_device<std::uint64_t>(*result);
  } else {
    make_on_device<std::uint32_t>(*result);
  }
  return result;
}

std::shared_ptr<const reversed_rows> resident_reverse::get() {
  if (rows_ != nullptr) return rows_;
  const backends::device_info& info = device_.info();
  const bool is_large = !info.modelled && graph_.edge_count() >= edges_worth_a_kernel;
  rows_ = info.grid && (is_large || !graph_.is_fetched()) ? make_on_device() : make_on_host();
  return rows_;
}

bool resident_reverse::drop_unused() {
  if (rows_ == nullptr || rows_.use_count() > 1) return false;
  rows_.reset();
  return true;
}

}  // namespace mlmq::problems
