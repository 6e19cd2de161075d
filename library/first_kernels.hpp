// SPDX-License-Identifier: Apache-2.0
// The kernels that first calls need and whose machine code is shipped (`mlmq cache fill`).
#pragma once

#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::detail {

/// Returns the kernels, without duplicates, that solve(), solve_many() and betweenness() run on a GPU when no
/// configuration is given: for sssp with every weight type and for bfs, on graphs with fewer than 2^32 edges, without
/// counters. Kernels of maps and simulations are not included because they depend on the workload.
[[nodiscard]] std::vector<backends::kernel_source> first_kernels();

/// Returns the kernels of configurations of single searches, without duplicates: on graphs with fewer than 2^32 edges,
/// without counters. Those that depend on the graph, or run on processors, are left out.
/// @param weights type of the graphs' weights
[[nodiscard]] std::vector<backends::kernel_source> kernels_of(std::span<const tuner::configuration> configurations,
                                                              problems::search_kind kind, graph::weight_type weights);

}  // namespace mlmq::detail
