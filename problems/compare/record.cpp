// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/record.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/hash.hpp"
#include "base/version.hpp"
#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::compare {
namespace {

/// Returns everything that the times of a comparison depend on, except its workloads and devices.
std::string identity_of(const tuner::problem& problem, const comparison_options& options, const db::store& store) {
  std::string text = "problem " + problem.name() + "\n";
  content_hash source_hashes;
  for (const tuner::experiment_file* const file : options.files()) {
    const tuner::search_space space(file->space, problem.declarations(), problem.presets());
    for (const tuner::configuration& configuration : space.list(most_contestants))
      source_hashes.add(store.recorded_code(problem.source_hash(configuration)));
  }
  text += fmt::format("sources {} program {}\n", source_hashes.hex(), program_version());
  if (options.peers != nullptr) {
    for (const peer& program : options.peers->peers()) text += fmt::format("peer {} {}\n", program.name, program.hash);
  }
  return text + options.configurations.text + "\n# competitors\n" + options.competitors_text();
}

}  // namespace

record::record(const tuner::problem& problem, const comparison_options& options, const contestants& contestants,
               db::store& store)
    : problem_(problem), contestants_(contestants), store_(store), name_(options.name) {
  const std::string text = identity_of(problem, options, store);
  const tuner::measurement_settings& settings = options.configurations.measurement;
  const std::string json =
      fmt::format(R"({{"interleaved":true,"repeats":{},"warmup":{},"time_limit_ms":{},"seed":{}}})", settings.repeats,
                  settings.warmup, settings.time_limit_ms, settings.seed);
  experiment_ = store_.put_experiment(name_, text, json);
  experiment_hash_ = content_hash().add(name_).add(text).add(json).hex();
  store_.release_abandoned();
  host_ = store_.put_host({.name = db::host_name()});
}

db::trial_key record::key(const group& group, const tuner::configuration& configuration, std::string hash,
                          const char* measurement) {
  const std::int64_t configuration_row = store_.put_configuration(
      {.problem = problem_.name(), .parameters_json = configuration.to_json(), .label = configuration.label()});
  return {.workload = group.workload_row,
          .configuration = configuration_row,
          .device = group.device_row,
          .query = group.query.text(),
          .kernel_source_hash = std::move(hash),
          .measurement = measurement};
}

db::trial_key record::key(const group& group, const tuner::configuration& configuration, const char* measurement) {
  return key(group, configuration, store_.recorded_code(contestants_.hash_of(configuration)), measurement);
}

db::trial_key record::interleaved_key(const group& group, const tuner::configuration& configuration) {
  return key(group, configuration,
             content_hash()
                 .add("in turns")
                 .add(store_.recorded_code(contestants_.hash_of(configuration)))
                 .add(experiment_hash_)
                 .hex(),
             time_measurement);
}

void record::plan(const std::vector<db::trial_key>& trials) { store_.plan(experiment_, trials); }

std::vector<db::planned_trial> record::planned(const group& group) const {
  return store_.planned_trials(experiment_, group.workload_row, group.query.text(), group.device_row);
}

std::int64_t record::plan_candidate(const db::trial_key& trial_key) {
  // Kept out of the experiment of the sweep, which would treat peers as its own configurations.
  const std::int64_t experiment =
      store_.put_experiment(name_ + " candidates", "peers, and what the selector chooses", "{}");
  store_.plan(experiment, std::vector{trial_key});
  return store_.find_trial(trial_key).value();
}

tuner::configuration record::configuration_of(const db::planned_trial& trial) const {
  return tuner::configuration::from_json(store_.configuration(trial.configuration).parameters_json);
}

std::optional<double> record::median(std::int64_t trial) const {
  const auto summary = store_.summary(trial);
  return summary ? summary->median_ms : std::nullopt;
}

std::optional<double> record::median(const group& group, const tuner::configuration& configuration) {
  const auto trial = store_.find_trial(key(group, configuration, time_measurement));
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
      // The database itself may have failed; the trials are released when this process ends.
    }
    throw;
  }
}

}  // namespace mlmq::compare
