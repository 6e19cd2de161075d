// SPDX-License-Identifier: Apache-2.0
// The timed trials of one problem on one device, as a table of inputs and configurations. The page computes its charts
// from these tables, so that it can filter workloads and compare two result sets.
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
  std::vector<table_entry> entries;  ///< ordered by configuration, without unmeasured ones
  std::size_t left_out = 0;          ///< number of entries that limit_entries() removed
};

/// Refers to the record that it was built from, which must outlive it.
struct result_set {
  std::string problem;
  const db::device_record* device = nullptr;
  std::vector<const db::configuration_record*> configurations;  ///< sorted by label
  std::vector<const db::workload_record*> workloads;            ///< sorted by class, name and hash
  std::vector<table_row> rows;                                  ///< sorted by workload and query
  /// All finished trials, including older and counting ones, in the order in which they finished.
  std::vector<const db::finished_trial*> trials;
  std::map<std::int64_t, std::size_t> configuration_of;  ///< index by database id
  std::map<std::int64_t, std::size_t> workload_of;       ///< index by database id
  std::size_t replaced = 0;               ///< timed trials with a newer one of the same configuration and input
  std::size_t hidden_configurations = 0;  ///< number of configurations that limit_entries() removed

  [[nodiscard]] std::size_t entry_count() const;
};

/// Builds one result set per problem and device with a timed trial, ordered by problem, then by device name with
/// processors last.
[[nodiscard]] std::vector<result_set> result_sets_of(const db::whole_record& record);

/// Returns the milliseconds after which a trial was stopped, from its message; NaN if it was not stopped or this is
/// unknown.
[[nodiscard]] double stopped_after(const db::finished_trial& trial);

/// Removes configurations until the table has at most `most` entries. Configurations that are fastest on some input are
/// kept first, then those with the highest mean relative performance.
void limit_entries(result_set& set, std::size_t most);

}  // namespace mlmq::report
