// SPDX-License-Identifier: Apache-2.0
// Registers betweenness.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "problems/betweenness/betweenness.hpp"
#include "problems/checks.hpp"
#include "problems/instance_check.hpp"
#include "problems/recommendation_hook.hpp"
#include "problems/registry.hpp"

namespace mlmq::betweenness {
namespace {

using problems::checked_configuration;

// Graphs with many and few waves, hubs with long rows, many shortest paths, and unreachable parts.
const std::vector<std::string> graphs = {"road5", "rmat6", "del5", "path40", "grid6"};
constexpr const char* sources = "20";
constexpr double time_limit_ms = 20;

std::vector<checked_configuration> all_configurations() {
  return {{"betweenness:block", "threads=64,blocks=1,search=block", graphs},
          {"betweenness:warp", "threads=32,blocks=2,heavy_degree=8,search=block", graphs},
          {"betweenness:one", "threads=128,blocks=1,heavy_degree=8,concurrent=1,search=group", graphs}};
}

std::vector<std::string> checked_betweenness() { return problems::names_of(all_configurations()); }

problems::check_report check_betweenness(const problems::check_request& request,
                                         const problems::check_observer& progress) {
  // There are more shortest paths by number of edges than by weight.
  const betweenness problem(problems::search_kind::bfs);
  const tuner::query_rule rule{.settings = {{.name = "sources", .values = {sources}, .place = {}}}};
  return problems::check_instances(
      {.problem = problem, .configurations = all_configurations(), .queries = {rule}, .time_limit_ms = time_limit_ms},
      request, progress);
}

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

const problems::recommendation_hook recommendation{.features = degree_features, .standard = standard};

}  // namespace
}  // namespace mlmq::betweenness

namespace {

using namespace mlmq;

bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  return betweenness::is_kernel(betweenness::solver_of(configuration)) == device.grid;
}

std::unique_ptr<tuner::problem> make(problems::search_kind kind) {
  return std::make_unique<betweenness::betweenness>(kind);
}

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_betweenness;
const mlmq::problems::problem_registration mlmq_registers_betweenness(
    {{.name = "sssp_betweenness",
      .description = "the share of all shortest paths that pass through each vertex of a graph, from many sources",
      .make = [] { return make(mlmq::problems::search_kind::sssp); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::betweenness::recommendation},
     {.name = "bfs_betweenness",
      .description =
          "the share of all paths with the fewest edges that pass through each vertex of a graph, from many sources",
      .make = [] { return make(mlmq::problems::search_kind::bfs); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::betweenness::recommendation}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "betweenness",
      .description = "the kernel of betweenness on small graphs, against Brandes' sums on processors",
      .subjects = mlmq::betweenness::checked_betweenness,
      .run = mlmq::betweenness::check_betweenness}});
}  // namespace
