// SPDX-License-Identifier: Apache-2.0
// One cluster of thread blocks, with all events in their shared memory: kernels/phold/cluster.cu.
#pragma once

#include <cstddef>
#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_cluster_solver(const solver_input& input);

/// Whether a model fits into a cluster of so many blocks. @param shared_bytes that a block can have
[[nodiscard]] bool fits_into_cluster(const model_settings& settings, unsigned blocks, std::size_t shared_bytes);

}  // namespace mlmq::phold
