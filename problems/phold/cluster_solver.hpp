// SPDX-License-Identifier: Apache-2.0
// One cluster of thread blocks, with all events in their shared memory: kernels/phold/cluster.cu.
#pragma once

#include <memory>

#include "problems/phold/solver.hpp"

namespace mlmq::phold {

[[nodiscard]] std::unique_ptr<solver> make_cluster_solver(const solver_input& input);

}  // namespace mlmq::phold
