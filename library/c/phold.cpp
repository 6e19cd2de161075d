// SPDX-License-Identifier: Apache-2.0
#include "library/c/handles.hpp"

using namespace mlmq::c;

namespace {

mlmq_phold_model model_defaults() {
  const mlmq::phold_model defaults;
  return {.struct_size = sizeof(mlmq_phold_model),
          .entities = defaults.entities,
          .events = defaults.events,
          .rate = defaults.rate,
          .lookahead = defaults.lookahead,
          .seed = defaults.seed};
}

mlmq_phold_options phold_defaults() {
  mlmq_phold_options options{};
  options.struct_size = sizeof options;
  options.time_limit_ms = mlmq::phold_options{}.time_limit_ms;
  return options;
}

mlmq::phold_options options_of(const mlmq_phold_options* options) {
  const mlmq_phold_options settings = with_defaults(options, phold_defaults(), sizeof *options, "mlmq_phold_options");
  return {.configurations = to_strings(settings.configurations, settings.configuration_count),
          .model = model_or_standard(settings.model),
          .time_limit_ms = settings.time_limit_ms,
          .counters = to_bool(settings.counters, "counters")};
}

mlmq_phold_run* handle(mlmq::phold_run run) {
  mlmq_summary summary{.searches = 1, .choice = {run.choice()}, .times = run.times(), .counters = run.counters()};
  return new mlmq_phold_run{std::move(run), std::move(summary)};
}

}  // namespace

void mlmq_phold_model_init(mlmq_phold_model* model, size_t struct_size) {
  init_struct(model, struct_size, model_defaults());
}

void mlmq_phold_options_init(mlmq_phold_options* options, size_t struct_size) {
  init_struct(options, struct_size, phold_defaults());
}

mlmq_status mlmq_phold_simulator_create(const mlmq_device* device, const mlmq_phold_model* model,
                                        mlmq_phold_simulator** simulator) {
  return guarded([&] {
    required(simulator, "simulator");
    const mlmq_phold_model settings = with_defaults(model, model_defaults(), sizeof *model, "mlmq_phold_model");
    *simulator = new mlmq_phold_simulator{
        mlmq::phold_simulator(required(device, "device")->value, {.entities = settings.entities,
                                                                  .events = settings.events,
                                                                  .rate = settings.rate,
                                                                  .lookahead = settings.lookahead,
                                                                  .seed = settings.seed})};
  });
}

void mlmq_phold_simulator_free(mlmq_phold_simulator* simulator) { delete simulator; }
const char* mlmq_phold_simulator_name(const mlmq_phold_simulator* simulator) { return simulator->value.name().c_str(); }

mlmq_status mlmq_phold_simulator_choose(const mlmq_phold_simulator* simulator, const mlmq_phold_options* options,
                                        mlmq_choice** choice) {
  return guarded([&] {
    required(choice, "choice");
    *choice = new mlmq_choice{required(simulator, "simulator")->value.choose(options_of(options))};
  });
}

mlmq_status mlmq_phold_simulator_run_until(mlmq_phold_simulator* simulator, double end,
                                           const mlmq_phold_options* options, mlmq_phold_run** run) {
  return guarded([&] {
    required(run, "run");
    *run = handle(required(simulator, "simulator")->value.run_until(end, options_of(options)));
  });
}

mlmq_status mlmq_phold_simulator_run_events(mlmq_phold_simulator* simulator, double count,
                                            const mlmq_phold_options* options, mlmq_phold_run** run) {
  return guarded([&] {
    required(run, "run");
    *run = handle(required(simulator, "simulator")->value.run_events(count, options_of(options)));
  });
}

void mlmq_phold_run_free(mlmq_phold_run* run) { delete run; }
uint64_t mlmq_phold_run_events(const mlmq_phold_run* run) { return run->value.events(); }
uint64_t mlmq_phold_run_hash(const mlmq_phold_run* run) { return run->value.hash(); }
double mlmq_phold_run_end(const mlmq_phold_run* run) { return run->value.end(); }
const mlmq_summary* mlmq_phold_run_summary(const mlmq_phold_run* run) { return &run->summary; }

mlmq_status mlmq_phold_run_check(const mlmq_phold_run* run, char** message) {
  return guarded([&] { write_message(message, required(run, "run")->value.check()); });
}
