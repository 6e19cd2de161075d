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

/// The recorded trials of a figure.
struct figure_trials {
  std::vector<std::string> experiments;  ///< names
  bool incomplete = false;               ///< whether trials of the figure's sweeps are missing
};

/// What a database lacks of a sweep.
struct missing_trials {
  std::size_t configurations = 0;
  bool required = false;    ///< whether a whole series or kind of measurement is missing
  std::string description;  ///< for a message
};

/// A database of recorded results. Keeps the answers of its queries, because each takes about a second.
class figure_record {
 public:
  /// @throws input_error like db::store::open()
  explicit figure_record(const std::filesystem::path& database);

  /// Returns the devices that have finished trials of the figure with times, ordered by name; if there are none, the
  /// first GPU with other trials.
  [[nodiscard]] std::vector<recorded_device> devices_for(const reproduce::figure& figure) const;

  /// Returns the trials that a figure shows: those of its sweeps, or else those of figure::recorded.
  /// @throws reproduce::not_on_record if the database has neither, or lacks a series or a kind of measurement, naming
  /// what is missing
  [[nodiscard]] figure_trials trials_of(const reproduce::figure& figure, const recorded_device& device);

  /// Returns the hashes of the workloads of experiments whose names are among `words`, or match them as patterns. Of a
  /// path, the last part counts.
  /// @throws reproduce::not_on_record for a word that matches none
  [[nodiscard]] std::vector<std::string> workloads_of(const std::vector<std::string>& experiments,
                                                      const std::vector<std::string>& words) const;

 private:
  /// What a device has finished of a problem.
  struct finished_trials {
    std::set<std::string> configurations;  ///< labels; their trials may have failed
    std::set<std::string> measurements;    ///< "time", "counters", "timeline", if one succeeded
  };
  const finished_trials& finished(const std::string& problem, const recorded_device& device);
  missing_trials find_missing(const std::filesystem::path& sweep, const recorded_device& device);
  /// Numbers of finished trials of an experiment on a device, and of workloads with their queries.
  struct finished_sweep {
    std::uint64_t trials = 0;
    std::uint64_t inputs = 0;
  };
  /// @param device  hash of a device; empty: all processors
  const finished_sweep& finished_sweep_of(const std::string& experiment, const std::string& device);
  /// Returns whether all trials of a sweep on the device have finished; of one on processors, those on any processors.
  [[nodiscard]] bool is_complete(const reproduce::figure_sweep& sweep, const recorded_device& device);

  db::store store_;
  std::vector<recorded_device> devices_;
  std::set<std::string> experiments_;                                        ///< names
  std::map<std::pair<std::string, std::string>, finished_trials> finished_;  ///< by problem and hash of the device
  std::map<std::pair<std::string, std::string>, finished_sweep> finished_sweeps_;  ///< by experiment and device
};

/// Returns how to measure a figure that is not on record: the command, and an estimate of the time that it takes.
[[nodiscard]] std::string how_to_measure(const reproduce::figure& figure);

}  // namespace mlmq::cli
