// SPDX-License-Identifier: Apache-2.0
// A failure in a sweep affects only its own trial and is recorded.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep_fixture.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

}  // namespace

TEST_CASE("an exception in the middle loses one trial at most, and the next sweep continues with it") {
  sweep_fixture setup(one_graph);
  int run = 0;
  setup.script.on_run = [&](const fake_run&) -> run_report {
    if (++run == 3) throw std::runtime_error("the program has a defect");
    return time_of(run);
  };
  CHECK_THROWS_WITH(setup.sweep(), "the program has a defect");
  CHECK(setup.finished().size() == 2);
  CHECK(setup.progress().running == 0);
  CHECK(setup.progress().pending == 4);

  std::optional<sweep_progress> first;
  setup.options.on_progress = [&](const sweep_progress& now) {
    if (!first) first = now;
  };
  const in_process_summary rest = setup.sweep();
  REQUIRE(first.has_value());
  CHECK(first->done == 3);
  CHECK(first->measured == 1);
  CHECK(rest.progress.done == 6);
  CHECK(rest.progress.measured == 4);
  CHECK(setup.finished().size() == 6);
  // Each runs once, except for the interrupted one.
  std::map<int, int> times;
  for (const auto& [trial, count] : setup.run_counts()) ++times[count];
  CHECK(times == std::map<int, int>{{1, 5}, {2, 1}});
}

TEST_CASE("an exception of the caller's own progress report does not lose the trial") {
  sweep_fixture setup(one_graph);
  setup.options.on_progress = [](const sweep_progress&) { throw std::runtime_error("broken pipe"); };
  CHECK_THROWS_WITH(setup.sweep(), "broken pipe");
  CHECK(setup.finished().size() == 1);
  setup.options.on_progress = nullptr;
  CHECK(setup.sweep().progress.measured == 5);
}

TEST_CASE("every kind of failure is an outcome of its trial, and the sweep continues") {
  sweep_fixture setup(one_graph);
  setup.device.on_compile = [](const backends::kernel_source& source) -> backends::kernel_properties {
    if (source.defines.at("alpha") == "3") throw backends::compile_error("does not compile");
    return {};
  };
  setup.script.on_prepare = [](const configuration& chosen) {
    if (chosen.label() == "alpha=1,beta=2") throw backends::launch_error("too large");
  };
  setup.script.on_run = [](const fake_run& run) -> run_report {
    if (run.label == "alpha=1,beta=1") return report_of(db::outcome::timeout, "too slow");
    if (run.label == "alpha=2,beta=2") throw backends::kernel_fault("out of bounds", false);
    return time_of(1);
  };
  setup.script.on_check = [](const fake_run&) { return "vertex 1 is wrong"; };
  const in_process_summary summary = setup.sweep();
  CHECK(setup.outcomes() == std::map<std::string, db::outcome>{{"path5 alpha=1,beta=1", db::outcome::timeout},
                                                               {"path5 alpha=1,beta=2", db::outcome::constraint},
                                                               {"path5 alpha=2,beta=1", db::outcome::wrong_answer},
                                                               {"path5 alpha=2,beta=2", db::outcome::crashed},
                                                               {"path5 alpha=3,beta=1", db::outcome::compile_error},
                                                               {"path5 alpha=3,beta=2", db::outcome::compile_error}});
  CHECK(setup.finished().at("path5 alpha=1,beta=2").message == "too large");
  CHECK(setup.finished().at("path5 alpha=2,beta=1").message == "vertex 1 is wrong");
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::timeout, 1},
                                                    {db::outcome::constraint, 1},
                                                    {db::outcome::wrong_answer, 1},
                                                    {db::outcome::crashed, 1},
                                                    {db::outcome::compile_error, 2}});
  // A failed trial also counts as finished.
  CHECK(setup.sweep().progress.measured == 0);
}

TEST_CASE("overflow and launch_error of a run are recorded as such") {
  sweep_fixture setup(one_graph);
  setup.script.on_run = [](const fake_run& run) {
    return run.label.ends_with("beta=1") ? report_of(db::outcome::overflow, "full at 64 slots")
                                         : report_of(db::outcome::launch_error, "no status");
  };
  CHECK(setup.sweep().progress.outcomes == outcome_counts{{db::outcome::overflow, 3}, {db::outcome::launch_error, 3}});
  CHECK(setup.finished().at("path5 alpha=1,beta=1").message == "full at 64 slots");
}

TEST_CASE("a configuration that has no variant is a constraint, and the others are still compiled ahead") {
  sweep_fixture setup(one_graph);
  setup.script.on_variant = [](const configuration& chosen) {
    if (chosen.label().starts_with("alpha=1")) throw backends::launch_error("alpha is odd");
  };
  const in_process_summary summary = setup.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 2}, {db::outcome::ok, 4}});
  CHECK(setup.device.compiled().size() == 2);
}

TEST_CASE("a trial that was planned before a limit was declared is a constraint, and nothing is compiled for it") {
  sweep_fixture setup(one_graph);
  setup.options.on_progress = [](const sweep_progress&) { throw std::runtime_error("stopped"); };
  CHECK_THROWS_WITH(setup.sweep(), "stopped");
  setup.options.on_progress = nullptr;
  setup.script.declarations[1].limits = {{"alpha + beta < 5", "there is no room for more"}};
  (void)setup.sweep();
  CHECK(setup.outcomes().at("path5 alpha=3,beta=2") == db::outcome::constraint);
  CHECK(setup.finished().at("path5 alpha=3,beta=2").message ==
        "alpha=3,beta=2 violates the limit 'alpha + beta < 5': there is no room for more");
  CHECK(setup.outcomes().at("path5 alpha=3,beta=1") == db::outcome::ok);
  for (const fake_run& run : setup.script.runs) CHECK(run.label != "alpha=3,beta=2");
}

TEST_CASE("a trial that loses the device is retried once, then recorded, and the others continue") {
  sweep_fixture setup(one_graph);
  setup.script.on_run = [](const fake_run& run) -> run_report {
    if (run.label == "alpha=2,beta=1") throw backends::kernel_fault("illegal address", true);
    return time_of(1);
  };
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  CHECK(setup.progress().outcomes == outcome_counts{{db::outcome::ok, 2}});
  CHECK(setup.progress().running == 0);
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  CHECK(setup.progress().outcomes == outcome_counts{{db::outcome::ok, 2}, {db::outcome::crashed, 1}});
  CHECK(setup.finished().at("path5 alpha=2,beta=1").message == "illegal address");
  const in_process_summary rest = setup.sweep();
  CHECK(rest.progress.done == 6);
  CHECK(rest.progress.measured == 3);
  for (const auto& [trial, count] : setup.run_counts())
    CHECK(count == (std::get<1>(trial) == "alpha=2,beta=1" ? 2 : 1));
}

TEST_CASE("a kernel that does not end is a timeout") {
  sweep_fixture setup(one_graph);
  setup.script.on_run = [](const fake_run&) -> run_report { throw backends::kernel_fault("did not end", true, true); };
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  CHECK(setup.progress().outcomes == outcome_counts{{db::outcome::timeout, 1}});
}

TEST_CASE("a trial that lost the device once and then worked is like any other") {
  sweep_fixture setup(one_graph);
  bool first = true;
  setup.script.on_run = [&](const fake_run&) -> run_report {
    if (std::exchange(first, false)) throw backends::kernel_fault("a cosmic ray", true);
    return time_of(1);
  };
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  CHECK(setup.sweep().progress.outcomes == outcome_counts{{db::outcome::ok, 6}});
}

TEST_CASE("a graph that does not fit costs its own trials only, and one attempt to load it") {
  sweep_fixture setup;
  setup.script.too_large = {"star7"};
  const in_process_summary summary = setup.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 12}, {db::outcome::ok, 12}});
  for (const auto& [name, trial] : setup.finished()) {
    CAPTURE(name);
    CHECK(trial.result == (name.starts_with("star7") ? db::outcome::constraint : db::outcome::ok));
    CHECK(trial.message == (name.starts_with("star7") ? "no room for star7" : ""));
  }
  CHECK(setup.script.loads == std::vector<std::string>{"star7", "path5"});
}

TEST_CASE("a graph that does not fit leaves nothing of the previous one behind") {
  sweep_fixture setup;
  setup.script.too_large = {"path5"};
  const in_process_summary summary = setup.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 12}, {db::outcome::ok, 12}});
  for (const fake_run& run : setup.script.runs) CHECK(run.workload == "star7");
  CHECK(summary.progress.best_value == std::nullopt);
  CHECK(summary.progress.best_label == "");
}
