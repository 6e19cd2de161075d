// SPDX-License-Identifier: Apache-2.0
// Measurements of 'mlmq tune': a series of sweeps into one database. They measure the configurations of an experiment
// file, the baselines (current choices of `solve`), what a search of a larger space finds for each graph, or else
// configurations around the best ones, and the work of the finalists.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/status.hpp"
#include "db/store.hpp"
#include "problems/tune/baseline.hpp"
#include "selector/candidates.hpp"
#include "selector/training_data.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/sweep_statistics.hpp"

namespace mlmq::tune {

/// Settings of one sweep of the series.
struct sweep_settings {
  std::filesystem::path experiment;        ///< experiment file
  std::filesystem::path database;          ///< created when missing
  std::vector<std::string> workloads;      ///< override the experiment's; may be empty
  double seconds = 0;                      ///< time limit, after which the running trials are finished
  tuner::workload_cache* cache = nullptr;  ///< shared by the sweeps of a series
  bool is_first = false;
};

/// Runs the missing trials of a sweep and leaves out configurations that the device cannot run.
using sweep_function = std::function<tuner::sweep_outcome(const sweep_settings&)>;

struct series_request {
  std::filesystem::path folder;             ///< for the database and the experiment files of the sampled configurations
  std::filesystem::path space;              ///< experiment file of the first sweep
  std::filesystem::path search = {};        ///< experiment file with a learning strategy; empty: no search
  std::vector<std::string> workloads = {};  ///< override the experiment's; may be empty
  std::string device;                       ///< device selectors
  unsigned workers = 0;                     ///< see backends::list_devices()
  double seconds = 0;                       ///< total budget
  std::size_t sample = 24;                  ///< without a search: number of configurations around the best ones
  double tolerance = selector::standard_tolerance;  ///< see selector::covering_candidates()
  std::string failure_hint;                         ///< end of the error message if every trial failed
  sweep_function sweep;
  std::function<void(const std::string&)> on_step = {};     ///< called with the title of each step; may be empty
  std::function<void(const std::string&)> on_warning = {};  ///< may be empty
};

class sweep_series {
 public:
  /// Reads the space and checks that of the search. @throws input_error
  explicit sweep_series(series_request request);

  /// Runs the sweeps. @return whether there is data to learn from; false: a sweep was interrupted
  /// @throws input_error for devices of several kinds; work_error if every trial failed
  [[nodiscard]] bool run();

  /// Returns the trials of the graphs of this series.
  [[nodiscard]] const selector::training_data& data() const { return data_; }
  /// Returns the best recorded configuration of each workload and query on the device; nothing for a space without
  /// metrics and objective.
  [[nodiscard]] std::vector<db::best_result> best() const;
  [[nodiscard]] const std::vector<baseline>& baselines() const { return baselines_; }
  /// Returns the labels of the configurations with which every graph must have been measured.
  [[nodiscard]] const std::vector<std::string>& needed() const { return needed_; }
  [[nodiscard]] std::size_t sampled() const { return sampled_; }  ///< configurations around the best ones, or found
  [[nodiscard]] bool out_of_time() const { return out_of_time_ || is_search_unfinished_; }
  [[nodiscard]] std::size_t graphs() const { return first_outcome_.workloads.size(); }
  /// Returns the files of graphs with negative weights.
  [[nodiscard]] const std::vector<tuner::left_out_workload>& left_out() const { return first_outcome_.left_out; }
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
  /// Searches for each graph, and measures with all graphs what is faster than all that they were measured with.
  [[nodiscard]] bool measure_searched();
  [[nodiscard]] std::vector<tuner::configuration> faster_ones() const;
  /// Adds the work counters of the finalists to the record.
  [[nodiscard]] bool count_work();
  [[nodiscard]] std::set<tuner::configuration> finalists() const;
  [[nodiscard]] bool fits(const tuner::configuration& chosen) const;
  void begin_step(const std::string& title) const;
  /// @param share of the remaining time
  [[nodiscard]] tuner::sweep_outcome measure(const std::filesystem::path& experiment, bool is_first = false,
                                             double share = 1);
  [[nodiscard]] std::filesystem::path write_experiment(const std::string& name, const std::string& description,
                                                       const std::vector<tuner::configuration>& configurations,
                                                       bool counts = false) const;
  [[nodiscard]] std::vector<tuner::configuration> sampled_before(const std::filesystem::path& file) const;
  [[nodiscard]] std::vector<tuner::configuration> propose(std::size_t count, std::uint64_t seed) const;
  [[nodiscard]] std::vector<std::string> labels_of_space() const;
  void load();

  series_request request_;
  std::filesystem::path database_;
  tuner::experiment_file space_;
  std::unique_ptr<tuner::problem> problem_;
  tuner::parameter_set parameters_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  backends::device_info device_;
  tuner::workload_cache workloads_;  ///< reading many graphs takes longer than a round of trials
  tuner::sweep_outcome first_outcome_;
  std::optional<db::store> record_;       ///< opened after the first sweep
  std::vector<std::string> experiments_;  ///< names of the finished sweeps
  selector::training_data data_;
  std::vector<baseline> baselines_;
  std::vector<std::string> needed_;
  std::set<std::string> unfit_;  ///< labels
  std::set<tuner::configuration> counted_;
  std::size_t sampled_ = 0;
  bool out_of_time_ = false;
  bool is_search_unfinished_ = false;  ///< its share of the time was over
};

}  // namespace mlmq::tune
