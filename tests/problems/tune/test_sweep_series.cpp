// SPDX-License-Identifier: Apache-2.0
// The series of sweeps of `mlmq tune`, with sweeps in this process or invented outcomes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "db/store.hpp"
#include "problems/registry.hpp"
#include "problems/tune/complete_record.hpp"
#include "problems/tune/installation.hpp"
#include "problems/tune/sweep_series.hpp"
#include "problems/tune/tuned_selector.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/in_process_sweep.hpp"

namespace {

using namespace mlmq;

constexpr const char* processor = "cpu:1";

/// Whichever of the two configurations is faster, there are others around it.
constexpr const char* two_graphs = R"(name: tiny
problem: sssp
configurations:
  - {solver: delta_stepping, cpu_delta: 1}
  - {solver: delta_stepping, cpu_delta: 4}
workloads: [{generate: [road5, rmat5]}]
queries: {count: 1, choose: max_degree}
measurement: {warmup: 0, repeats: 1, time_limit_ms: 60000, counters: false, seed: 1}
)";

/// A folder with an experiment file, and the calls of the series.
class series_fixture {
 public:
  std::vector<std::string> swept;   ///< names of the experiment files
  std::vector<std::string> titles;  ///< of the steps

  tune::sweep_series series(tune::sweep_function sweep, std::size_t sample = 2) {
    return tune::sweep_series({.folder = folder_.path(),
                               .space = space_,
                               .device = processor,
                               .seconds = 600,
                               .sample = sample,
                               .failure_hint = "see the test",
                               .sweep = std::move(sweep),
                               .on_step = [this](const std::string& title) { titles.push_back(title); }});
  }

  /// Returns the outcome without measuring anything.
  tune::sweep_function invented(const tuner::sweep_outcome& outcome) {
    return [this, outcome](const tune::sweep_settings& settings) {
      swept.push_back(settings.experiment.stem().string());
      (void)db::store::open(settings.database, db::open_mode::read_write_create);
      return outcome;
    };
  }

  /// Measures everything. @param is_out_of_time  whether the outcome says that the time was up
  tune::sweep_function measuring(bool is_out_of_time = false) {
    return [this, is_out_of_time](const tune::sweep_settings& settings) {
      swept.push_back(settings.experiment.stem().string());
      CHECK(settings.is_first == (swept.size() == 1));
      const tuner::experiment_file experiment = tuner::load_experiment(settings.experiment);
      const auto problem = problems::problem_of(experiment);
      const auto device = backends::open_device(processor);
      db::store store = db::store::open(settings.database, db::open_mode::read_write_create);
      const auto summary =
          tuner::sweep_in_process(experiment, *problem, *device, store, {.workloads = settings.workloads});
      tuner::sweep_outcome outcome{.experiment = experiment.name,
                                   .devices = {tuner::describe_device(device->info())},
                                   .done = summary.progress.done,
                                   .out_of_time = is_out_of_time};
      for (const auto& [row, workload] : store.training().workloads) outcome.workloads.push_back(workload.hash);
      return outcome;
    };
  }

  [[nodiscard]] std::ptrdiff_t sweeps_named(const std::string& prefix) const {
    return std::count_if(swept.begin(), swept.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  }

 private:
  tests::scratch_folder folder_;
  std::filesystem::path space_ = folder_.write("space.yaml", two_graphs);
};

using names = std::vector<std::string>;

tuner::sweep_outcome outcome_of(std::size_t done, std::size_t failed) {
  return {.experiment = "tiny",
          .devices = {tuner::describe_device(backends::inspect_device(processor))},
          .done = done,
          .failed = failed};
}

}  // namespace

TEST_CASE("an interrupted sweep ends the series") {
  series_fixture setup;
  tuner::sweep_outcome outcome = outcome_of(1, 0);
  outcome.interrupted = true;
  CHECK_FALSE(setup.series(setup.invented(outcome)).run());
  CHECK(setup.swept == names{"space"});
  CHECK(setup.titles.empty());
}

TEST_CASE("a series without a successful trial is an error") {
  series_fixture setup;
  CHECK_THROWS_WITH(setup.series(setup.invented(outcome_of(3, 3))).run(), "all 3 finished trials failed; see the test");
  CHECK_THROWS_WITH(setup.series(setup.invented(outcome_of(0, 0))).run(), tune::nothing_complete);
}

TEST_CASE("a series on devices of several kinds is an error") {
  series_fixture setup;
  tuner::sweep_outcome outcome = outcome_of(1, 0);
  outcome.devices.push_back(outcome.devices.front());
  outcome.devices.back().name = "another";
  CHECK_THROWS_AS(setup.series(setup.invented(outcome)).run(), input_error);
}

TEST_CASE("no configurations are sampled after the time is up") {
  series_fixture setup;
  tune::sweep_series series = setup.series(setup.measuring(true));
  CHECK(series.run());
  CHECK(series.out_of_time());
  CHECK(series.graphs() == 2);
  CHECK(series.sampled() == 0);
  CHECK(setup.swept.front() == "space");
  CHECK(setup.sweeps_named("around-") == 0);
  CHECK(setup.sweeps_named("counted-") == 0);
}

TEST_CASE("a series samples configurations, and a selector is learned from its trials") {
  series_fixture setup;
  tune::sweep_series series = setup.series(setup.measuring());
  REQUIRE(series.run());
  CHECK_FALSE(series.out_of_time());
  CHECK(series.needed().size() == 2);
  CHECK(series.sampled() == 2);
  CHECK(setup.sweeps_named("around-") == 1);
  CHECK(setup.sweeps_named("counted-") > 0);
  CHECK(std::find(setup.titles.begin(), setup.titles.end(), "2 configurations around the best ones") !=
        setup.titles.end());

  const tests::scratch_folder selectors;
  const tests::environment folder("MLMQ_SELECTORS", selectors.path().string());
  const tune::tuned_selector tuned = tune::learn_selector(series, {.database = "none"}, {});
  CHECK(tuned.graphs == 2);
  CHECK(tuned.configurations >= 4);
  CHECK(tuned.outcome == tune::verdict::unknown);  // two graphs are too few to judge a selector
  CHECK(tune::install(tuned, selectors.path()).outcome == tune::install_outcome::kept);
  tune::tuned_selector changed = tuned;
  changed.replaced_text = "another selector";
  CHECK(tune::install(changed, selectors.path()).outcome == tune::install_outcome::overtaken);
  changed.replaced_text.clear();
  changed.outcome = tune::verdict::fresh;
  const tune::installation done = tune::install(changed, selectors.path());
  CHECK(done.outcome == tune::install_outcome::installed);
  CHECK(done.is_used);
  CHECK(tune::installed_text(tuned.file.about.device, "sssp") == selector::tuned_file_to_text(tuned.file));
}
