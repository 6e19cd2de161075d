// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/schedule_check.hpp"

#include <fmt/format.h>

#include "problems/astar/path_finding.hpp"
#include "problems/instance_check.hpp"

namespace mlmq::astar {
namespace {

using problems::checked_configuration;

// One map per corner rule. A variant is compiled for one map, so each configuration uses one of the two, except jump
// point search, into which the rule is compiled.
const std::vector<std::string> maps = {"grid18x11:seed=2", "grid13x16:density=0.3:seed=5:corners=none"};
constexpr const char* searches_of_a_run = "12";
constexpr double time_limit_ms = 50;

/// Names and parameters of the configurations that support both modes.
const std::vector<std::pair<std::string, std::string>> open_lists = {
    {"buckets:default", "paths=true"},
    {"buckets:narrow", "cells=1,bucket_bits=13,near_items=0,threads=64,paths=true"},
    {"buckets:shared", "cells=32,table=shared,moves=shared,near_items=4,threads=64,paths=true"},
    {"buckets:wide", "cells=4,bucket_bits=17,table=shared"},
    {"heap:thread", "open=small_queue,queue=heap,lanes=1,paths=true"},
    {"heap:lanes", "open=small_queue,queue=heap,arity=8,lanes=8,queue_capacity=32,table=shared,threads=64"},
    {"ring:back", "open=small_queue,queue=ring,lanes=1,direction=back,queue_capacity=32,paths=true"},
    {"ring:front", "open=small_queue,queue=ring,lanes=1,direction=front"},
    {"ring_cached", "open=small_queue,queue=ring_cached,lanes=1,cells=4"},
    {"ring_parallel", "open=small_queue,queue=ring_parallel,lanes=32,direction=front"},
    {"splay", "open=small_queue,queue=splay,lanes=1,layout=interleaved,threads=64"},
    {"two_level:pile", "open=small_queue,queue=two_level,lanes=32,cells=16,paths=true"},
    {"two_level:heap", "open=small_queue,queue=two_level,lanes=8,second=heap"}};

std::vector<checked_configuration> all_configurations() {
  std::vector<checked_configuration> configurations = {
      {"astar:jump:default", "algorithm=jump,paths=true,bucket_bits=16", maps},
      {"astar:jump:shared", "algorithm=jump,paths=true,bucket_bits=13,cells=32,near_items=1,threads=64,moves=shared",
       maps},
      {"astar:jump:heap", "algorithm=jump,open=small_queue,queue=heap,lanes=8,cells=4,paths=true", maps}};
  for (const auto& [name, parameters] : open_lists) {
    for (const std::string mode : {"exact", "paper"}) {
      configurations.push_back({fmt::format("astar:{}:{}", mode, name),
                                fmt::format("mode={},{}", mode, parameters),
                                {maps[configurations.size() % maps.size()]}});
    }
  }
  return configurations;
}

}  // namespace

std::vector<std::string> checked_searches() { return problems::names_of(all_configurations()); }

problems::check_report check_searches(const problems::check_request& request,
                                      const problems::check_observer& progress) {
  const path_finding problem;
  const tuner::query_rule rule{.settings = {{.name = "pairs", .values = {searches_of_a_run}, .place = {}}}};
  return problems::check_instances(
      {.problem = problem, .configurations = all_configurations(), .queries = {rule}, .time_limit_ms = time_limit_ms},
      request, progress);
}

}  // namespace mlmq::astar
