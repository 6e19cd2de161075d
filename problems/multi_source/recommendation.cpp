// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/recommendation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace mlmq::multi_source {
namespace {

std::vector<problems::named_candidate> labelled(std::initializer_list<const char*> labels) {
  std::vector<problems::named_candidate> named;
  for (const char* const label : labels) named.push_back({.label = label});
  return named;
}

/// Minimum ratio of largest to average degree of a graph with hubs, on which groups of 32 searches are faster.
constexpr double least_hub_ratio = 8;
constexpr double largest_degree_of_roads = 3.2;
/// Number of vertices from which larger blocks are faster, because fewer concurrent searches share the cache.
constexpr double least_large = 500'000;
/// Minimum degree of street grids. With fewer edges per vertex, most vertices are points of a curve, and frontiers are
/// narrow.
constexpr double least_degree_of_grids = 2.4;
/// Renumbering by place takes about 0.35 µs per vertex and saves 10 to 60 ps per vertex and search.
constexpr std::size_t least_placed = 16'384;

std::vector<problems::named_candidate> for_roads(bool is_large, bool is_grid, bool by_place) {
  if (is_large) {
    return by_place ? labelled({"threads=512,blocks=2,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8,order=place",
                                "threads=512,blocks=2,near_items=512,ell_width=4,delta=8,order=place"})
                    : labelled({"threads=512,blocks=2,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=2,near_items=512,ell_width=4,delta=8"});
  }
  if (is_grid) {
    return by_place ? labelled({"threads=256,blocks=5,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true",
                                "threads=128,blocks=12,near_items=512,ell_width=4,delta=8,order=place",
                                "threads=256,blocks=6,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true"})
                    : labelled({"threads=512,blocks=3,near_items=512,ell_width=4,delta=8,packed_rows=true",
                                "threads=512,blocks=3,near_items=512,ell_width=4,delta=8",
                                "threads=128,blocks=12,near_items=512,ell_width=4,delta=8"});
  }
  return by_place ? labelled({"threads=128,blocks=12,near_items=512,ell_width=4,delta=8,order=place",
                              "threads=128,blocks=16,near_items=512,ell_width=4,delta=8,order=place",
                              "threads=256,blocks=5,near_items=512,ell_width=4,delta=8,order=place,packed_rows=true"})
                  : labelled({"threads=128,blocks=12,near_items=512,ell_width=4,delta=8",
                              "threads=512,blocks=3,near_items=512,ell_width=4,delta=8",
                              "threads=256,blocks=6,near_items=512,ell_width=4,delta=8,packed_rows=true"});
}

std::vector<problems::named_candidate> for_meshes(bool by_place) {
  return by_place ? labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=5,order=place",
                              "threads=128,blocks=12,near_items=512,ell_width=8,delta=8,order=place",
                              "threads=256,blocks=6,near_items=512,ell_width=8,delta=3,order=place"})
                  : labelled({"threads=256,blocks=6,near_items=512,ell_width=8,delta=3",
                              "threads=512,blocks=3,near_items=512,ell_width=8,delta=8",
                              "threads=256,blocks=4,near_items=512,ell_width=8,delta=8"});
}

constexpr std::array<std::string_view, 3> degree_features{"m", "nnz", "max_nnz"};

std::vector<problems::named_candidate> standard(const problems::recommendation_question& question) {
  if (!question.device.grid) return labelled({"solver=cpu_dijkstra"});
  const double vertices = question.feature("m");
  const double degree = question.feature("nnz") / std::max(vertices, 1.0);
  const bool has_hubs = question.feature("max_nnz") >= least_hub_ratio * std::max(degree, 1.0);
  if (question.device.modelled) {
    // Memory is small, and simulating a warp is slow.
    if (has_hubs) return labelled({"solver=group,threads=64,blocks=1,parts=2", "threads=64,blocks=2,near_items=128"});
    return labelled({"threads=64,blocks=2,near_items=128,ell_width=4", "threads=32,blocks=2,near_items=128"});
  }
  if (has_hubs) {
    return labelled({"solver=group,threads=1024,blocks=1,parts=11", "solver=group,threads=512,blocks=2,parts=22",
                     "solver=group,threads=1024,blocks=1,parts=4", "threads=256,blocks=5,near_items=512"});
  }
  const bool by_place = question.request.searches >= least_placed;
  return degree > largest_degree_of_roads
             ? for_meshes(by_place)
             : for_roads(vertices >= least_large, degree >= least_degree_of_grids, by_place);
}

}  // namespace

const problems::recommendation_hook recommendation{.features = degree_features, .standard = standard};

}  // namespace mlmq::multi_source
