// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// boost::dijkstra_shortest_paths, called like typical users of Boost Graph do. Always uses one thread.
class boost_dijkstra final : public solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;
};

}  // namespace mlmq::cpu
