// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/schedule_check.hpp"

#include <fmt/format.h>

#include "problems/instance_check.hpp"
#include "problems/phold/phold.hpp"

namespace mlmq::phold {
namespace {

using problems::checked_configuration;

// The models have windows with many and with few events, and numbers of entities that are not multiples of a warp.
const std::vector<std::string> models = {"phold:entities=24:events=3:rate=0.03", "phold:entities=40:events=2:rate=0.1",
                                         "phold:entities=7:events=5:rate=0.002"};
constexpr const char* events_of_a_run = "150";
constexpr double time_limit_ms = 20;

/// All queues that PHOLD supports, with the parameters that they need.
const std::vector<std::pair<std::string, std::string>> queues = {{"heap", "queue=heap,lanes=1"},
                                                                 {"heap_of_lanes", "queue=heap,lanes=8,arity=8"},
                                                                 {"ring", "queue=ring,direction=back"},
                                                                 {"ring_from_front", "queue=ring,direction=front"},
                                                                 {"ring_cached", "queue=ring_cached"},
                                                                 {"ring_parallel", "queue=ring_parallel,lanes=32"},
                                                                 {"splay", "queue=splay"},
                                                                 {"two_level", "queue=two_level,lanes=8"}};

std::vector<checked_configuration> all_configurations() {
  std::vector<checked_configuration> configurations = {
      {"phold:calendar:default", "solver=calendar,threads=64", models},
      // Buckets of one event, a ring that is soon full, and capacities that must grow.
      {"phold:calendar:narrow", "solver=calendar,threads=64,bucket_lanes=4,bucket_events=1,ring_buckets=8", models},
      {"phold:calendar:wide", "solver=calendar,threads=128,bucket_lanes=32,bucket_items=4,bucket_events=64", models},
      {"phold:one_block:default", "solver=one_block,threads=64,near_events=64", models},
      {"phold:one_block:small", "solver=one_block,threads=32,near_events=4", models},
      // Teams of warps work concurrently if a block has at least 256 threads.
      {"phold:cluster:small", "solver=cluster,threads=64,cluster_blocks=2,ring_buckets=8", models},
      {"phold:parallel_heap:small", "solver=parallel_heap,threads=32,node_events=32", models},
      {"phold:cluster:teams", "solver=cluster,threads=256,cluster_blocks=2", models}};
  for (const auto& [name, parameters] : queues) {
    for (const std::string mode : {"drain", "earliest"}) {
      for (const std::string launches : {"one", "each_window"}) {
        configurations.push_back(
            {fmt::format("phold:queues:{}:{}:{}", name, mode, launches),
             fmt::format("solver=queues,threads=64,{},mode={},launches={}", parameters, mode, launches), models});
      }
    }
  }
  return configurations;
}

}  // namespace

std::vector<std::string> checked_simulations() { return problems::names_of(all_configurations()); }

problems::check_report check_simulations(const problems::check_request& request,
                                         const problems::check_observer& progress) {
  const phold_problem problem;
  const tuner::query_rule rule{.settings = {{.name = "events", .values = {events_of_a_run}, .place = {}}}};
  return problems::check_instances(
      {.problem = problem, .configurations = all_configurations(), .queries = {rule}, .time_limit_ms = time_limit_ms},
      request, progress);
}

}  // namespace mlmq::phold
