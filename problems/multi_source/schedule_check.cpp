// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/schedule_check.hpp"

#include "problems/instance_check.hpp"
#include "problems/multi_source/batch.hpp"

namespace mlmq::multi_source {
namespace {

using problems::checked_configuration;

// Graphs with narrow and wide frontiers, hubs with long rows, and unreachable parts.
const std::vector<std::string> graphs = {"road5", "rmat6", "del5", "path40"};
/// One full group and a partial one.
constexpr const char* checked_searches = "35";
constexpr double checked_time_limit_ms = 20;

std::vector<checked_configuration> all_configurations() {
  return {
      {"batch:block:bounds", "solver=block,threads=64,blocks=1,near_items=32,delta=2,heavy_degree=8", graphs},
      // Most elements in global memory, and a threshold that rises often.
      {"batch:block:narrow", "solver=block,threads=32,blocks=2,near_items=32,delta=0.1,ell_width=4", graphs},
      {"batch:block:in_place", "solver=block,threads=64,blocks=1,near_items=64,delta=8,ell_width=8", graphs},
      {"batch:block:placed", "solver=block,threads=64,blocks=1,near_items=32,delta=4,ell_width=4,order=place", graphs},
      // Packed rows and others: some vertices of del5 have more than eight neighbours.
      {"batch:block:packed",
       "solver=block,threads=64,blocks=1,near_items=32,delta=4,ell_width=8,packed_rows=true,heavy_degree=9",
       {"road5", "del5", "path40"}},
      {"batch:block:one", "solver=block,threads=64,blocks=2,near_items=32,delta=1e9,concurrent=1", graphs},
      {"batch:group:whole", "solver=group,threads=64,blocks=1,parts=1", graphs},
      {"batch:group:parts", "solver=group,threads=32,blocks=2,parts=3", graphs},
      // Pieces of few vertices, so that warps wait for each other often.
      {"batch:hierarchy:small",
       "solver=hierarchy,threads=64,blocks=2,lane_searches=1,slots=4,piece_vertices=3,round_groups=1",
       {"road5", "del5", "path40"}},
      {"batch:hierarchy:rounds",
       "solver=hierarchy,threads=96,blocks=1,lane_searches=1,slots=12,piece_vertices=10,round_groups=2",
       {"road6", "rmat6", "path40"}},
      {"batch:hierarchy:wide",
       "solver=hierarchy,threads=64,blocks=1,lane_searches=4,slots=32,piece_vertices=8,round_groups=4",
       {"road6", "del5", "rmat6"}},
      {"batch:supernode:one", "solver=supernode,threads=64,blocks=2,columns=1", {"road6", "del5", "path40"}},
      {"batch:supernode:columns", "solver=supernode,threads=96,blocks=1,columns=4", {"road6", "del5", "rmat6"}},
      // The first level of the lattice has a supernode of more than 512 arcs, which all blocks search upwards.
      {"batch:supernode:hubs",
       "solver=supernode,threads=32,blocks=2,columns=2,added_arcs=0",
       {"lattice8:dims=3", "rmat7"}}};
}

}  // namespace

std::vector<std::string> checked_subjects() { return problems::names_of(all_configurations()); }

problems::check_report run_schedule_check(const problems::check_request& request,
                                          const problems::check_observer& progress) {
  const search_problem problem(problems::search_kind::sssp);
  const tuner::query_rule rule{.settings = {{.name = "sources", .values = {checked_searches}, .place = {}}}};
  return problems::check_instances({.problem = problem,
                                    .configurations = all_configurations(),
                                    .queries = {rule},
                                    .time_limit_ms = checked_time_limit_ms},
                                   request, progress);
}

}  // namespace mlmq::multi_source
