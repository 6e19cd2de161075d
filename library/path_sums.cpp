// SPDX-License-Identifier: Apache-2.0
#include "library/path_sums.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "graph/reverse.hpp"
#include "graph/weight_traits.hpp"
#include "library/access.hpp"
#include "library/device_lock.hpp"
#include "library/digraph_data.hpp"
#include "library/predecessors.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/result_memory.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "reductions/path_sums_abi.cuh"

namespace mlmq::detail {
namespace {

constexpr std::uint64_t unknown_sum = ~std::uint64_t{0};

std::vector<graph::vertex_id> tree_of(const path_graph& graph, graph::vertex_id source,
                                      std::span<const graph::distance_bits> row) {
  return graph::predecessors(graph.csr(), graph.kind() == problems::search_kind::bfs, source, row, 1);
}
std::vector<graph::vertex_id> tree_of(const path_graph& graph, graph::vertex_id source,
                                      std::span<const graph::wide_distance_bits> row) {
  return graph::predecessors(graph.csr(), source, row, 1);
}

/// Calls visit(extend), where extend(distance, edge) is the distance at the end of an edge.
template <class Bits, class Visit>
void with_extension(const path_graph& graph, const Visit& visit) {
  if constexpr (sizeof(Bits) == sizeof(graph::wide_distance_bits)) {
    using traits = graph::weight_traits<graph::weight_type::float64>;
    visit([weights = traits::weights_of(graph.csr())](Bits distance, std::size_t edge) {
      return traits::extend(distance, weights[edge]);
    });
  } else if (graph.kind() == problems::search_kind::bfs) {
    visit([](Bits distance, std::size_t) { return graph::extend_by<graph::weight_type::uint32>(distance, 1); });
  } else {
    visit([weights = graph.csr().weight_bits(), type = graph.csr().weights()](Bits distance, std::size_t edge) {
      return graph::extend(type, distance, weights[edge]);
    });
  }
}

/// Sums along the paths of one search.
template <class Bits>
class path_tree {
 public:
  path_tree(const path_graph& graph, graph::vertex_id source, std::span<const Bits> row)
      : tree_(tree_of(graph, source, row)),
        last_step_(row.size(), std::numeric_limits<std::uint32_t>::max()),
        sums_(row.size(), unknown_sum) {
    sums_[source] = 0;
    with_extension<Bits>(graph, [&](const auto& extend) {
      const std::span<const graph::edge_offset> offsets = graph.csr().offsets();
      const std::span<const graph::vertex_id> targets = graph.csr().targets();
      for (graph::vertex_id u = 0; u < row.size(); ++u) {
        for (graph::edge_offset edge = offsets[u]; edge < offsets[u + std::size_t{1}]; ++edge) {
          const graph::vertex_id v = targets[edge];
          if (tree_[v] == u && extend(row[u], edge) == row[v])
            last_step_[v] = std::min(last_step_[v], graph.quantities()[edge]);
        }
      }
    });
  }

  /// Returns the sum of the path to a vertex that is reached.
  [[nodiscard]] std::uint64_t sum_to(graph::vertex_id vertex) {
    path_.clear();
    for (; sums_[vertex] == unknown_sum; vertex = tree_[vertex]) path_.push_back(vertex);
    std::uint64_t sum = sums_[vertex];
    for (; !path_.empty(); path_.pop_back()) {
      sum += last_step_[path_.back()];
      sums_[path_.back()] = sum;
    }
    return sum;
  }

 private:
  std::vector<graph::vertex_id> tree_;
  std::vector<std::uint32_t> last_step_;  ///< quantity of the edge from the predecessor
  std::vector<std::uint64_t> sums_;       ///< or unknown_sum
  std::vector<graph::vertex_id> path_;
};

class path_sum_reader final : public multi_source::distance_reader {
 public:
  path_sum_reader(backends::backend& device, std::shared_ptr<path_graph> graph, searched_pairs pairs)
      : device_(device), graph_(std::move(graph)), pairs_(std::move(pairs)), results_(device, graph_->csr().weights()) {
    if (!results_.is_on_device()) return;
    graph_->upload();
    placer_ = device.compile(edge_place_variant());
    sources_ = backends::uploaded(device, pairs_.sources, "sources of searches");
    first_pair_ = backends::uploaded(device, pairs_.first_pair, "pairs of searches");
    vertices_ = backends::uploaded(device, pairs_.vertices, "vertices of pairs");
    for (std::size_t i = 0; i < pairs_.sources.size(); ++i)
      most_pairs_ = std::max<std::size_t>(most_pairs_, pairs_.first_pair[i + 1] - pairs_.first_pair[i]);
  }

  void begin(std::size_t searches) override {
    if (searches != pairs_.sources.size()) throw std::logic_error("pairs of other searches");
    results_.begin(pairs_.vertices.size(), no_result, path_sum_variant(graph_->csr().weights()));
  }

  void read(const distance_batch& batch, multi_source_control* control) override {
    const std::size_t most_pieces = (most_pairs_ + simt::warp_size - 1) / simt::warp_size;
    if (most_pieces == 0) return;
    const bool has_rows = batch.vertex_rows != nullptr;
    if (has_rows) place_edges(batch);
    const std::size_t pieces = std::clamp<std::size_t>(results_.enough_tasks(0) / batch.columns, 1, most_pieces);
    results_.launch(
        path_sum_arguments{
            .batch = batch,
            .sources = sources_.as<const u32>(),
            .first_pair = first_pair_.as<const u32>(),
            .vertices = vertices_.as<const u32>(),
            .ranges = has_rows ? row_ranges_.as<const edge_range>() : graph_->ranges().as<const edge_range>(),
            .edges = has_rows ? row_edges_.as<const incoming_edge>() : graph_->edges().as<const incoming_edge>(),
            .control = control,
            .results = nullptr,
            .pieces = static_cast<u32>(pieces)},
        batch.columns * pieces, 0);
  }
  void read(std::size_t search, std::span<const graph::distance_bits> row) override { read_row(search, row); }
  void read(std::size_t search, std::span<const graph::wide_distance_bits> row) override { read_row(search, row); }

  [[nodiscard]] std::vector<std::uint64_t> results() override {
    std::vector<std::uint64_t> sums = results_.results();
    resolve(sums);
    return sums;
  }
  [[nodiscard]] bool has_saturated() override { return results_.has_saturated(); }

 private:
  [[nodiscard]] std::span<std::uint64_t> of_search(std::span<std::uint64_t> sums, std::size_t search) const {
    return sums.subspan(pairs_.first_pair[search], pairs_.first_pair[search + 1] - pairs_.first_pair[search]);
  }

  /// Prepares the edges for a layout of distances.
  void place_edges(const distance_batch& batch) {
    if (batch.vertex_rows == placed_rows_) return;
    placed_rows_ = batch.vertex_rows;
    const std::size_t edges = graph_->csr().edge_count();
    row_ranges_.reserve(device_, batch.group_rows * sizeof(edge_range), "ranges of edges into the rows");
    row_edges_.reserve(device_, std::max<std::size_t>(edges, 1) * sizeof(incoming_edge), "edges into the rows");
    const edge_place_arguments arguments{.vertex_rows = batch.vertex_rows,
                                         .vertex_ranges = graph_->ranges().as<const edge_range>(),
                                         .vertex_edges = graph_->edges().as<const incoming_edge>(),
                                         .row_ranges = row_ranges_.as<edge_range>(),
                                         .row_edges = row_edges_.as<incoming_edge>(),
                                         .vertices = graph_->csr().vertex_count()};
    const std::size_t blocks = (graph_->csr().vertex_count() + reduction_threads - 1) / reduction_threads;
    device_.launch(*placer_, {.grid_blocks = static_cast<unsigned>(blocks),
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = false});
  }

  template <class Bits>
  void read_row(std::size_t search, std::span<const Bits> row) {
    const std::span<std::uint64_t> sums = results_.on_host(0, pairs_.vertices.size());
    std::ranges::fill(of_search(sums, search), unresolved_path);
    resolve_search(search, row, sums);
  }

  /// Computes the sums of the pairs of a search that are unresolved.
  template <class Bits>
  void resolve_search(std::size_t search, std::span<const Bits> row, std::span<std::uint64_t> sums) {
    std::optional<path_tree<Bits>> tree;
    for (std::size_t pair = pairs_.first_pair[search]; pair < pairs_.first_pair[search + 1]; ++pair) {
      if (sums[pair] != unresolved_path) continue;
      const graph::vertex_id vertex = pairs_.vertices[pair];
      sums[pair] = no_result;
      if (row[vertex] == static_cast<Bits>(~Bits{0})) continue;
      if (!tree) tree.emplace(*graph_, pairs_.sources[search], row);
      sums[pair] = tree->sum_to(vertex);
    }
  }

  /// Repeats the searches that have paths over edges that add nothing to a distance.
  void resolve(std::span<std::uint64_t> sums) {
    std::vector<std::size_t> searches;
    multi_source::search_set set;
    for (std::size_t search = 0; search < pairs_.sources.size(); ++search) {
      if (std::ranges::count(of_search(sums, search), unresolved_path) == 0) continue;
      searches.push_back(search);
      set.sources.push_back(pairs_.sources[search]);
    }
    if (searches.empty()) return;
    const bool is_wide = graph_->csr().weights() == graph::weight_type::float64;
    multi_source::visit_right_distances(graph_->csr(), graph_->kind(), set,
                                        [&](std::size_t i, const multi_source::sequential_search& right) {
                                          if (is_wide) {
                                            resolve_search(searches[i], right.wide_distances(), sums);
                                          } else {
                                            resolve_search(searches[i], right.distances(), sums);
                                          }
                                        });
  }

  backends::backend& device_;
  std::shared_ptr<path_graph> graph_;
  searched_pairs pairs_;
  std::size_t most_pairs_ = 0;  ///< of a search
  multi_source::result_memory results_;
  backends::device_memory sources_;
  backends::device_memory first_pair_;
  backends::device_memory vertices_;
  std::shared_ptr<const backends::kernel> placer_;
  problems::growing_memory row_ranges_;
  problems::growing_memory row_edges_;
  const u32* placed_rows_ = nullptr;  ///< for which the edges are placed
};

}  // namespace

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
  free_memory(*device_, std::move(ranges_));
  free_memory(*device_, std::move(edges_));
}

bool path_graph::has(const digraph& graph, std::span<const std::uint32_t> quantities) const {
  return &access::get(graph) == &access::get(graph_) && std::ranges::equal(quantities, quantities_);
}

void path_graph::upload() {
  if (ranges_.bytes() > 0) return;
  std::vector<incoming_edge> edges(csr_.edge_count());
  const auto weight_of = [&](std::size_t edge) -> u64 {
    if (kind_ == problems::search_kind::bfs) return 1;
    return csr_.weights() == graph::weight_type::float64 ? csr_.wide_weight_bits()[edge] : csr_.weight_bits()[edge];
  };
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
  edges_ = backends::uploaded(*device_->backend, edges, "edges into the vertices");
  ranges_ = backends::uploaded(*device_->backend, ranges, "ranges of edges into the vertices");
}

std::shared_ptr<path_graph> path_graph_cache::find(const digraph& graph, std::span<const std::uint32_t> quantities) {
  if (last_ == nullptr || !last_->has(graph, quantities)) {
    last_.reset();
    last_ = std::make_shared<path_graph>(device_, graph, kind_, quantities);
  }
  return last_;
}

std::unique_ptr<multi_source::distance_reader> make_path_sum_reader(backends::backend& device,
                                                                    std::shared_ptr<path_graph> graph,
                                                                    searched_pairs pairs) {
  return std::make_unique<path_sum_reader>(device, std::move(graph), std::move(pairs));
}

backends::kernel_source edge_place_variant() {
  return {.file = "reductions/place_edges.cu",
          .entry = "place_edges",
          .block_threads = reduction_threads,
          .defines = {},
          .folder = {}};
}

backends::kernel_source path_sum_variant(graph::weight_type type) {
  return {.file = "reductions/path_sums.cu",
          .entry = "path_sums",
          .block_threads = reduction_threads,
          .defines = {{"MLMQ_DISTANCE", problems::distance_class(type)}},
          .folder = {}};
}

}  // namespace mlmq::detail
