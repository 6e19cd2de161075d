// SPDX-License-Identifier: Apache-2.0
#include "compare/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::compare {
namespace {

/// A trial of several turns: samples one after the other, the first failure decides.
void add_turn(db::trial_result& to, db::trial_result turn) {
  to.samples_ms.insert(to.samples_ms.end(), turn.samples_ms.begin(), turn.samples_ms.end());
  to.compile_ms += turn.compile_ms;
  to.upload_ms += turn.upload_ms;
  to.measure_ms += turn.measure_ms;
  to.check_ms += turn.check_ms;
  to.result = turn.result;
  to.message = std::move(turn.message);
  to.counters = std::move(turn.counters);
  // The first turn compiled, the others took the variant from memory.
  if (!to.variant) to.variant = std::move(turn.variant);
  to.times_modelled = turn.times_modelled;
  to.program_version = std::move(turn.program_version);
  to.driver = std::move(turn.driver);
}

}  // namespace

turns::turns(const context& common, const stage& on, const group& where, group_runner& runner,
             const std::vector<db::planned_trial>& planned)
    : common_(common), stage_(on), where_(where), runner_(runner) {
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != timed || trial.done) continue;
    tuner::configuration chosen = common.recorded.configuration_of(trial);
    if (!common.recorded.claim(trial.id)) {
      common.notes.push_back(fmt::format("{} on {}: another process measures {}", where.loaded.record.name,
                                         on.info().name, chosen.label()));
      continue;
    }
    const peer* const program = common.who.peer_of(chosen);
    all_.push_back({.trial = trial.id, .chosen = std::move(chosen), .program = program});
  }
}

void turns::take() {
  const tuner::measurement_settings& settings = common_.options.configurations.measurement;
  common_.recorded.guarded([&] {
    random_stream random = random_stream::from_state(settings.seed);
    for (std::uint64_t round = 0; round < settings.repeats; ++round) {
      for (std::size_t i = all_.size(); i > 1; --i) std::swap(all_[i - 1], all_[random.below_by_division(i)]);
      for (contestant& one : all_) {
        if (common_.asked_by.wants_stop()) {
          common_.recorded.release();
          return;
        }
        take_turn(one, round);
      }
      common_.asked_by.tell(fmt::format("{} on {}: round {} of {}, {} contestants", where_.loaded.record.name,
                                        stage_.info().selector, round + 1, settings.repeats, all_.size()),
                            static_cast<double>(round + 1) / static_cast<double>(settings.repeats));
    }
    for (contestant& one : all_) common_.recorded.finish(one.trial, std::move(one.result));
  });
}

void turns::take_turn(contestant& one, std::uint64_t round) {
  if (one.out) return;
  db::trial_result turn;
  if (one.program != nullptr) {
    const std::uint64_t samples = samples_of_turn(*one.program, round);
    if (samples == 0) return;
    turn = runner_.run_peer(one.chosen, samples);
  } else {
    turn = measure(one, round);
  }
  one.out = turn.result != db::outcome::ok;
  add_turn(one.result, std::move(turn));
}

db::trial_result turns::measure(contestant& one, std::uint64_t round) {
  tuner::measurement_settings settings = common_.options.configurations.measurement;
  settings.repeats = 1;
  settings.seed += round;
  try {
    return runner_.measure(one.chosen, tuner::instrumentation::none, settings);
  } catch (tuner::device_lost& lost) {
    add_turn(one.result, std::move(lost.result));
    common_.recorded.finish(one.trial, std::move(one.result));
    throw;
  }
}

/// A peer with fewer turns than rounds has them evenly spread, and more samples in each.
std::uint64_t turns::samples_of_turn(const peer& program, std::uint64_t round) const {
  const std::uint64_t rounds = common_.options.configurations.measurement.repeats;
  const std::uint64_t own = program.turns == 0 ? rounds : std::min(program.turns, rounds);
  if ((round + 1) * own / rounds == round * own / rounds) return 0;
  return (rounds + own - 1) / own;
}

}  // namespace mlmq::compare
