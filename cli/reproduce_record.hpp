// SPDX-License-Identifier: Apache-2.0
// The trials of a figure in a database of recorded results.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/store.hpp"
#include "report/reproduce/figure.hpp"

namespace mlmq::cli {

/// A device of a database of results.
struct recorded_device {
  std::string hash;
  std::string name;
  std::string kind;
};

/// A database of recorded results. Keeps the answers of its queries, because each takes about a second.
class figure_record {
 public:
  /// @throws input_error like db::store::open()
  explicit figure_record(const std::filesystem::path& database);

  /// Returns the devices that have finished trials with times, ordered by name.
  [[nodiscard]] const std::vector<recorded_device>& devices() const noexcept { return devices_; }

  /// Returns the names of the experiments whose trials a figure shows: those of its sweeps, or else those of
  /// figure::recorded.
  /// @throws reproduce::not_on_record if the database has neither, naming what is missing
  [[nodiscard]] std::vector<std::string> experiments_of(const reproduce::figure& figure, const recorded_device& device);

 private:
  /// What a device has finished of a problem.
  struct finished_trials {
    std::set<std::string> configurations;  ///< labels
    std::set<std::string> measurements;    ///< "time", "counters", "timeline"
  };
  const finished_trials& finished(const std::string& problem, const recorded_device& device);
  std::string missing_trials(const std::filesystem::path& sweep, const recorded_device& device);

  db::store store_;
  std::vector<recorded_device> devices_;
  std::set<std::string> experiments_;                                        ///< names
  std::map<std::pair<std::string, std::string>, finished_trials> finished_;  ///< by problem and hash of the device
};

/// Returns how to measure a figure that is not on record: the command, and an estimate of the time that it takes.
[[nodiscard]] std::string how_to_measure(const reproduce::figure& figure);

}  // namespace mlmq::cli
