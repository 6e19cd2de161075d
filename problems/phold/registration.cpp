// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string_view>

#include "problems/checks.hpp"
#include "problems/phold/cluster_solver.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/phold_instance.hpp"
#include "problems/phold/schedule_check.hpp"
#include "problems/phold/solver.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/parameter.hpp"
#include "tuner/parameter_values.hpp"

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
