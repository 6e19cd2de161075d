// SPDX-License-Identifier: Apache-2.0
// The solver with one cluster of thread blocks and all events in their shared memory: kernels/phold/cluster.cu.
#pragma once

#include <cstddef>
#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_cluster_solver(const solver_input& input);

/// Returns whether a model fits into a cluster of `blocks` blocks. @param shared_bytes maximum shared memory per block
[[nodiscard]] bool fits_into_cluster(const model_settings& settings, unsigned blocks, std::size_t shared_bytes);

}  // namespace mlmq::phold
