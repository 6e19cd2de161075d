// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cpu/searches/radix_heap.hpp"
#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// Dijkstra on a radix heap with lazy deletion: outdated entries are skipped when popped. Always uses one thread.
class dijkstra final : public solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;

 private:
  radix_heap queue_;  // kept to reuse its memory
};

}  // namespace mlmq::cpu
