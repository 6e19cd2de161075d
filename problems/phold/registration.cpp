// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "problems/checks.hpp"
#include "problems/phold/cluster_solver.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/phold_instance.hpp"
#include "problems/phold/schedule_check.hpp"
#include "problems/phold/selector_model.hpp"
#include "problems/phold/solver.hpp"
#include "problems/registry.hpp"
#include "selector/exported.hpp"
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

bool runs_on(const mlmq::tuner::configuration& given, const mlmq::backends::device_traits& device) {
  return mlmq::phold::is_on_processors(mlmq::phold::solver_of(given)) != device.grid;
}

/// 0 for what is not known.
std::uint64_t whole(double number) { return number > 0 ? static_cast<std::uint64_t>(number) : 0; }

/// A cluster of blocks needs a GPU that has such clusters, and a model that fits.
bool can_run(const std::string& label, const mlmq::problems::feature_value& feature,
             const mlmq::backends::device_info& device) {
  static const auto parameters = mlmq::tuner::parameter_set::from_declarations(mlmq::phold::phold_declarations());
  const mlmq::tuner::configuration chosen = parameters.parse_label(label);
  if (mlmq::phold::solver_of(chosen) != "cluster") return true;
  const unsigned blocks =
      mlmq::tuner::parameter_values(mlmq::phold::phold_declarations(), chosen).whole("cluster_blocks");
  mlmq::phold::model_settings settings;
  settings.entities = whole(feature("entities"));
  settings.events = whole(feature("events"));
  settings.rate = feature("rate");
  settings.lookahead = feature("lookahead");
  return blocks <= device.cluster_blocks && settings.entities != 0 &&
         mlmq::phold::fits_into_cluster(settings, blocks, device.shared_bytes_per_block);
}

/// The shipped selector knows measured times of a GPU. A simulated one has its own, and little room: the defaults.
std::vector<mlmq::problems::suggested_configuration> choose(const mlmq::problems::feature_value& feature,
                                                            const mlmq::backends::device_info& device) {
  if (!device.grid) return {{.label = "solver=cpu_calendar"}};
  if (device.modelled) return {};
  std::vector<mlmq::problems::suggested_configuration> all;
  for (const mlmq::selector::ranked_label& one : mlmq::selector::ranked_labels(mlmq_phold_selector::model, feature)) {
    if (can_run(one.label, feature, device)) all.push_back({.label = one.label, .predicted = double{one.predicted}});
  }
  return all;
}

constexpr mlmq::problems::solve_hook hook{.describe = describe, .choose = choose};

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_phold;
const mlmq::problems::problem_registration mlmq_registers_phold(
    {{.name = "phold",
      .description = "events that a discrete-event simulation executes until a virtual time, one queue for each entity",
      .make = [] { return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<mlmq::phold::phold_problem>()); },
      .comparison = {.runs_on = runs_on, .short_list = "phold.yaml", .competitors = "phold_competitors.yaml"},
      .solve = &hook}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "phold",
      .description = "every solver of PHOLD, every queue in every mode, against the simulation on processors",
      .subjects = mlmq::phold::checked_simulations,
      .run = mlmq::phold::check_simulations}});
}  // namespace
