// SPDX-License-Identifier: Apache-2.0
// Models, choices and summaries.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "library/c/handles.hpp"

using namespace mlmq::c;

namespace {

/// @param kind  what the elements are, for the message
/// @throws input_error if the index is out of range
template <class Element>
const Element& element_at(const std::vector<Element>& elements, std::size_t i, const char* kind) {
  if (i < elements.size()) return elements[i];
  throw mlmq::input_error(fmt::format("{} {}: index out of range, expected less than {}", kind, i, elements.size()));
}

}  // namespace

mlmq_status mlmq_model_read(const char* file, mlmq_model** model) {
  return guarded([&] {
    required(model, "model");
    *model = new mlmq_model{mlmq::model::read(required(file, "file"))};
  });
}

mlmq_status mlmq_model_shipped(mlmq_model** model) {
  return guarded([&] {
    required(model, "model");
    *model = new mlmq_model{mlmq::model::shipped()};
  });
}

void mlmq_model_free(mlmq_model* model) { delete model; }

mlmq_status mlmq_complete_configuration(const char* text, char** configuration) {
  return guarded([&] {
    required(configuration, "configuration");
    *configuration = owned_text(mlmq::complete_configuration(required(text, "text")));
  });
}

void mlmq_choice_free(mlmq_choice* choice) { delete choice; }
const char* mlmq_choice_configuration(const mlmq_choice* choice) { return choice->value.configuration.c_str(); }
const char* mlmq_choice_device(const mlmq_choice* choice) { return choice->value.device.c_str(); }
const char* mlmq_choice_device_name(const mlmq_choice* choice) { return choice->value.device_name.c_str(); }
const char* mlmq_choice_reason(const mlmq_choice* choice) { return choice->value.reason.c_str(); }

mlmq_chooser mlmq_choice_chooser(const mlmq_choice* choice) {
  switch (choice->value.chosen_by) {
    case mlmq::choice::source::caller:
      return MLMQ_CHOSEN_BY_CALLER;
    case mlmq::choice::source::model:
      return MLMQ_CHOSEN_BY_MODEL;
    case mlmq::choice::source::trial:
      return MLMQ_CHOSEN_BY_TRIAL;
    case mlmq::choice::source::times:
      return MLMQ_CHOSEN_BY_TIMES;
    case mlmq::choice::source::rule:
      return MLMQ_CHOSEN_BY_RULE;
    case mlmq::choice::source::standard:
      break;
  }
  return MLMQ_CHOSEN_BY_STANDARD;
}

double mlmq_choice_predicted(const mlmq_choice* choice) {
  return choice->value.predicted.value_or(std::numeric_limits<double>::quiet_NaN());
}

void mlmq_solve_times_init(mlmq_solve_times* times, size_t struct_size) {
  init_struct(times, struct_size, mlmq_solve_times{});
}

void mlmq_summary_free(mlmq_summary* summary) { delete summary; }
size_t mlmq_summary_searches(const mlmq_summary* summary) { return summary->searches; }
const mlmq_choice* mlmq_summary_choice(const mlmq_summary* summary) { return &summary->choice; }

mlmq_status mlmq_summary_times(const mlmq_summary* summary, mlmq_solve_times* times) {
  return guarded([&] {
    const mlmq::solve_times& durations = required(summary, "summary")->times;
    write_struct(times,
                 {.struct_size = 0,
                  .features = durations.features,
                  .choice = durations.choice,
                  .upload = durations.upload,
                  .compile = durations.compile,
                  .prepare = durations.prepare,
                  .solve = durations.solve,
                  .download = durations.download,
                  .compiled = durations.compiled ? 1 : 0,
                  .host_copy = durations.host_copy},
                 offsetof(mlmq_solve_times, host_copy), "mlmq_solve_times");
  });
}

mlmq_status mlmq_summary_exact(const mlmq_summary* summary, int* exact) {
  return guarded([&] {
    static_cast<void>(required(summary, "summary"));
    *required(exact, "exact") = 1;
  });
}

uint64_t mlmq_summary_digest(const mlmq_summary* summary) { return summary->digest; }

size_t mlmq_summary_counter_count(const mlmq_summary* summary) { return summary->counters.size(); }

mlmq_status mlmq_summary_counter(const mlmq_summary* summary, size_t i, const char** name, double* value) {
  return guarded([&] {
    const auto& counter = element_at(required(summary, "summary")->counters, i, "counter");
    if (name != nullptr) *name = counter.first.c_str();
    if (value != nullptr) *value = counter.second;
  });
}

size_t mlmq_summary_interval_count(const mlmq_summary* summary) { return summary->timeline.size(); }

mlmq_status mlmq_summary_interval(const mlmq_summary* summary, size_t i, mlmq_timeline_interval* interval) {
  return guarded([&] {
    const mlmq::timeline_interval& part = element_at(required(summary, "summary")->timeline, i, "interval");
    *required(interval, "interval") = {
        .start_ms = part.start_ms, .vertices = part.vertices, .active_warps = part.active_warps};
  });
}

size_t mlmq_summary_tried_count(const mlmq_summary* summary) { return summary->tried.size(); }

mlmq_status mlmq_summary_tried(const mlmq_summary* summary, size_t i, const char** configuration, size_t* searches,
                               double* milliseconds) {
  return guarded([&] {
    const mlmq_summary::trial& trial = element_at(required(summary, "summary")->tried, i, "trial");
    if (configuration != nullptr) *configuration = trial.configuration.c_str();
    if (searches != nullptr) *searches = trial.searches;
    if (milliseconds != nullptr) *milliseconds = trial.milliseconds;
  });
}
