// SPDX-License-Identifier: Apache-2.0
#include "compare/record.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/hash.hpp"
#include "base/version.hpp"
#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::compare {
namespace {

/// All that the times of a comparison depend on but its workloads and devices.
std::string identity_of(const tuner::problem& of, const comparison_options& options) {
  std::string text = "problem " + of.name() + "\n";
  content_hash source_hashes;
  for (const tuner::experiment_file* const file : options.files()) {
    const tuner::search_space space(file->space, of.declarations(), of.presets());
    for (const tuner::configuration& one : space.list(most_contestants)) source_hashes.add(of.source_hash(one));
  }
  text += fmt::format("sources {} program {}\n", source_hashes.hex(), program_version());
  if (options.peers != nullptr) {
    for (const peer& one : options.peers->peers()) text += fmt::format("peer {} {}\n", one.name, one.hash);
  }
  return text + options.configurations.text + "\n# competitors\n" + options.competitors_text();
}

}  // namespace

record::record(const tuner::problem& of, const comparison_options& options, const contestants& who, db::store& store)
    : problem_(of), who_(who), store_(store), name_(options.name) {
  const std::string text = identity_of(of, options);
  const tuner::measurement_settings& settings = options.configurations.measurement;
  const std::string json =
      fmt::format(R"({{"interleaved":true,"repeats":{},"warmup":{},"time_limit_ms":{},"seed":{}}})", settings.repeats,
                  settings.warmup, settings.time_limit_ms, settings.seed);
  experiment_ = store_.put_experiment(name_, text, json);
  experiment_hash_ = content_hash().add(name_).add(text).add(json).hex();
  store_.release_abandoned();
  host_ = store_.put_host({.name = db::host_name()});
}

db::trial_key record::key(const group& where, const tuner::configuration& chosen, std::string hash,
                          const char* measurement) {
  const std::int64_t row = store_.put_configuration(
      {.problem = problem_.name(), .parameters_json = chosen.to_json(), .label = chosen.label()});
  return {.workload = where.workload,
          .configuration = row,
          .device = where.device,
          .query = where.asked.text(),
          .kernel_source_hash = std::move(hash),
          .measurement = measurement};
}

db::trial_key record::key(const group& where, const tuner::configuration& chosen, const char* measurement) {
  return key(where, chosen, who_.hash_of(chosen), measurement);
}

db::trial_key record::key_in_turns(const group& where, const tuner::configuration& chosen) {
  return key(where, chosen, content_hash().add("in turns").add(who_.hash_of(chosen)).add(experiment_hash_).hex(),
             timed);
}

void record::plan(const std::vector<db::trial_key>& trials) { store_.plan(experiment_, trials); }

std::vector<db::planned_trial> record::planned(const group& where) const {
  return store_.planned_trials(experiment_, where.workload, where.asked.text(), where.device);
}

std::int64_t record::plan_candidate(const db::trial_key& wanted) {
  // Not in the experiment of the sweep, which would take peers for configurations of its own.
  const std::int64_t experiment =
      store_.put_experiment(name_ + " candidates", "peers, and what the selector chooses", "{}");
  store_.plan(experiment, std::vector{wanted});
  return store_.find_trial(wanted).value();
}

tuner::configuration record::configuration_of(const db::planned_trial& trial) const {
  return tuner::configuration::from_json(store_.configuration(trial.configuration).parameters_json);
}

std::optional<double> record::median(std::int64_t trial) const {
  const auto summary = store_.summary(trial);
  return summary ? summary->median_ms : std::nullopt;
}

std::optional<double> record::median(const group& where, const tuner::configuration& chosen) {
  const auto trial = store_.find_trial(key(where, chosen, timed));
  return trial ? median(*trial) : std::nullopt;
}

bool record::claim(std::int64_t trial) { return store_.claim_trial(trial, db::this_worker()).has_value(); }

void record::finish(std::int64_t trial, db::trial_result result) {
  result.host = host_;
  store_.finish(trial, result);
}

void record::finish_with(std::int64_t trial, const std::function<db::trial_result()>& measure) {
  guarded([&] {
    try {
      finish(trial, measure());
    } catch (tuner::device_lost& lost) {
      finish(trial, std::move(lost.result));
      throw;
    }
  });
}

void record::release() { store_.release_worker(db::this_worker()); }

void record::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    try {
      release();
    } catch (...) {
      // The database may be what failed; the trials are released when this process has ended.
    }
    throw;
  }
}

}  // namespace mlmq::compare
