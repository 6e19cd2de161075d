// SPDX-License-Identifier: Apache-2.0
// What the solvers of kernels/baselines/ share on the host.
#pragma once

#include <cstddef>

#include "problems/search/parameters.hpp"
#include "problems/search/solver.hpp"

namespace mlmq::problems {

/// Blocks of a launch: as many as are resident, within the limits of configuration and kernel.
/// @param least blocks that the kernel needs; all but one of them are besides `blocks_per_multiprocessor`
/// @param most blocks that the kernel can count
/// @throws backends::launch_error when the device holds fewer than `least`
[[nodiscard]] unsigned resident_grid(const search_input& input, const backends::kernel& compiled,
                                     std::size_t shared_bytes, const baseline_numbers& numbers, unsigned least,
                                     unsigned most);

/// Edges for each vertex.
[[nodiscard]] double average_degree(const graph::csr_graph& graph);

}  // namespace mlmq::problems
