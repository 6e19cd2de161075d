// SPDX-License-Identifier: Apache-2.0
#include "tuner/feature_update.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace mlmq::tuner {
namespace {

/// Counts what is new or other than before.
void compare(const db::workload_record& before, const db::workload_record& now, feature_update_report& report) {
  const std::map<std::string, double> known(before.features.begin(), before.features.end());
  for (const auto& [name, value] : now.features) {
    const auto found = known.find(name);
    if (found == known.end()) {
      ++report.added;
    } else if (found->second != value) {
      ++report.changed;
    }
  }
}

}  // namespace

feature_update_report update_features(db::store& store, const workload_kind& kind,
                                      std::span<const workload_input> inputs,
                                      const std::function<void(const std::string& name)>& progress) {
  std::map<std::string, db::workload_record> waiting;  // by hash
  std::set<std::string> names;
  for (db::workload_record& workload : store.workloads()) {
    names.insert(workload.name);
    waiting.emplace(workload.hash, std::move(workload));
  }
  feature_update_report report;
  std::set<std::string> done;
  std::set<std::string> others;
  for (const workload_input& one : inputs) {
    if (!names.contains(one.name)) continue;
    if (progress) progress(one.name);
    const db::workload_record now = kind.load(one)->record;
    const auto found = waiting.find(now.hash);
    if (found == waiting.end()) {
      if (!done.contains(now.hash)) others.insert(one.name);
      continue;
    }
    db::workload_record& recorded = found->second;
    compare(recorded, now, report);
    // Name and file of the workload stay what they are on record.
    recorded.features = now.features;
    store.put_workload(recorded);
    done.insert(now.hash);
    waiting.erase(found);
    ++report.workloads;
  }
  for (const auto& [hash, workload] : waiting) report.missing.push_back(workload.name);
  std::sort(report.missing.begin(), report.missing.end());
  report.others.assign(others.begin(), others.end());
  return report;
}

}  // namespace mlmq::tuner
