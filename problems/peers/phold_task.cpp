// SPDX-License-Identifier: Apache-2.0
// PHOLD as a task of peers. A peer draws events of its own, so its answer cannot be equal to ours. The check is
// that no event was lost and that their number is the expected one.
#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "phold/model.cuh"
#include "problems/peers/peer_task.hpp"
#include "problems/phold/phold_workload.hpp"
#include "problems/phold/queries.hpp"

namespace mlmq::peers {
namespace {

/// expected_events() takes a step for each unit of virtual time.
constexpr double longest_until = 1e8;

bool is_whole(double number) { return number == std::floor(number); }

/// Returns the expected number of events that GPUPQ executes before the virtual time `end`. It counts time in integers:
/// the initial times and the delays, which are drawn from exponential distributions, are rounded down.
/// @param end, lookahead whole numbers
double expected_events(double population, double rate, double lookahead, double end) {
  // density[t] is the expected number of events of one chain at time t. A delay is lookahead + k with probability
  // (1 - q) q^k, so the contribution of earlier events follows a recurrence.
  const double q = std::exp(-rate);
  const auto lookahead_steps = static_cast<std::size_t>(lookahead);
  std::vector<double> density(static_cast<std::size_t>(end));
  double first = 1 - q;  // probability of the initial time
  double later = 0;
  double sum = 0;
  for (std::size_t t = 0; t < density.size(); ++t) {
    later *= q;
    if (t >= lookahead_steps) later += (1 - q) * density[t - lookahead_steps];
    density[t] = first + later;
    first *= q;
    sum += density[t];
  }
  return population * sum;
}

class simulation_task final : public peer_task {
 public:
  simulation_task(const tuner::workload& workload, const tuner::query& query)
      : model_(phold::settings_of(workload)),
        until_(static_cast<double>(phold::end_of(model_, query)) / phold::ticks_per_unit) {}

  void require_fit(const peer&) override {
    if (!is_whole(model_.lookahead) || !is_whole(until_)) throw input_error("it counts virtual time in whole numbers");
    if (until_ > longest_until)
      throw input_error("the number of its events cannot be checked beyond a virtual time of 10^8");
  }

  [[nodiscard]] placeholder_values write_input(const peer&, const tuner::configuration&) override {
    return {{"entities", std::to_string(model_.entities)},
            {"events", std::to_string(model_.events)},
            {"rate", fmt::format("{}", model_.rate)},
            {"lookahead", shortest_decimal(model_.lookahead)},
            {"until", shortest_decimal(until_)}};
  }

  [[nodiscard]] std::string find_error(const peer&, const peer_output& printed) override {
    for (const char* const name : {"events", "end"}) {
      if (printed.numbers(name).size() != printed.numbers("time_ms").size())
        return fmt::format("it did not print '{}' for each time", name);
    }
    const auto population = static_cast<double>(model_.population());
    for (const double events : printed.numbers("population")) {
      if (events != population)
        return fmt::format("its queues hold {} events at the end, expected {}", events, population);
    }
    for (std::size_t i = 0; i < printed.numbers("end").size(); ++i) {
      const double end = printed.numbers("end")[i];
      const double events = printed.numbers("events")[i];
      if (!(end >= until_ && end <= 2 * longest_until))
        return fmt::format("it stopped at the virtual time {}, expected {}", end, until_);
      // All events before `end` were executed, and some that are less than the lookahead later. Numbers of events
      // vary less than those of a Poisson process.
      const double least = expected_events(population, model_.rate, model_.lookahead, end);
      const double most = expected_events(population, model_.rate, model_.lookahead, end + model_.lookahead);
      const double tolerance = 4 * std::sqrt(most);
      if (events < least - tolerance || events > most + tolerance) {
        return fmt::format("it executed {} events until {}, expected {:.0f} to {:.0f}", events, end, least, most);
      }
    }
    return "";
  }

  void add_counters(const peer_output& printed, db::trial_result& result) const override {
    result.counters.emplace_back("events", *printed.last("events"));
  }

 private:
  phold::model_settings model_;
  double until_;
};

}  // namespace

std::unique_ptr<peer_task> phold_task(const tuner::workload& workload, const tuner::query& query) {
  return std::make_unique<simulation_task>(workload, query);
}

}  // namespace mlmq::peers
