// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/recommendation.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace mlmq::betweenness {
namespace {

/// Minimum ratio of largest to average degree of a graph with hubs, whose waves are few and wide.
constexpr double least_hub_ratio = 8;

constexpr std::array<std::string_view, 3> degree_features{"m", "nnz", "max_nnz"};

std::vector<problems::named_candidate> standard(const problems::recommendation_question& question) {
  if (!question.device.grid) return {{.label = "solver=cpu_brandes"}};
  if (question.device.modelled) return {{.label = "threads=64,blocks=2"}};
  const double degree = question.feature("nnz") / std::max(question.feature("m"), 1.0);
  const bool has_hubs = question.feature("max_nnz") >= least_hub_ratio * std::max(degree, 1.0);
  return {{.label = has_hubs ? "threads=1024,blocks=1" : "threads=512,blocks=2"}};
}

}  // namespace

const problems::recommendation_hook recommendation{.features = degree_features, .standard = standard};

}  // namespace mlmq::betweenness
