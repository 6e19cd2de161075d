// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "problems/checks.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/schedule_check.hpp"
#include "problems/phold/selector_model.hpp"
#include "problems/phold/solver.hpp"
#include "problems/registry.hpp"
#include "selector/exported.hpp"

namespace {

std::vector<std::pair<std::string, std::string>> describe(mlmq::tuner::problem_instance& /*solved*/,
                                                          const mlmq::tuner::run_report& report) {
  double events = 0;
  for (const auto& [name, value] : report.counters) {
    if (name == "events") events = value;
  }
  return {{"executed", fmt::format("{:.0f} events, {:.4g} in a second", events, events / report.milliseconds * 1e3)}};
}

bool runs_on(const mlmq::tuner::configuration& given, const mlmq::backends::device_traits& device) {
  return mlmq::phold::is_on_processors(mlmq::phold::solver_of(given)) != device.grid;
}

/// The shipped selector knows measured times of a GPU. A simulated one has its own, and little room: the defaults.
std::string choose(const mlmq::db::workload_record& on, const mlmq::backends::device_info& device) {
  if (!device.grid) return "solver=cpu_calendar";
  if (device.modelled) return "";
  return mlmq::selector::best_label(mlmq_phold_selector::model, [&](std::string_view feature) {
    return on.feature(feature).value_or(std::numeric_limits<double>::quiet_NaN());
  });
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
