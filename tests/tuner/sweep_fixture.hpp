// SPDX-License-Identifier: Apache-2.0
// A sweep in this process, of a fake problem on a fake device, with its database.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>

#include "fakes.hpp"
#include "in_process.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::tuner::test {

using outcome_counts = std::map<db::outcome, std::size_t>;

/// Two graphs, six configurations, one source each: 12 timed trials, and as many with counters.
inline constexpr const char* two_graphs = R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
workloads: [{generate: path5}, {generate: star7}]
measurement: {warmup: 1, repeats: 2, time_limit_ms: 50, counters: true, seed: 1}
)";

inline constexpr const char* one_graph = R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
workloads: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: false, seed: 1}
)";

/// A database, a fake device and a fake problem; each call of sweep() acts like a new process.
class sweep_fixture {
 public:
  explicit sweep_fixture(const char* experiment = two_graphs)
      : experiment_(parse_experiment(experiment, "/x/test.yaml")) {}

  fake_backend device;
  fake_script script;
  in_process_options options;

  in_process_summary sweep() { return sweep_in_process(experiment_, fake_problem(script), device, store_, options); }

  /// Returns the summaries of the finished timed trials, by "graph configuration".
  [[nodiscard]] std::map<std::string, db::trial_summary> finished() const {
    std::map<std::string, db::trial_summary> summaries;
    const db::training_data data = store_.training();
    for (const db::training_row& row : data.rows) {
      const std::string name = data.workloads.at(row.workload).name + " " + std::string(row.label);
      const bool is_first = summaries.emplace(name, store_.summary(row.trial).value()).second;
      CHECK(is_first);
    }
    return summaries;
  }
  /// Returns the outcomes of timed trials, for each configuration.
  [[nodiscard]] std::map<std::string, db::outcome> outcomes() const {
    std::map<std::string, db::outcome> results;
    for (const auto& [name, summary] : finished()) results.emplace(name, summary.result);
    return results;
  }
  [[nodiscard]] const db::store& store() const { return store_; }
  [[nodiscard]] db::progress progress() const { return store_.experiment_progress(store_.find_experiment("test").id); }
  /// Returns how often each trial was run, by workload, configuration, query and kind.
  [[nodiscard]] std::map<std::tuple<std::string, std::string, std::string, bool>, int> run_counts() const {
    std::map<std::tuple<std::string, std::string, std::string, bool>, int> counts;
    for (const fake_run& run : script.runs) {
      ++counts[{run.workload, run.label, run.query, run.mode == instrumentation::counters}];
    }
    return counts;
  }

 private:
  temporary_folder folder_;
  experiment_file experiment_;
  db::store store_ = db::store::open(folder_.path() / "test.db", db::open_mode::read_write_create);
};

inline run_report time_of(double milliseconds) {
  run_report report;
  report.milliseconds = milliseconds;
  return report;
}

}  // namespace mlmq::tuner::test
