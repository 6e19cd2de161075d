// SPDX-License-Identifier: Apache-2.0
#include "tuner/feature_update.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace mlmq::tuner {
namespace {

/// Counts added and changed features.
void compare(const db::workload_record& recorded, const db::workload_record& computed, feature_update_report& report) {
  const std::map<std::string, double> recorded_values(recorded.features.begin(), recorded.features.end());
  for (const auto& [name, value] : computed.features) {
    const auto match = recorded_values.find(name);
    if (match == recorded_values.end()) {
      ++report.added;
    } else if (match->second != value) {
      ++report.changed;
    }
  }
}

}  // namespace

feature_update_report update_features(db::store& store, const workload_kind& kind,
                                      std::span<const workload_input> inputs,
                                      const std::function<void(const std::string& name)>& progress) {
  std::map<std::string, db::workload_record> remaining;  // by hash
  std::set<std::string> names;
  for (db::workload_record& workload : store.workloads()) {
    names.insert(workload.name);
    remaining.emplace(workload.hash, std::move(workload));
  }
  feature_update_report report;
  std::set<std::string> updated_hashes;
  std::set<std::string> others;
  for (const workload_input& input : inputs) {
    if (!names.contains(input.name)) continue;
    if (progress) progress(input.name);
    const db::workload_record computed = kind.load(input)->record;
    const auto match = remaining.find(computed.hash);
    if (match == remaining.end()) {
      if (!updated_hashes.contains(computed.hash)) others.insert(input.name);
      continue;
    }
    db::workload_record& recorded = match->second;
    compare(recorded, computed, report);
    // The recorded name and file of the workload are kept.
    recorded.features = computed.features;
    store.put_workload(recorded);
    updated_hashes.insert(computed.hash);
    remaining.erase(match);
    ++report.workloads;
  }
  for (const auto& [hash, workload] : remaining) report.missing.push_back(workload.name);
  std::sort(report.missing.begin(), report.missing.end());
  report.others.assign(others.begin(), others.end());
  return report;
}

}  // namespace mlmq::tuner
