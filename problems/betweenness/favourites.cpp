// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/favourites.hpp"

#include <algorithm>

namespace mlmq::centrality {
namespace {

std::vector<problems::suggested_configuration> labelled(const char* label) { return {{.label = label}}; }

/// From here on, average degree of a vertex, waves are wide and few.
constexpr double least_degree_of_wide_waves = 8;

}  // namespace

std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                          const backends::device_info& device) {
  if (!device.grid) return labelled("solver=cpu_brandes");
  if (device.modelled) return labelled("threads=64,blocks=2");
  const double degree = feature("nnz") / std::max(feature("m"), 1.0);
  return labelled(degree >= least_degree_of_wide_waves ? "threads=512,blocks=2" : "threads=256,blocks=4");
}

}  // namespace mlmq::centrality
