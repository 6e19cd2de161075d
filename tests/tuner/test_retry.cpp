// SPDX-License-Identifier: Apache-2.0
// Selection of the failed trials that a sweep measures again.
#include "tuner/sweep.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fakes.hpp"
#include "in_process.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using Catch::Contains;

constexpr const char* two_graphs = R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3, 4, 5], beta: [1, 2]}
workloads: [{generate: path5}, {generate: star7}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: false, seed: 1}
)";

}  // namespace

TEST_CASE("outcomes to try again are named one by one, or all at once") {
  CHECK(parse_failures("crashed, timeout") == std::vector{db::outcome::crashed, db::outcome::timeout});
  CHECK(parse_failures("failed").size() == db::all_outcomes.size() - 1);
  CHECK(parse_failures("crashed,failed").size() == db::all_outcomes.size() - 1);
  CHECK_THROWS_WITH(parse_failures("crash"), Contains("unknown outcome 'crash'; did you mean 'crashed'?"));
  CHECK_THROWS_WITH(parse_failures("ok"), Contains("'ok' is not a failure"));
  CHECK_THROWS_AS(parse_failures(""), input_error);
}

TEST_CASE("a sweep tries its own part again, and nothing that ran other code") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "test.db", db::open_mode::read_write_create);
  fake_backend device;
  fake_script script;
  script.on_run = [](const fake_run& run) {
    return report_of(run.label.starts_with("alpha=5") ? db::outcome::timeout : db::outcome::overflow, "why");
  };
  const fake_problem tuned_problem(script);
  const experiment_file experiment = parse_experiment(two_graphs, "/x/test.yaml");
  CHECK(sweep_in_process(experiment, tuned_problem, device, store, {}).outcomes ==
        std::map<db::outcome, std::size_t>{{db::outcome::timeout, 4}, {db::outcome::overflow, 16}});

  const auto retried = [&](const std::vector<std::string>& graphs, const shard& part, const char* outcomes) {
    const sweep_plan plan = plan_sweep(experiment, tuned_problem, std::vector{device.info()}, store,
                                       listed(experiment, tuned_problem, graphs), part);
    return retry_failed(plan, tuned_problem, store, part, false, parse_failures(outcomes));
  };
  const auto pending = [&] { return store.experiment_progress(store.find_experiment("test").id).pending; };

  CHECK(retried({}, {}, "crashed").again.empty());
  CHECK(retried({"path5"}, {}, "timeout").again == std::map<db::outcome, std::size_t>{{db::outcome::timeout, 2}});
  CHECK(pending() == 2);
  const std::size_t first = retried({}, {.index = 1, .count = 2}, "failed").again[db::outcome::overflow];
  CHECK(first > 0);
  CHECK(first < 16);
  CHECK(retried({}, {.index = 2, .count = 2}, "failed").again[db::outcome::overflow] == 16 - first);
  CHECK(pending() == 20);

  // The trials keep the hash of the code that they failed with.
  (void)sweep_in_process(experiment, tuned_problem, device, store, {});
  script.source_hash = "kernels 2";
  const retried_trials other = retried({}, {}, "failed");
  CHECK(other.again.empty());
  CHECK(other.of_other_code == 20);
}
