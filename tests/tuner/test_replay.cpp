// SPDX-License-Identifier: Apache-2.0
// Replays of a recorded sweep, which provides the results instead of a device.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "fakes.hpp"
#include "in_process.hpp"
#include "message.hpp"
#include "tuner/replay.hpp"

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

namespace {

/// An exhaustive sweep of 40 configurations. alpha is the time, but alpha=3 fails.
constexpr const char* recorded_text = R"(name: test
problem: fake
parameters: {alpha: [5, 2, 3, 4, 8, 6, 7, 1], beta: [1, 2, 3, 4, 5]}
workloads: [{generate: path5}]
queries: {source: [0, 2]}
measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: true, seed: 1}
)";

class recording {
 public:
  explicit recording(const std::string& text = recorded_text) {
    const experiment_file experiment = parse_experiment(text, "test.yaml");
    script_.on_run = [](const fake_run& run) {
      const double alpha = run.label[6] - '0';
      if (alpha == 3) return report_of(db::outcome::timeout, "too long");
      run_report report;
      // The other source takes twice as long; the best configuration is beta=4 with alpha=1.
      report.milliseconds = (alpha + (run.label.back() == '4' ? 0 : 1)) * (run.query == "source=0" ? 1 : 2);
      return report;
    };
    sweep_in_process(experiment, problem_, device_, store_, {});
  }
  [[nodiscard]] db::experiment_row experiment() const { return store_.find_experiment("test"); }
  [[nodiscard]] std::vector<recorded_workload> read() const { return read_recorded(store_, experiment()); }
  [[nodiscard]] const problem& tuned_problem() const { return problem_; }
  db::store& store() { return store_; }

 private:
  temporary_folder folder_;
  fake_backend device_;
  fake_script script_;
  fake_problem problem_{script_};
  db::store store_ = db::store::open(folder_.path() / "test.db", db::open_mode::read_write_create);
};

strategy_settings random_with(std::uint64_t seed) {
  strategy_settings settings;
  settings.name = "random";
  settings.count = 1000;
  settings.seed = seed;
  return settings;
}

}  // namespace

TEST_CASE("recorded results are read back, one result for all sources") {
  const recording r;
  const auto points = r.read();
  REQUIRE(points.size() == 1);
  CHECK(points[0].workload.name == "path5");
  CHECK(points[0].device.name == "Fake GPU");
  CHECK(points[0].results.size() == 40);
  CHECK(points[0].best_cost == 1.5);
  const configuration some({{"alpha", value(std::int64_t{7})}, {"beta", value(std::int64_t{1})}});
  CHECK(points[0].results.at(some).cost == 12);
  const configuration failed({{"alpha", value(std::int64_t{3})}, {"beta", value(std::int64_t{1})}});
  CHECK_FALSE(points[0].results.at(failed).cost);
}

TEST_CASE("a replayed run gets the results of the sweep") {
  const recording r;
  const recorded_workload recorded = r.read().at(0);
  const replayed_space replayed = space_of_recorded(r.experiment(), &r.tuned_problem(), recorded);
  CHECK(replayed.is_whole);
  strategy_settings in_order;
  const replayed_run search = replay(in_order, replayed.space, {}, recorded, 40, 0.02);
  // alpha=5 comes first with 9, 9, 9, 7.5; then alpha=2 with 4.5 and, for beta=4, 3; the best is the 39th.
  REQUIRE(search.relative.size() == 40);
  CHECK(search.relative[0] == 1.5 / 9);
  CHECK(search.relative[3] == 1.5 / 7.5);
  CHECK(search.relative[5] == 1.5 / 4.5);
  CHECK(search.relative[8] == 0.5);
  CHECK(search.relative[37] == 0.5);
  CHECK(search.relative[38] == 1);
  CHECK(search.needed == 39u);
  // The best is not found within this budget, but with more tolerance a good one is found earlier.
  CHECK_FALSE(replay(in_order, replayed.space, {}, recorded, 30, 0.02).needed);
  CHECK(replay(in_order, replayed.space, {}, recorded, 30, 1.0).needed == 9u);
}

TEST_CASE("random search needs the expected number of trials") {
  const recording r;
  const recorded_workload recorded = r.read().at(0);
  const replayed_space replayed = space_of_recorded(r.experiment(), &r.tuned_problem(), recorded);
  double sum = 0;
  std::vector<double> needed;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const auto search = replay(random_with(seed), replayed.space, {}, recorded, 40, 0.02);
    needed.push_back(static_cast<double>(search.needed.value()));
    sum += needed.back();
  }
  // One good configuration of 40, drawn without replacement: (40 + 1) / (1 + 1); 0.8 is three standard errors.
  CHECK(std::abs(sum / 2000 - 20.5) < 0.8);
  CHECK(std::abs(quartiles_of(needed).median - 20.5) < 1.6);
  // Six configurations are within 100 %: all with alpha=1, and alpha=2 with beta=4.
  sum = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    sum += static_cast<double>(*replay(random_with(seed), replayed.space, {}, recorded, 40, 1.0).needed);
  }
  CHECK(std::abs(sum / 2000 - 41.0 / 7) < 0.4);
}

TEST_CASE("of an incomplete sweep the recorded configurations are the space") {
  const recording r(std::string(recorded_text) + "strategy: {name: random, count: 15, seed: 1}\n");
  const recorded_workload recorded = r.read().at(0);
  const replayed_space replayed = space_of_recorded(r.experiment(), &r.tuned_problem(), recorded);
  CHECK_FALSE(replayed.is_whole);
  CHECK(replayed.space.count() == 15);
  for (const char* name : {"local", "annealing", "genetic"}) {
    strategy_settings settings;
    settings.name = name;
    settings.budget = 15;
    CHECK(replay(settings, replayed.space, {}, recorded, 15, 0).needed.has_value());
  }
}

TEST_CASE("experiments that cannot be replayed are refused") {
  recording r;
  const auto empty = r.store().put_experiment("empty", "", "{}");
  CHECK(empty > 0);
  CHECK(message_of([&] {
          (void)read_recorded(r.store(), r.store().find_experiment("empty"));
        }).find("no finished time measurements") != std::string::npos);
  const std::string only_failures =
      "name: test\nproblem: fake\nparameters: {alpha: [3], beta: [1]}\n"
      "workloads: [{generate: path5}]\nmeasurement: {warmup: 0, repeats: 1}\n";
  const recording failing(only_failures);
  CHECK(message_of([&] { (void)failing.read(); }).find("solved the workload 'path5'") != std::string::npos);
}

TEST_CASE("quartiles are interpolated, and infinities stay") {
  const quartiles q = quartiles_of({4, 1, 3, 2, 5});
  CHECK((q.lower == 2 && q.median == 3 && q.upper == 4));
  CHECK(quartiles_of({1, 2}).median == 1.5);
  CHECK(quartiles_of({7}).upper == 7);
  const quartiles some = quartiles_of({1, 2, INFINITY, INFINITY});
  CHECK(some.lower == 1.75);
  CHECK(std::isinf(some.median));
  CHECK(std::isinf(some.upper));
}
