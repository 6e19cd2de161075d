// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/schedule_check.hpp"

#include "problems/betweenness/betweenness.hpp"
#include "problems/instance_check.hpp"

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

}  // namespace

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

}  // namespace mlmq::betweenness
