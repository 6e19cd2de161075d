// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu_solvers/radix_heap.hpp"
#include "cpu_solvers/search.hpp"

namespace mlmq::cpu {

/// Dijkstra on a radix heap with lazy deletion: outdated entries are skipped when popped. Always uses one thread.
class dijkstra final : public solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;

 private:
  radix_heap queue_;  // kept to reuse its memory
};

}  // namespace mlmq::cpu
