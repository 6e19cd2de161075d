// SPDX-License-Identifier: Apache-2.0
// Sums of a quantity of the edges along shortest paths, such as the length of the fastest route.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "library/path_graph.hpp"
#include "problems/multi_source/distance_reader.hpp"

namespace mlmq::detail {

/// The searches of a block, and the pairs of a search and a vertex, ordered by search.
struct searched_pairs {
  std::vector<graph::vertex_id> sources;
  std::vector<std::uint32_t> first_pair;  ///< of each search, and the number of pairs
  std::vector<graph::vertex_id> vertices;
};

/// Returns a reader whose results are the sums of pairs, no_result if not reached. The paths are those of
/// graph::predecessors(); of parallel edges that are equally short, the one with the smallest quantity counts.
/// @param device the graph's, or processors; must outlive the reader
[[nodiscard]] std::unique_ptr<multi_source::distance_reader> make_path_sum_reader(backends::backend& device,
                                                                                  std::shared_ptr<path_graph> graph,
                                                                                  searched_pairs pairs);

/// Returns the variant of the kernel that replaces vertices by rows.
[[nodiscard]] backends::kernel_source edge_place_variant();
/// Returns the variant of the kernel that sums along paths.
[[nodiscard]] backends::kernel_source path_sum_variant(graph::weight_type type);

}  // namespace mlmq::detail
