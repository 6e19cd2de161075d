// SPDX-License-Identifier: Apache-2.0
#include "library/path_sums.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "base/time_limit.hpp"
#include "graph/weight_traits.hpp"
#include "library/predecessors.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/result_memory.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/time_limit.hpp"
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

/// Calls visit(extend), where extend(distance, weight) is the distance at the end of an edge.
template <class Bits, class Visit>
void with_extension(const path_graph& graph, const Visit& visit) {
  graph::with_weight_traits(graph.csr().weights(), [&](auto traits) {
    if constexpr (std::is_same_v<typename decltype(traits)::bits, Bits>) {
      visit([](Bits distance, u64 weight) { return decltype(traits)::extend(distance, static_cast<Bits>(weight)); });
    }
  });
}

/// Sums along the paths of one search, walked back like on a device. Each vertex is left once.
template <class Bits>
class walked_paths {
 public:
  walked_paths(const path_graph& graph, graph::vertex_id source, std::span<const Bits> row)
      : graph_(graph), row_(row), sums_(row.size(), unknown_sum) {
    sums_[source] = 0;
  }

  /// Returns the sum of the path to a vertex that is reached, or unresolved_path.
  [[nodiscard]] std::uint64_t sum_to(graph::vertex_id vertex) {
    std::uint64_t sum = sums_[vertex];
    with_extension<Bits>(graph_, [&](const auto& extend) {
      const auto makes_longer = [&](const incoming_edge& edge) {
        const Bits distance = row_[source_of(edge)];
        return distance < row_[vertex] && extend(distance, edge.weight) == row_[vertex];
      };
      for (path_.clear(); sum == unknown_sum; sum = sums_[vertex]) {
        const std::span<const incoming_edge> edges = graph_.edges_into(vertex);
        const auto last_edge = std::ranges::find_if(edges, makes_longer);
        if (last_edge == edges.end()) {
          sums_[vertex] = unresolved_path;
        } else {
          path_.push_back({.vertex = vertex, .quantity = last_edge->source_and_quantity >> 32});
          vertex = source_of(*last_edge);
        }
      }
    });
    for (; !path_.empty(); path_.pop_back()) {
      if (sum != unresolved_path) sum += path_.back().quantity;
      sums_[path_.back().vertex] = sum;
    }
    return sum;
  }

 private:
  struct step {
    graph::vertex_id vertex;
    std::uint64_t quantity;  ///< of the edge to the vertex
  };
  static graph::vertex_id source_of(const incoming_edge& edge) {
    return static_cast<graph::vertex_id>(edge.source_and_quantity);
  }

  const path_graph& graph_;
  std::span<const Bits> row_;
  std::vector<std::uint64_t> sums_;  ///< or unknown_sum, or unresolved_path
  std::vector<step> path_;
};

/// Sums along the paths of one search, in the tree of all its paths.
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
          if (tree_[v] == u && extend(row[u], graph.weight_of(edge)) == row[v])
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
    if (graph_->is_of(device)) graph_->prepare();
    if (!results_.is_on_device()) return;
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
            .ranges = has_rows ? row_ranges_.as<const edge_range>() : graph_->device_ranges().as<const edge_range>(),
            .edges = has_rows ? row_edges_.as<const incoming_edge>() : graph_->device_edges().as<const incoming_edge>(),
            .control = control,
            .results = nullptr,
            .pieces = static_cast<u32>(pieces)},
        batch.columns * pieces, 0);
  }
  void read(std::size_t search, std::span<const graph::distance_bits> row) override { read_row(search, row); }
  void read(std::size_t search, std::span<const graph::wide_distance_bits> row) override { read_row(search, row); }

  [[nodiscard]] tuner::run_report complete(double time_limit_ms) override {
    tuner::run_report report;
    report.milliseconds = milliseconds_of([&] {
      sums_ = results_.results();
      if (!resolve(time_limit_ms)) problems::report_timeout(report, time_limit_ms);
    });
    return report;
  }
  [[nodiscard]] std::vector<std::uint64_t> results() override {
    return results_.is_on_device() ? sums_ : results_.results();
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
                                         .vertex_ranges = graph_->device_ranges().as<const edge_range>(),
                                         .vertex_edges = graph_->device_edges().as<const incoming_edge>(),
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
    // A check does not walk, so that it is independent.
    if (graph_->is_of(device_)) sum_paths<walked_paths<Bits>>(search, row, sums);
    sum_paths<path_tree<Bits>>(search, row, sums);
  }

  /// Computes the sums of the pairs of a search that are unresolved.
  template <class Paths, class Bits>
  void sum_paths(std::size_t search, std::span<const Bits> row, std::span<std::uint64_t> sums) {
    std::optional<Paths> paths;
    for (std::size_t pair = pairs_.first_pair[search]; pair < pairs_.first_pair[search + 1]; ++pair) {
      if (sums[pair] != unresolved_path) continue;
      const graph::vertex_id vertex = pairs_.vertices[pair];
      sums[pair] = no_result;
      if (row[vertex] == static_cast<Bits>(~Bits{0})) continue;
      if (!paths) paths.emplace(*graph_, pairs_.sources[search], row);
      sums[pair] = paths->sum_to(vertex);
    }
  }

  /// Repeats the searches that have paths over edges that add nothing to a distance.
  /// @return whether it finished in time
  [[nodiscard]] bool resolve(double time_limit_ms) {
    const std::span<std::uint64_t> sums = sums_;
    std::vector<std::size_t> searches;
    multi_source::search_set set;
    for (std::size_t search = 0; search < pairs_.sources.size(); ++search) {
      if (std::ranges::count(of_search(sums, search), unresolved_path) == 0) continue;
      searches.push_back(search);
      set.sources.push_back(pairs_.sources[search]);
    }
    if (searches.empty()) return true;
    const auto deadline = std::chrono::steady_clock::now() + time_limit_from_ms(time_limit_ms);
    std::atomic<bool> is_late = false;
    const auto stop = [&, token = stop_token_of_thread()] {
      if (std::chrono::steady_clock::now() >= deadline) is_late = true;
      return is_late || token.stop_requested();
    };
    const auto resolve_search = [&](std::size_t i, const auto& row) {
      using bits = typename std::decay_t<decltype(row)>::value_type;
      sum_paths<path_tree<bits>>(searches[i], row, sums);
    };
    const bool is_wide = graph_->csr().weights() == graph::weight_type::float64;
    multi_source::visit_distances(
        graph_->csr(), graph_->kind(), set,
        [&](std::size_t i, const multi_source::sequential_search& right) {
          if (is_wide) return resolve_search(i, right.wide_distances());
          resolve_search(i, right.distances());
        },
        stop);
    throw_if_stopped();
    return !is_late;
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
  std::vector<std::uint64_t> sums_;   ///< of a run on the device
};

}  // namespace

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
