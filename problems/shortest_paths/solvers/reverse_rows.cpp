// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/reverse_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/reverse.hpp"
#include "graph/weight_traits.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "reverse_rows_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr const char* starts_name = "the row starts of the reversed edges";
constexpr const char* edges_name = "the reversed edges";

/// Making rows takes a processor 10 to 30 ns per edge, and a GPU about a millisecond. Its kernel is compiled once per
/// machine.
constexpr graph::edge_offset edges_worth_a_kernel = 100'000;

// The words of edges: a target; a target below a weight; or a wide_edge.
u32 with_target(u32 /*word*/, graph::vertex_id target) { return target; }
std::uint64_t with_target(std::uint64_t word, graph::vertex_id target) { return (word >> 32 << 32) | target; }
graph::wide_edge with_target(const graph::wide_edge& word, graph::vertex_id target) {
  return {.target = target, .weight_bits = word.weight_bits};
}

auto sort_key(u32 word) { return word; }
auto sort_key(std::uint64_t word) { return word; }
auto sort_key(const graph::wide_edge& word) { return std::pair(word.target, word.weight_bits); }

template <class Word>
struct host_rows {
  std::vector<std::uint64_t> offsets;
  std::vector<Word> edges;
};

/// Returns the in-edges; each row is sorted by source vertex.
template <class Word>
host_rows<Word> reversed(const graph::csr_graph& graph, std::span<const Word> words) {
  host_rows<Word> rows{.offsets = {}, .edges = std::vector<Word>(words.size())};
  rows.offsets =
      graph::reverse_rows(graph, [&](graph::edge_offset position, graph::edge_offset edge, graph::vertex_id source) {
        rows.edges[position] = with_target(words[edge], source);
      });
  return rows;
}

/// Returns whether each row has the same edges in both.
template <class Word>
bool are_rows_of(const graph::csr_graph& graph, std::span<const Word> words, const host_rows<Word>& rows) {
  if (!std::ranges::equal(graph.offsets(), rows.offsets)) return false;
  const auto key = [](const Word& word) { return sort_key(word); };
  std::vector<Word> row;
  std::vector<Word> reversed_row;
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    const std::size_t begin = rows.offsets[v];
    const std::size_t degree = rows.offsets[v + 1] - begin;
    const auto edges = words.subspan(begin, degree);
    const auto reversed_edges = std::span(rows.edges).subspan(begin, degree);
    if (std::ranges::equal(edges, reversed_edges, {}, key, key)) continue;
    row.assign(edges.begin(), edges.end());
    reversed_row.assign(reversed_edges.begin(), reversed_edges.end());
    std::ranges::sort(row, {}, key);
    std::ranges::sort(reversed_row, {}, key);
    if (!std::ranges::equal(row, reversed_row, {}, key, key)) return false;
  }
  return true;
}

backends::device_memory borrowed(const backends::device_memory& memory) {
  return backends::device_memory::borrowed(memory.address(), memory.bytes());
}

}  // namespace

template <class Word>
std::shared_ptr<reversed_rows> resident_reverse::make_on_host(std::span<const Word> words) const {
  const host_rows<Word> rows = reversed(graph_, words);
  auto result = std::make_shared<reversed_rows>();
  if (are_rows_of(graph_, words, rows)) {
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

std::shared_ptr<reversed_rows> resident_reverse::make_on_host() const {
  if (unit_weights_) return make_on_host(graph_.targets());
  if (graph_.weights() == graph::weight_type::float64) {
    return make_on_host(std::span<const graph::wide_edge>(wide_edges_of(graph_)));
  }
  return make_on_host(std::span<const std::uint64_t>(narrow_edges_of(graph_)));
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
  const std::size_t word_bytes = edge_bytes(graph_.weights(), unit_weights_);
  const auto run = [&](void* reversed_edges) {
    const reverse_rows_arguments arguments{.offsets = on_device_.offsets.address(),
                                           .edges = on_device_.edges.address(),
                                           .places = places.address(),
                                           .reversed_edges = reversed_edges,
                                           .edge_count = graph_.edge_count(),
                                           .vertices = static_cast<u32>(n),
                                           .wide_offsets = on_device_.wide_offsets ? 1U : 0U,
                                           .edge_bytes = static_cast<u32>(word_bytes)};
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
  rows.edges = device_.allocate(graph_.edge_count() * word_bytes, edges_name);
  run(rows.edges.address());
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
