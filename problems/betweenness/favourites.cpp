// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/favourites.hpp"

#include <algorithm>

namespace mlmq::centrality {
namespace {

std::vector<problems::suggested_configuration> labelled(const char* label) { return {{.label = label}}; }

/// From here on, largest over average degree, a graph counts as one with hubs: its waves are few and wide.
constexpr double least_hub_ratio = 8;

}  // namespace

std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                          const backends::device_info& device) {
  if (!device.grid) return labelled("solver=cpu_brandes");
  if (device.modelled) return labelled("threads=64,blocks=2");
  const double degree = feature("nnz") / std::max(feature("m"), 1.0);
  const bool has_hubs = feature("max_nnz") >= least_hub_ratio * std::max(degree, 1.0);
  return labelled(has_hubs ? "threads=1024,blocks=1" : "threads=512,blocks=2");
}

}  // namespace mlmq::centrality
