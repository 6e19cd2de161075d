// SPDX-License-Identifier: Apache-2.0
#include "graph/classify.hpp"

namespace mlmq::graph {

std::string graph_class(const graph_features& features) {
  if (features.avg_nnz <= 3.2 && features.max_nnz <= 8) return "road";
  if (features.dev_nnz >= 0.75 * features.avg_nnz && features.max_nnz >= 10 * features.avg_nnz) {
    return "power_law";
  }
  return "mesh";
}

}  // namespace mlmq::graph
