// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/checks.hpp"
#include "problems/instance_check.hpp"
#include "problems/phold/cluster_solver.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/phold_instance.hpp"
#include "problems/phold/solver.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/parameter.hpp"
#include "tuner/parameter_values.hpp"

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

std::vector<std::string> checked_simulations() { return problems::names_of(all_configurations()); }

problems::check_report check_simulations(const problems::check_request& request,
                                         const problems::check_observer& progress) {
  const phold_problem problem;
  const tuner::query_rule rule{.settings = {{.name = "events", .values = {events_of_a_run}, .place = {}}}};
  return problems::check_instances(
      {.problem = problem, .configurations = all_configurations(), .queries = {rule}, .time_limit_ms = time_limit_ms},
      request, progress);
}

}  // namespace
}  // namespace mlmq::phold

namespace {

std::vector<std::pair<std::string, std::string>> describe(mlmq::tuner::problem_instance& solved,
                                                          const mlmq::tuner::run_report& report) {
  double events = 0;
  for (const auto& [name, value] : report.counters) {
    if (name == "events") events = value;
  }
  const auto& instance = dynamic_cast<mlmq::phold::phold_instance&>(solved);
  return {{"executed", fmt::format("{:.0f} events, {:.4g} in a second", events, events / report.milliseconds * 1e3)},
          {"hash", fmt::format("{:016x}", instance.executed().hash)}};
}

bool runs_on(const mlmq::tuner::configuration& configuration, const mlmq::backends::device_traits& device) {
  return mlmq::phold::is_on_processors(mlmq::phold::solver_of(configuration)) != device.grid;
}

/// Converts a feature to an integer; 0 if it is unknown.
std::uint64_t whole(double number) { return number > 0 ? static_cast<std::uint64_t>(number) : 0; }

constexpr std::array<std::string_view, 4> settings_features{"entities", "events", "rate", "lookahead"};

/// Returns whether a configuration fits: a cluster needs a GPU that supports its size and a model that fits into it.
bool fits(const mlmq::tuner::configuration& chosen, const mlmq::problems::recommendation_question& question) {
  if (mlmq::phold::solver_of(chosen) != "cluster") return true;
  const unsigned blocks =
      mlmq::tuner::parameter_values(mlmq::phold::phold_declarations(), chosen).whole("cluster_blocks");
  mlmq::phold::model_settings settings;
  settings.entities = whole(question.feature("entities"));
  settings.events = whole(question.feature("events"));
  settings.rate = question.feature("rate");
  settings.lookahead = question.feature("lookahead");
  return blocks <= question.device.cluster_blocks && settings.entities != 0 &&
         mlmq::phold::fits_into_cluster(settings, blocks, question.device.shared_bytes_per_block);
}

/// Returns the shipped selector, which was trained with times of a GPU; null for other devices.
std::shared_ptr<const mlmq::selector::ranking_model> shipped(const mlmq::backends::device_info& device) {
  if (!device.grid || device.modelled) return nullptr;
  static const auto model = mlmq::selector::shipped_ranking_model("phold");
  return model;
}

std::vector<mlmq::problems::named_candidate> standard(const mlmq::problems::recommendation_question& question) {
  return {{.label = question.device.grid ? "" : "solver=cpu_calendar"}};
}

constexpr mlmq::problems::solve_hook hook{.describe = describe};
constexpr mlmq::problems::recommendation_hook recommendation{
    .shipped = shipped, .features = settings_features, .fits = fits, .standard = standard};

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_phold;
const mlmq::problems::problem_registration mlmq_registers_phold(
    {{.name = "phold",
      .description = "events that a discrete-event simulation executes until a virtual time, one queue per entity",
      .make = [] { return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<mlmq::phold::phold_problem>()); },
      .comparison = {.runs_on = runs_on, .short_list = "phold.yaml", .competitors = "phold_competitors.yaml"},
      .solve = &hook,
      .recommendation = &recommendation}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "phold",
      .description = "every solver of PHOLD, every queue in every mode, against the simulation on processors",
      .subjects = mlmq::phold::checked_simulations,
      .run = mlmq::phold::check_simulations}});
}  // namespace
