// SPDX-License-Identifier: Apache-2.0
// Registers the problem astar and its output of `mlmq solve`.
#include "problems/registry.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "problems/astar/grid_workload.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/astar/path_finding.hpp"
#include "problems/astar/path_instance.hpp"
#include "problems/checks.hpp"
#include "problems/instance_check.hpp"
#include "selector/ranking_model.hpp"

namespace mlmq::astar {
namespace {

using problems::checked_configuration;

// One map per corner rule. A variant is compiled for one map, so each configuration uses one of the two, except jump
// point search, into which the rule is compiled.
const std::vector<std::string> maps = {"grid18x11:seed=2", "grid13x16:density=0.3:seed=5:corners=none"};
constexpr const char* searches_of_a_run = "12";
constexpr double limit_of_run_ms = 50;

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
      {"astar:phases:heap", "solver=phases,open=small_queue,queue=heap,lanes=1,threads=64", maps},
      {"astar:phases:ring",
       "solver=phases,open=small_queue,queue=ring,lanes=1,direction=back,threads=128,cells=4,queue_capacity=32", maps},
      {"astar:phases:ring_cached", "solver=phases,open=small_queue,queue=ring_cached,lanes=1,threads=64,concurrency=3",
       maps},
      {"astar:phases:ring_parallel", "solver=phases,open=small_queue,queue=ring_parallel,lanes=64,threads=64", maps},
      {"astar:phases:splay", "solver=phases,open=small_queue,queue=splay,lanes=1,layout=interleaved,threads=64", maps},
      {"astar:phases:two_level",
       "solver=phases,open=small_queue,queue=two_level,lanes=8,second=heap,cells=16,threads=128", maps},
      {"astar:parallel_heap:wide", "solver=parallel_heap,node_items=256,threads=64", maps},
      {"astar:parallel_heap:narrow", "solver=parallel_heap,node_items=32,threads=32,concurrency=5", maps},
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

std::vector<std::string> checked_searches() { return problems::names_of(all_configurations()); }

problems::check_report check_searches(const problems::check_request& request,
                                      const problems::check_observer& progress) {
  const path_finding problem;
  const tuner::query_rule rule{.settings = {{.name = "pairs", .values = {searches_of_a_run}, .place = {}}}};
  return problems::check_instances(
      {.problem = problem, .configurations = all_configurations(), .queries = {rule}, .time_limit_ms = limit_of_run_ms},
      request, progress);
}

}  // namespace
}  // namespace mlmq::astar

namespace {

using namespace mlmq;

astar::path_instance& of_paths(tuner::problem_instance& solved) { return dynamic_cast<astar::path_instance&>(solved); }

double length_of(std::uint32_t units) { return astar::counts_of_units(units).length(); }

std::vector<std::pair<std::string, std::string>> describe(tuner::problem_instance& solved,
                                                          const tuner::run_report& report) {
  const astar::search_answers answers = of_paths(solved).answers();
  double paths = 0;
  double sum = 0;
  for (const std::uint32_t length : answers.lengths) {
    if (length == no_length) continue;
    paths += 1;
    sum += length_of(length);
  }
  const auto searches = static_cast<double>(answers.lengths.size());
  return {{"searches", fmt::format("{:.0f}, {:.4g} in a second", searches, searches / report.milliseconds * 1e3)},
          {"paths", fmt::format("{:.0f} found, mean length {:.4f}", paths, paths > 0 ? sum / paths : 0)}};
}

/// Writes a line per search: start, goal, length, and the directions of the steps if the configuration has paths.
std::string output(tuner::problem_instance& solved, const tuner::workload& workload) {
  const astar::grid& map = astar::grid_of(workload).map;
  const std::span<const astar::cell_pair> pairs = of_paths(solved).searches();
  const astar::search_answers answers = of_paths(solved).answers();
  std::string text =
      "# start column and row, goal column and row, length (-: no path), directions (0 east, 2 south, …)\n";
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} ", map.column(pairs[i].start), map.row(pairs[i].start),
                   map.column(pairs[i].goal), map.row(pairs[i].goal));
    if (answers.lengths[i] == no_length) {
      text += "-\n";
      continue;
    }
    fmt::format_to(std::back_inserter(text), "{:.8f}", length_of(answers.lengths[i]));
    if (answers.has_paths) {
      const astar::step_counts counts = astar::counts_of_units(answers.lengths[i]);
      text += ' ';
      for (std::size_t step = 0; step < std::size_t{counts.straight} + counts.diagonal; ++step) {
        text += static_cast<char>('0' + answers.paths.at(answers.path_begins[i] + step));
      }
    }
    text += '\n';
  }
  return text;
}

/// Returns the shipped selector, which was trained with times of a GPU. Simulated devices use the defaults, because
/// they have other times and little memory.
std::shared_ptr<const selector::ranking_model> shipped(const backends::device_info& device) {
  if (!device.grid || device.modelled) return nullptr;
  static const auto model = selector::shipped_ranking_model("astar");
  return model;
}

std::vector<problems::named_candidate> standard(const problems::recommendation_question& question) {
  return {{.label = question.device.grid ? "" : "solver=cpu_jps"}};
}

bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  return astar::is_kernel(astar::solver_of(configuration)) == device.grid;
}

constexpr problems::solve_hook hook{.describe = describe, .output = output};
constexpr problems::recommendation_hook recommendation{.shipped = shipped, .standard = standard};

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_astar;
const mlmq::problems::problem_registration mlmq_registers_astar(
    {{.name = "astar",
      .description = "shortest paths between pairs of cells of a grid map, many searches at a time",
      .make = [] { return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<mlmq::astar::path_finding>()); },
      .comparison = {.runs_on = runs_on,
                     .short_list = "astar_short_list.yaml",
                     .competitors = "astar_competitors.yaml"},
      .solve = &hook,
      .recommendation = &recommendation}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "astar",
      .description = "path finding with every open list in both modes, against A* on processors",
      .subjects = mlmq::astar::checked_searches,
      .run = mlmq::astar::check_searches}});
}  // namespace
