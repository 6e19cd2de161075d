// SPDX-License-Identifier: Apache-2.0
#include "selector/training_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/version.hpp"
#include "selector/model_inputs.hpp"
#include "selector/recorded_rows.hpp"

namespace mlmq::selector {
namespace {

/// Collects the trials of one device. Equal workloads and configurations of several databases are merged.
class collector {
 public:
  collector(const recorded_rows& rows, const tuner::workload_features& kind, grouping groups)
      : rows_(rows), kind_(kind), groups_(groups) {}

  void add(const recorded_trial& trial) {
    const observation seen{.workload = workload_index(trial),
                           .candidate = candidate_index(rows_.candidates[trial.candidate]),
                           .milliseconds = trial.milliseconds.value_or(0),
                           .ok = trial.milliseconds.has_value(),
                           .spread = trial.spread,
                           .samples = trial.samples};
    // The first database that has a trial wins, so the order of the command line is the order of precedence.
    if (seen_.emplace(seen.workload, seen.candidate).second) set.observations.push_back(seen);
  }

  /// Drops inputs that no candidate solved. They do not even show that a candidate is bad: the answers may exceed 32
  /// bits, or no configuration may be fast enough.
  void drop_unsolved() {
    std::vector<bool> solved(set.workloads.size());
    for (const observation& observation : set.observations) {
      if (observation.ok) solved[observation.workload] = true;
    }
    std::vector<std::size_t> kept_workloads;
    for (std::size_t i = 0; i < solved.size(); ++i) {
      if (!solved[i]) continue;
      records_[kept_workloads.size()] = records_[i];
      inputs[kept_workloads.size()] = inputs[i];
      kept_workloads.push_back(i);
    }
    if (kept_workloads.empty()) return;  // nothing to learn from: training reports this
    records_.resize(kept_workloads.size());
    inputs.resize(kept_workloads.size());
    set = keep_workloads(set, kept_workloads);
  }

  /// Gives every workload all features that any workload has on record.
  void give_features() {
    for (const std::string& name : recorded_names()) {
      set.features.push_back(name);
      for (std::size_t i = 0; i < records_.size(); ++i)
        set.workloads[i].features.push_back(recorded_value(*records_[i], name));
    }
  }

  training_set set;
  std::vector<training_input> inputs;

 private:
  std::size_t workload_index(const recorded_trial& trial) {
    const recorded_workload& record = rows_.workloads[trial.workload];
    const auto [place, is_new] = workloads_.try_emplace({record.hash, trial.query}, set.workloads.size());
    if (is_new) {
      const std::string hash = record.hash.substr(0, 8);
      set.workloads.push_back({.name = fmt::format("{} {} ({})", record.name, trial.query, hash),
                               .group = groups_ == grouping::family && !record.family.empty()
                                            ? record.family
                                            : group_of(record.name, groups_),
                               .workload_class = record.workload_class,
                               .features = {},
                               .workload = fmt::format("{} ({})", record.name, hash),
                               .is_generated = record.is_generated});
      records_.push_back(&record);
      inputs.push_back({.workload = record.name,
                        .workload_class = record.workload_class,
                        .query = trial.query,
                        .hash = record.hash});
    }
    return place->second;
  }

  std::size_t candidate_index(const candidate& candidate) {
    const auto [place, is_new] = candidates_.try_emplace(candidate.label, set.candidates.size());
    if (is_new) set.candidates.push_back(candidate);
    return place->second;
  }

  [[nodiscard]] std::vector<std::string> recorded_names() const {
    std::set<std::string> names;
    for (const recorded_workload* record : records_) {
      for (const auto& [name, value] : record->features) names.insert(name);
    }
    return sort_features(std::vector(names.begin(), names.end()), kind_);
  }

  [[nodiscard]] double recorded_value(const recorded_workload& record, const std::string& name) const {
    const auto feature = record.features.find(name);
    const bool is_known = feature != record.features.end() && kind_.is_usable(name, record.features);
    return is_known ? feature->second : std::numeric_limits<double>::quiet_NaN();
  }

  const recorded_rows& rows_;
  const tuner::workload_features& kind_;
  grouping groups_;
  std::vector<const recorded_workload*> records_;  ///< one for each of set.workloads
  std::map<std::pair<std::string, std::string>, std::size_t> workloads_;
  std::map<std::string, std::size_t> candidates_;
  std::set<std::pair<std::size_t, std::size_t>> seen_;
};

using device_map = std::map<std::string, db::device_record>;

/// Returns the devices whose names contain `part`.
device_map devices_named(const device_map& devices, const std::string& part) {
  device_map result;
  for (const auto& [hash, record] : devices) {
    if (record.name.find(part) != std::string::npos) result.emplace(hash, record);
  }
  return result;
}

device_map without_processors(const device_map& devices) {
  device_map result = devices;
  std::erase_if(result, [](const auto& entry) { return entry.second.kind == "cpu"; });
  return result;
}

std::vector<std::string> names_of(const device_map& devices) {
  std::vector<std::string> names;
  for (const auto& [hash, record] : devices) names.push_back(record.name);
  return names;
}

collector collect(const recorded_rows& rows, const tuner::workload_features& kind, const std::string& device,
                  grouping groups) {
  collector result(rows, kind, groups);
  for (const recorded_trial& trial : rows.trials) {
    if (trial.device == device) result.add(trial);
  }
  result.drop_unsolved();
  result.give_features();
  return result;
}

}  // namespace

training_data load_training_data(const std::vector<std::string>& databases, const std::string& problem,
                                 const tuner::workload_features& kind, const std::string& device,
                                 const std::vector<db::trial_filter>& scopes, grouping groups,
                                 const std::string& code) {
  const recorded_rows rows = read_rows(databases, problem, scopes, code);
  device_map matching_devices = devices_named(rows.devices, device);
  if (matching_devices.empty()) {
    throw input_error(fmt::format(
        "no finished trials of problem '{}'{} in {}{}", problem,
        device.empty() ? "" : " on a device named like '" + device + "'", fmt::join(databases, ", "),
        rows.devices.empty() ? "" : fmt::format("; there are {}", fmt::join(names_of(rows.devices), ", "))));
  }
  if (const device_map others = without_processors(matching_devices); !others.empty()) matching_devices = others;
  if (matching_devices.size() > 1) {
    throw input_error(fmt::format("trials of several devices: {}; choose one with --device",
                                  fmt::join(names_of(matching_devices), ", ")));
  }
  const auto& [hash, record] = *matching_devices.begin();
  collector collected = collect(rows, kind, hash, groups);
  training_data result{.set = std::move(collected.set),
                       .inputs = std::move(collected.inputs),
                       .source = {.device_name = record.name,
                                  .device_kind = record.kind,
                                  .times = record.kind == "simt" ? "modelled" : "measured",
                                  .problem = problem,
                                  .program_version = program_version()},
                       .kind = &kind};
  result.other_code = rows.other_code;
  return result;
}

}  // namespace mlmq::selector
