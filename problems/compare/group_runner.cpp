// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/group_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "tuner/configuration.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::compare {
namespace {

/// Adds one turn to a trial: appends its samples; the result is that of the last turn.
void add_turn(db::trial_result& total, db::trial_result turn) {
  total.samples_ms.insert(total.samples_ms.end(), turn.samples_ms.begin(), turn.samples_ms.end());
  total.compile_ms += turn.compile_ms;
  total.upload_ms += turn.upload_ms;
  total.measure_ms += turn.measure_ms;
  total.check_ms += turn.check_ms;
  total.result = turn.result;
  total.message = std::move(turn.message);
  total.counters = std::move(turn.counters);
  // Only the first turn compiled the variant; later turns took it from memory.
  if (!total.variant) total.variant = std::move(turn.variant);
  total.times_modelled = turn.times_modelled;
  total.program_version = std::move(turn.program_version);
  total.driver = std::move(turn.driver);
}

}  // namespace

group_runner::group_runner(const context& common, device_session& session, const group& group)
    : common_(common),
      session_(session),
      group_(group),
      instance_(common.problem.load(session.device(), group.workload)) {
  if (!session.peers().empty()) peers_ = common.options.peers->open(group.workload, group.query, session.info());
}

bool group_runner::can_launch(const tuner::configuration& configuration) {
  try {
    instance_->prepare(configuration,
                       session_.variants().get(instance_->variant(configuration, tuner::instrumentation::none)),
                       tuner::instrumentation::none);
    return true;
  } catch (const backends::launch_error&) {
    return false;
  }
}

db::trial_result group_runner::measure(const tuner::configuration& configuration, tuner::instrumentation mode,
                                       const tuner::measurement_settings& settings) {
  return tuner::measure_trial(session_.device(), *instance_, session_.variants(), common_.problem.name(), configuration,
                              group_.query, mode, settings);
}

db::trial_result group_runner::run_peer(const tuner::configuration& configuration, std::uint64_t samples) {
  return peers_->run(common_.contestants.peer_of(configuration)->name, tuner::peer_parameters(configuration), samples);
}

round_runner::round_runner(const context& common, const device_session& session, const group& group,
                           group_runner& runner, const std::vector<db::planned_trial>& planned)
    : common_(common), session_(session), group_(group), runner_(runner) {
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != time_measurement || trial.done) continue;
    tuner::configuration configuration = common.record.configuration_of(trial);
    if (!common.record.claim(trial.id)) {
      common.notes.push_back(fmt::format("{} on {}: another process is measuring {}", group.workload.record.name,
                                         session.info().name, configuration.label()));
      continue;
    }
    const peer* const program = common.contestants.peer_of(configuration);
    entries_.push_back({.trial = trial.id, .configuration = std::move(configuration), .program = program});
  }
}

void round_runner::run() {
  const tuner::measurement_settings& settings = common_.options.configurations.measurement;
  common_.record.guarded([&] {
    random_stream random = random_stream::from_state(settings.seed);
    for (std::uint64_t round = 0; round < settings.repeats; ++round) {
      for (std::size_t i = entries_.size(); i > 1; --i)
        std::swap(entries_[i - 1], entries_[random.below_by_division(i)]);
      for (entry& current : entries_) {
        if (common_.caller.wants_stop()) {
          common_.record.release();
          return;
        }
        run_turn(current, round);
      }
      common_.caller.report_progress(
          fmt::format("{} on {}: round {} of {}, {} contestants", group_.workload.record.name, session_.info().selector,
                      round + 1, settings.repeats, entries_.size()),
          static_cast<double>(round + 1) / static_cast<double>(settings.repeats));
    }
    for (entry& current : entries_) common_.record.finish(current.trial, std::move(current.result));
  });
}

void round_runner::run_turn(entry& current, std::uint64_t round) {
  if (current.has_failed) return;
  db::trial_result turn;
  if (current.program != nullptr) {
    const std::uint64_t samples = samples_of_turn(*current.program, round);
    if (samples == 0) return;
    turn = runner_.run_peer(current.configuration, samples);
  } else {
    turn = measure(current, round);
  }
  current.has_failed = turn.result != db::outcome::ok;
  add_turn(current.result, std::move(turn));
}

db::trial_result round_runner::measure(entry& current, std::uint64_t round) {
  tuner::measurement_settings settings = common_.options.configurations.measurement;
  settings.repeats = 1;
  settings.seed += round;
  try {
    return runner_.measure(current.configuration, tuner::instrumentation::none, settings);
  } catch (tuner::device_lost& lost) {
    add_turn(current.result, std::move(lost.result));
    common_.record.finish(current.trial, std::move(current.result));
    throw;
  }
}

/// A peer with fewer turns than rounds runs in evenly spread rounds, and measures more samples in each.
std::uint64_t round_runner::samples_of_turn(const peer& program, std::uint64_t round) const {
  const std::uint64_t rounds = common_.options.configurations.measurement.repeats;
  const std::uint64_t peer_rounds = program.turns == 0 ? rounds : std::min(program.turns, rounds);
  if ((round + 1) * peer_rounds / rounds == round * peer_rounds / rounds) return 0;
  return (rounds + peer_rounds - 1) / peer_rounds;
}

void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned) {
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != counter_measurement || trial.done) continue;
    if (common.caller.wants_stop()) return;
    if (!common.record.claim(trial.id)) continue;
    common.record.finish_with(trial.id, [&] {
      return runner.measure(common.record.configuration_of(trial), tuner::instrumentation::counters,
                            common.options.configurations.measurement);
    });
  }
}

std::map<std::int64_t, double> counted_work(const context& common, const std::vector<db::planned_trial>& planned) {
  const std::string counter = common.problem.work().counter;
  std::map<std::int64_t, double> work;
  for (const db::planned_trial& trial : planned) {
    const bool by_peer = trial.done && tuner::peer_name(common.record.configuration_of(trial)).has_value();
    if (trial.measurement != counter_measurement && !by_peer) continue;
    const auto counters = common.record.store().counters(trial.id);
    if (const auto match = counters.find(counter); match != counters.end()) work[trial.configuration] = match->second;
  }
  return work;
}

}  // namespace mlmq::compare
