// SPDX-License-Identifier: Apache-2.0
// Measurements of 'mlmq tune': a sequence of sweeps into one database. They measure the configurations of an experiment
// file, the baselines (current choices of `solve`), configurations around the best ones, and the work of the finalists.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/baseline.hpp"
#include "cli/sweep_run.hpp"
#include "cli/tuned_selector.hpp"
#include "db/store.hpp"
#include "selector/training_data.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"

namespace mlmq::cli {

struct tune_request {
  std::filesystem::path folder;  ///< for the database and the experiment files of the sampled configurations
  sweep_run_options sweep;       ///< space, workloads, devices; `seconds` is the total budget
  std::size_t sample = 24;       ///< number of configurations around the best ones
  double tolerance = 0.03;       ///< see selector::covering_candidates()
  bool silent = false;           ///< print nothing to standard output, which is for a document
};

class tune_measurement {
 public:
  /// Reads the space. @throws input_error
  explicit tune_measurement(tune_request request);

  /// Runs the sweeps. @return whether there is data to learn from; false: interrupted, with a message already printed
  /// @throws input_error for devices of several kinds; work_error if every trial failed
  [[nodiscard]] bool run();

  /// Returns the data of this command's graphs.
  [[nodiscard]] const selector::training_data& data() const { return data_; }
  [[nodiscard]] const std::vector<baseline>& baselines() const { return baselines_; }
  /// Returns the labels of the configurations with which every graph must have been measured.
  [[nodiscard]] const std::vector<std::string>& needed() const { return needed_; }
  [[nodiscard]] std::size_t sampled() const { return sampled_; }  ///< configurations around the best ones
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }
  [[nodiscard]] std::size_t graphs() const { return first_.workloads.size(); }
  /// Returns the files of graphs with negative weights.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return first_.left_out; }
  [[nodiscard]] const backends::device_info& device() const { return device_; }
  [[nodiscard]] const tuner::workload_kind& workload_kind() const { return problem_->workloads(); }
  /// @throws work_error like store::require_in_place() if the database was deleted or replaced since the first sweep
  void require_record() const;
  /// Returns the number of configurations that the device cannot run.
  [[nodiscard]] std::size_t unfit() const { return unfit_.size(); }
  /// Returns whether the device can run a configuration, as far as is known without measuring.
  [[nodiscard]] bool fits(const std::string& label) const { return fits(parameters_.parse_label(label)); }

 private:
  [[nodiscard]] double seconds_left() const;
  /// @return false: interrupted
  [[nodiscard]] bool measure_space();
  [[nodiscard]] bool measure_baselines();
  [[nodiscard]] bool measure_around();
  /// Adds the work counters of the finalists to the record.
  [[nodiscard]] bool count_work();
  [[nodiscard]] std::set<tuner::configuration> finalists() const;
  [[nodiscard]] bool fits(const tuner::configuration& chosen) const;
  [[nodiscard]] tuner::sweep_outcome measure(const std::filesystem::path& experiment, sweep_report report);
  [[nodiscard]] std::filesystem::path write_experiment(const std::string& name, const std::string& description,
                                                       const std::vector<tuner::configuration>& configurations,
                                                       bool counts = false) const;
  [[nodiscard]] std::vector<tuner::configuration> sampled_before(const std::filesystem::path& file) const;
  [[nodiscard]] std::vector<tuner::configuration> propose(std::size_t count, std::uint64_t seed) const;
  [[nodiscard]] std::vector<std::string> labels_of_space() const;
  void load();

  tune_request request_;
  tuner::experiment_file space_;
  std::unique_ptr<tuner::problem> problem_;
  tuner::parameter_set parameters_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  backends::device_info device_;
  tuner::workload_cache workloads_;  ///< reading many graphs takes longer than a round of trials
  tuner::sweep_outcome first_;
  std::optional<db::store> record_;       ///< opened after the first sweep
  std::vector<std::string> experiments_;  ///< names of the finished sweeps
  selector::training_data data_;
  std::vector<baseline> baselines_;
  std::vector<std::string> needed_;
  std::set<std::string> unfit_;  ///< labels
  std::set<tuner::configuration> counted_;
  std::size_t sampled_ = 0;
  bool out_of_time_ = false;
};

}  // namespace mlmq::cli
