// SPDX-License-Identifier: Apache-2.0
// The timed trials of one problem on one device, as a table of inputs and configurations. What the page draws is computed
// from these tables, so that it can leave out workloads and show two result sets side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "db/finished_trials.hpp"

namespace mlmq::report {

/// The newest timed trial of a configuration on an input.
struct table_entry {
  std::size_t configuration = 0;  ///< index into result_set::configurations
  const db::finished_trial* trial = nullptr;
};

/// A workload with a query.
struct table_row {
  std::size_t workload = 0;  ///< index into result_set::workloads
  std::string query;
  std::vector<table_entry> entries;  ///< by configuration; what was not measured is not there
  std::size_t left_out = 0;          ///< entries that limit_entries() took away
};

/// Refers to the record that it was made of, which must outlive it.
struct result_set {
  std::string problem;
  const db::device_record* device = nullptr;
  std::vector<const db::configuration_record*> configurations;  ///< by label
  std::vector<const db::workload_record*> workloads;            ///< by class, name and hash
  std::vector<table_row> rows;                                  ///< by workload and query
  /// All finished trials, older and counting ones too, in the order in which they finished.
  std::vector<const db::finished_trial*> trials;
  std::map<std::int64_t, std::size_t> configuration_of;  ///< from the database's id
  std::map<std::int64_t, std::size_t> workload_of;       ///< from the database's id
  std::size_t replaced = 0;               ///< timed trials with a newer one of the same configuration and input
  std::size_t hidden_configurations = 0;  ///< that limit_entries() took away

  [[nodiscard]] std::size_t entry_count() const;
};

/// One for each problem and device of the record, by problem, processors last, then by the device's name. A problem or
/// device without a timed trial has none.
[[nodiscard]] std::vector<result_set> result_sets_of(const db::whole_record& record);

/// Milliseconds after which a trial was stopped, as its message says; NaN when the trial was not stopped or does not say.
[[nodiscard]] double stopped_after(const db::finished_trial& trial);

/// Takes away configurations until the table has at most `most` entries. Those stay that are fastest on some input, then
/// those with the highest mean relative performance.
void limit_entries(result_set& set, std::size_t most);

}  // namespace mlmq::report
