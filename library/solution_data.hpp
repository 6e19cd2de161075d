// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::solution.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/csr.hpp"
#include "library/access.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/kept_distances.hpp"
#include "mlmq/solver.hpp"

namespace mlmq::detail {

struct solution_data {
  solution_data(digraph digraph_handle, problem problem_kind, vertex source_vertex)
      : graph(std::move(digraph_handle)), kind(problem_kind), source(source_vertex) {}

  digraph graph;
  problem kind;
  vertex source;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
  std::vector<timeline_interval> timeline;
  std::unique_ptr<const kept_distances> device_distances;  ///< the distances, if they are on a device
  /// Distances in host memory; for kept distances, empty until they are downloaded.
  mutable graph::distance_array distances;

  /// The distances as floats, if they have such a type, converted by the first call.
  mutable std::once_flag floats_made;
  mutable std::vector<float> floats;
  mutable std::vector<double> doubles;
  /// Predecessors, computed for the first path.
  mutable std::once_flag tree_made;
  mutable std::vector<vertex> tree;
  mutable std::once_flag downloaded;

  [[nodiscard]] distance_scale scale() const { return {access::get(graph).csr, kind}; }
  [[nodiscard]] vertex vertex_count() const { return access::get(graph).csr.vertex_count(); }
  [[nodiscard]] bool is_wide() const { return scale().searched == graph::weight_type::float64; }
  /// Returns the distances in host memory; the first call downloads them if necessary. @throws device_error
  [[nodiscard]] const graph::distance_array& host_distances() const;
  [[nodiscard]] const uninitialized_vector<graph::distance_bits>& narrow() const {
    return std::get<uninitialized_vector<graph::distance_bits>>(host_distances());
  }
  [[nodiscard]] const uninitialized_vector<graph::wide_distance_bits>& wide() const {
    return std::get<uninitialized_vector<graph::wide_distance_bits>>(host_distances());
  }
};

}  // namespace mlmq::detail
