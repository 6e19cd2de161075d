// SPDX-License-Identifier: Apache-2.0
#include "library/path_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "graph/reverse.hpp"
#include "library/access.hpp"
#include "library/device_lock.hpp"
#include "library/digraph_data.hpp"

namespace mlmq::detail {

graph::csr_graph searched_graph(const digraph& graph, problems::search_kind kind) {
  // The type of the weights determines how distances are read.
  const graph::csr_graph& csr = access::get(graph).csr;
  const bool is_unit = kind == problems::search_kind::bfs && csr.weights() != graph::weight_type::uint32;
  return is_unit ? graph::with_unit_weights(csr) : csr;
}

path_graph::path_graph(std::shared_ptr<device_data> device, const digraph& graph, problems::search_kind kind,
                       std::span<const std::uint32_t> quantities)
    : device_(std::move(device)),
      graph_(graph),
      csr_(searched_graph(graph, kind)),
      kind_(kind),
      quantities_(quantities.begin(), quantities.end()) {}

path_graph::~path_graph() {
  free_memory(*device_, std::move(device_ranges_));
  free_memory(*device_, std::move(device_edges_));
}

bool path_graph::has(const digraph& graph, std::span<const std::uint32_t> quantities) const {
  return &access::get(graph) == &access::get(graph_) && std::ranges::equal(quantities, quantities_);
}

u64 path_graph::weight_of(std::size_t edge) const {
  if (kind_ == problems::search_kind::bfs) return 1;
  return csr_.weights() == graph::weight_type::float64 ? csr_.wide_weight_bits()[edge] : csr_.weight_bits()[edge];
}

void path_graph::prepare() {
  if (is_prepared_) return;
  std::vector<incoming_edge> edges(csr_.edge_count());
  const std::vector<graph::edge_offset> first_edge =
      graph::reverse_rows(csr_, [&](std::size_t position, std::size_t edge, graph::vertex_id source) {
        edges[position] = {.source_and_quantity = u64{quantities_[edge]} << 32 | source, .weight = weight_of(edge)};
      });
  std::vector<edge_range> ranges;
  for (std::size_t v = 0; v + 1 < first_edge.size(); ++v) {
    ranges.push_back({.first = first_edge[v], .last = first_edge[v + 1]});
    std::ranges::sort(std::span(edges).subspan(first_edge[v], first_edge[v + 1] - first_edge[v]), {},
                      [](const incoming_edge& edge) { return std::rotl(edge.source_and_quantity, 32); });
  }
  if (device_->backend->info().grid) {
    device_edges_ = backends::uploaded(*device_->backend, edges, "edges into the vertices");
    device_ranges_ = backends::uploaded(*device_->backend, ranges, "ranges of edges into the vertices");
  } else {
    edges_ = std::move(edges);
    ranges_ = std::move(ranges);
  }
  is_prepared_ = true;
}

std::shared_ptr<path_graph> path_graph_cache::find(const digraph& graph, std::span<const std::uint32_t> quantities) {
  if (last_ == nullptr || !last_->has(graph, quantities)) {
    last_.reset();
    last_ = std::make_shared<path_graph>(device_, graph, kind_, quantities);
  }
  return last_;
}

}  // namespace mlmq::detail
