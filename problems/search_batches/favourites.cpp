// SPDX-License-Identifier: Apache-2.0
#include "problems/search_batches/favourites.hpp"

#include <algorithm>

namespace mlmq::batches {
namespace {

std::vector<problems::suggested_configuration> labelled(std::initializer_list<const char*> labels) {
  std::vector<problems::suggested_configuration> all;
  for (const char* const label : labels) all.push_back({.label = label});
  return all;
}

/// From here on, largest over average degree, a graph counts as one with hubs: 32 searches in step are faster then.
constexpr double least_hub_ratio = 8;
constexpr double largest_degree_of_roads = 3.2;

}  // namespace

std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                          const backends::device_info& device) {
  if (!device.grid) return labelled({"solver=cpu_dijkstra"});
  const double degree = feature("nnz") / std::max(feature("m"), 1.0);
  const bool has_hubs = feature("max_nnz") >= least_hub_ratio * std::max(degree, 1.0);
  if (device.modelled) {
    // Little room, and a warp takes long to simulate.
    if (has_hubs) return labelled({"solver=group,threads=64,blocks=1,parts=2", "threads=64,blocks=2,near_items=128"});
    return labelled({"threads=64,blocks=2,near_items=128,ell_width=4", "threads=32,blocks=2,near_items=128"});
  }
  if (has_hubs) {
    return labelled({"solver=group,threads=1024,blocks=1,parts=11", "solver=group,threads=1024,blocks=1,parts=4",
                     "solver=group,threads=512,blocks=2,parts=22", "threads=256,blocks=5,near_items=512"});
  }
  if (degree > largest_degree_of_roads) {
    return labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=3",
                     "threads=256,blocks=4,near_items=512,ell_width=8,delta=8",
                     "threads=256,blocks=4,near_items=512,ell_width=8,delta=3"});
  }
  return labelled({"threads=512,blocks=3,near_items=512,ell_width=4,delta=8",
                   "threads=128,blocks=12,near_items=512,ell_width=4,delta=8",
                   "threads=512,blocks=2,near_items=512,ell_width=4,delta=8"});
}

}  // namespace mlmq::batches
