// SPDX-License-Identifier: Apache-2.0
// The core of a graph with its weights, and what a search needs to begin at, or to reach, eliminated vertices.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/thread_team.hpp"
#include "base/uninitialized_vector.hpp"
#include "graph/csr.hpp"
#include "graph/reduction.hpp"

namespace mlmq::graph {

/// The start of a search in the core.
template <class Bits>
struct core_start {
  /// Vertices of the core at which the search begins, the nearest first; none if the source leads to no vertex of the
  /// core. The first one has the distance 0 if the weights are integers.
  std::vector<seed_vertex> seeds = {};
  Bits offset = 0;  ///< to be added to the distances of the core
  /// Eliminated vertices that paths inside the source's fragment lead to, and the lengths of the shortest of these
  /// paths.
  std::vector<std::pair<vertex_id, Bits>> inside = {};
};

/// Finds where searches begin in the core, by a search inside the fragment of the source. Keeps a length for each
/// vertex. For one thread.
/// @tparam Bits the distances of the weight type
template <class Bits>
class start_finder {
 public:
  /// @param places  of the vertices, see reduction::place(); only those of the core are read. They must outlive the
  ///   object.
  start_finder(const csr_graph& graph, std::span<const std::uint32_t> places);
  /// @param seeds  vertices of the graph, the nearest first @return last()
  const core_start<Bits>& find(std::span<const seed_vertex> seeds);
  /// Returns the last result of find().
  [[nodiscard]] const core_start<Bits>& last() const { return start_; }
  /// Returns the length of the shortest path from the last seeds to an eliminated vertex by eliminated vertices; none
  /// if there is no such path.
  [[nodiscard]] Bits length_inside(vertex_id v) const { return lengths_[v]; }

 private:
  void add_seed(std::uint32_t number, wide_distance_bits distance);
  void search_fragments(std::span<const seed_vertex> seeds);

  csr_graph graph_;
  std::span<const std::uint32_t> places_;
  core_start<Bits> start_;
  std::vector<Bits> lengths_;  ///< none, but for start_.inside
};

/// Finds where searches begin in the last of several cores. Each result is last() of the finder of its core.
/// @param finders  of the graph, and of each core but the last one
/// @return the seeds in the last core
template <class Bits>
std::span<const seed_vertex> find_seeds(std::span<start_finder<Bits>> finders, vertex_id source);

/// Where the distance of a vertex may come from: two vertices of the core, and the lengths of the paths from there. A
/// vertex of the core has itself, with the length 0. If there is no such vertex or path, it is the vertex behind the
/// last one of the core. A vertex has half as many rows as a fragment can have ends.
template <class Bits>
struct fill_row {
  std::array<vertex_id, 2> ends;
  std::array<Bits, 2> lengths;
};

/// Distances in a graph are those in its core, filled in by the lengths of the paths from the ends of the fragments.
/// Immutable.
class reduced_graph {
 public:
  /// @param reduced of this graph, with any weights
  /// @throws input_error if the length of a chain is too long for a weight
  reduced_graph(std::shared_ptr<const reduction> reduced, const csr_graph& graph, thread_team& team);

  [[nodiscard]] const reduction& structure() const { return *reduction_; }
  /// Returns the graph of the vertices that are left. Edges are the shortest of the paths through eliminated vertices
  /// and of parallel edges.
  [[nodiscard]] const csr_graph& core() const { return core_; }
  [[nodiscard]] std::size_t rows_per_vertex() const { return reduction_->width() / 2; }

  /// Returns the distance of one vertex by paths from the core. @param of_core  see fill_in()
  template <class Bits>
  [[nodiscard]] Bits distance_of(const core_start<Bits>& start, std::span<const Bits> of_core, vertex_id vertex) const;
  /// Computes the distances of the vertices `first` to `last` - 1 by paths from the core.
  /// @param of_core  distances of the core from the seeds, and `none` behind them
  /// @param distances  of all vertices
  template <class Bits>
  void fill_in(const core_start<Bits>& start, std::span<const Bits> of_core, std::span<Bits> distances,
               std::size_t first, std::size_t last) const;
  /// Then lowers the distances in the fragment of the source by paths that stay inside.
  template <class Bits>
  static void fill_in_fragment(const core_start<Bits>& start, std::span<Bits> distances);

  /// Returns how to fill in each vertex: rows_per_vertex() rows. @tparam Bits the distances of the weight type
  template <class Bits>
  [[nodiscard]] std::span<const fill_row<Bits>> rows() const {
    return std::get<uninitialized_vector<fill_row<Bits>>>(rows_);
  }

 private:
  /// Returns the least distance of a vertex by its rows.
  template <class Traits>
  [[nodiscard]] typename Traits::bits filled(const core_start<typename Traits::bits>& start,
                                             std::span<const typename Traits::bits> of_core, vertex_id vertex) const;
  template <class Traits>
  void compute_rows(const csr_graph& graph, thread_team& team);

  std::shared_ptr<const reduction> reduction_;
  csr_graph core_;
  std::variant<uninitialized_vector<fill_row<distance_bits>>, uninitialized_vector<fill_row<wide_distance_bits>>> rows_;
};

/// The reduced graphs of one graph, each made on first use. Thread-safe.
class lazily_reduced_graphs {
 public:
  /// Applies a step of a reduction.
  /// @param graph  the graph, or the core of the step before: the same one in every call with this step. Its weights
  /// may
  ///   only differ after forget_weights()
  /// @throws like reduction::make() and the constructor of reduced_graph
  [[nodiscard]] std::shared_ptr<const reduced_graph> get(const csr_graph& graph, eliminated_vertices step,
                                                         thread_team& team) {
    const std::lock_guard lock(mutex_);
    entry& reduced = by_step_[step];
    if (reduced.structure == nullptr)
      reduced.structure = std::make_shared<const reduction>(reduction::make(graph, step, team));
    if (reduced.graph == nullptr) reduced.graph = std::make_shared<const reduced_graph>(reduced.structure, graph, team);
    return reduced.graph;
  }
  /// Keeps which vertices are eliminated.
  void forget_weights() {
    const std::lock_guard lock(mutex_);
    for (auto& [step, reduced] : by_step_) reduced.graph.reset();
  }

 private:
  struct entry {
    std::shared_ptr<const reduction> structure;
    std::shared_ptr<const reduced_graph> graph;
  };
  std::mutex mutex_;
  std::map<eliminated_vertices, entry> by_step_;
};

}  // namespace mlmq::graph
