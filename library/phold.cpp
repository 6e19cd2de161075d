// SPDX-License-Identifier: Apache-2.0
#include "mlmq/phold.hpp"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "base/error.hpp"
#include "base/text.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/workload_runner.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/phold_instance.hpp"
#include "problems/phold/queries.hpp"
#include "problems/phold/solver.hpp"

namespace mlmq {

struct detail::phold_run_data {
  std::shared_ptr<const phold::phold_workload> simulated;
  std::uint64_t end_ticks = 0;
  phold::trace executed;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
};

/// A runner and the model it simulates.
class detail::phold_simulator_data {
 public:
  phold_simulator_data(const mlmq::device& device, std::shared_ptr<const phold::phold_workload> workload,
                       phold_options defaults)
      : simulated(std::move(workload)),
        options(std::move(defaults)),
        runner(device, problems::find_problem("phold"), simulated, [model_workload = simulated](std::string_view name) {
          return model_workload->record.feature(name).value_or(std::numeric_limits<double>::quiet_NaN());
        }) {}

  [[nodiscard]] phold_run run(const tuner::query& query, const phold_options& run_options);

  std::shared_ptr<const phold::phold_workload> simulated;
  phold_options options;
  workload_runner runner;
};

namespace {

std::shared_ptr<const phold::phold_workload> workload_of(const phold_model& model) {
  tuner::workload_input input{
      .name = "",
      .file = "",
      .generated = fmt::format("phold:entities={}:events={}:rate={}:lookahead={}:seed={}", model.entities, model.events,
                               shortest_decimal(model.rate), shortest_decimal(model.lookahead), model.seed)};
  phold::phold_kind().describe(input, {});
  const std::shared_ptr<const tuner::workload> loaded = phold::phold_kind().load(input);
  return std::dynamic_pointer_cast<const phold::phold_workload>(loaded);
}

detail::run_request request_for(const phold_options& options, const std::string& description) {
  return {.configurations = options.configurations,
          .chosen_by = options.model,
          .mode = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
          .adapt = {},
          .description = description};
}

/// Returns the query for a setting, such as until=250. @throws input_error
tuner::query query_of(const phold::phold_workload& workload, const std::string& name, double value) {
  tuner::query_rule rule;
  rule.settings.push_back({.name = name, .values = {shortest_decimal(value)}, .place = {}});
  return phold::choose_ends(workload.settings, std::vector{rule}).at(0);
}

}  // namespace

phold_run detail::phold_simulator_data::run(const tuner::query& query, const phold_options& run_options) {
  require_time_limit(run_options.time_limit_ms);
  const auto data = std::make_shared<phold_run_data>();
  data->simulated = simulated;
  data->end_ticks = phold::end_of(simulated->settings, query);
  const std::string description = fmt::format("{}, {}", simulated->record.name, query.text());
  const detail::device_lock lock(runner.device());
  return translated([&] {
    runner.device().backend->enter();
    run_result result =
        runner.run(request_for(run_options, description), [&](tuner::problem_instance& instance, solve_times&) {
          return instance.run(query, run_options.time_limit_ms);
        });
    data->executed = dynamic_cast<const phold::phold_instance&>(runner.instance()).executed();
    data->chosen = std::move(result.chosen);
    data->times = result.times;
    if (run_options.counters) data->counters = std::move(result.report.counters);
    return access::make<phold_run>(std::shared_ptr<const phold_run_data>(data));
  });
}

std::uint64_t phold_run::events() const noexcept { return data_->executed.events; }
std::uint64_t phold_run::hash() const noexcept { return data_->executed.hash; }
double phold_run::end() const noexcept { return static_cast<double>(data_->end_ticks) / phold::ticks_per_unit; }
double phold_run::events_per_second() const noexcept {
  return static_cast<double>(data_->executed.events) / data_->times.solve * 1e3;
}
const choice& phold_run::choice() const noexcept { return data_->chosen; }
const solve_times& phold_run::times() const noexcept { return data_->times; }
const std::vector<std::pair<std::string, double>>& phold_run::counters() const noexcept { return data_->counters; }

std::string phold_run::check() const {
  const auto chosen =
      tuner::parameter_set::from_declarations(phold::phold_declarations()).parse_label(data_->chosen.configuration);
  return phold::find_error(phold::solver_of(chosen), data_->simulated->settings, data_->simulated->record.hash,
                           data_->end_ticks, data_->executed);
}

phold_simulator::phold_simulator(const device& device, const phold_model& model, phold_options options)
    : data_(std::make_shared<detail::phold_simulator_data>(device, workload_of(model), std::move(options))) {}

const std::string& phold_simulator::name() const noexcept { return data_->simulated->record.name; }

choice phold_simulator::choose() const { return choose(data_->options); }

choice phold_simulator::choose(const phold_options& options) const {
  const detail::device_lock lock(data_->runner.device());
  return detail::translated([&] { return data_->runner.choose(request_for(options, name())); });
}

phold_run phold_simulator::run_until(double end) { return run_until(end, data_->options); }

phold_run phold_simulator::run_until(double end, const phold_options& options) {
  return data_->run(query_of(*data_->simulated, "until", end), options);
}

phold_run phold_simulator::run_events(double count) { return run_events(count, data_->options); }

phold_run phold_simulator::run_events(double count, const phold_options& options) {
  return data_->run(query_of(*data_->simulated, "events", count), options);
}

}  // namespace mlmq
