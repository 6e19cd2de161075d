// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "backends/cpu/searches/radix_heap.hpp"
#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// Dijkstra on a radix heap with lazy deletion: outdated entries are skipped when popped. Always uses one thread.
class dijkstra final : public solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;

 private:
  std::tuple<radix_heap<entry>, radix_heap<wide_entry>> queues_;  // kept to reuse their memory
};

}  // namespace mlmq::cpu
