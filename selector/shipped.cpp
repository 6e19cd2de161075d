// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <stdexcept>

#include "base/embedded_file.hpp"

MLMQ_EMBED(shipped_sssp, MLMQ_SHIPPED_MODELS "/sssp.json");
MLMQ_EMBED(shipped_phold, MLMQ_SHIPPED_MODELS "/phold.json");
MLMQ_EMBED(shipped_astar, MLMQ_SHIPPED_MODELS "/astar.json");

namespace mlmq::selector {

std::string_view shipped_model_text(std::string_view problem) {
  if (problem == "sssp") return MLMQ_EMBEDDED(shipped_sssp);
  if (problem == "phold") return MLMQ_EMBEDDED(shipped_phold);
  if (problem == "astar") return MLMQ_EMBEDDED(shipped_astar);
  throw std::out_of_range("no shipped model for this problem");
}

}  // namespace mlmq::selector
