// SPDX-License-Identifier: Apache-2.0
// A supervisor with workers that misbehave: small shell scripts instead of real workers. tests/cli tests the real
// workers through the program.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "db/query.hpp"
#include "db/worker.hpp"
#include "fakes.hpp"
#include "in_process.hpp"
#include "tests/support/speed.hpp"
#include "tuner/supervisor.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using Catch::Contains;

/// Returns the seconds after which a silent worker counts as dead: far more than a shell needs to print something, even
/// on a busy machine.
double long_grace_s() { return std::ceil(2 * tests::slowdown()); }

constexpr const char* one_trial = R"(name: test
problem: fake
parameters: {alpha: [1], beta: [1]}
workloads: [{generate: path5}]
measurement: {counters: false}
)";

class supervisor_fixture {
 public:
  fake_backend device;
  supervisor_options options;
  std::string text = one_trial;
  std::vector<std::string> workloads;  ///< override the experiment's workloads
  std::string before_task;             ///< part of the worker's script

  /// Runs a worker that executes `script` after it has read its task, and appends a line to the file "starts".
  sweep_summary supervise(const std::string& script) {
    fake_script behaviour;
    const experiment_file experiment = parse_experiment(text, "/x/test.yaml");
    const fake_problem tuned_problem(behaviour);
    growing_plan plan(plan_sweep(experiment, tuned_problem, std::vector{device.info()}, store,
                                 listed(experiment, tuned_problem, workloads)));
    tuning_runs runs(plan.plan(), std::span(&device.info(), 1), experiment, tuned_problem, store, {});
    options.runs = &runs;
    options.command = {"/bin/sh", "-c",
                       fmt::format("echo x >> {}\n{}read task\n{}", starts().string(), before_task, script)};
    options.devices = {device.info()};
    return tuner::supervise(plan, store, options);
  }
  [[nodiscard]] long count_starts() const {
    std::ifstream file(starts());
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  }
  /// Returns a command that prints the line of an event, like a worker.
  static std::string event_command(const worker_event& event) { return fmt::format("echo '{}'\n", event.to_line()); }
  [[nodiscard]] std::string single(const std::string& sql) const {
    return db::run_query(store, sql).rows.at(0).at(0).text;
  }
  /// Claims the only trial for a worker that exists only in the database.
  std::int64_t claim(const std::string& worker = "elsewhere:1:1") {
    const auto claimed = store.claim(store.find_experiment("test").id, 1, worker);
    REQUIRE(claimed);
    return claimed->id;
  }

  temporary_folder folder;
  db::store store = db::store::open(folder.path() / "test.db", db::open_mode::read_write_create);

 private:
  [[nodiscard]] std::filesystem::path starts() const { return folder.path() / "starts"; }
};

}  // namespace

TEST_CASE("a worker that cannot start is not started for ever") {
  supervisor_fixture setup;
  CHECK_THROWS_WITH(setup.supervise("echo no driver >&2; exit 7"),
                    Contains("giving up on device 'fake:0'") && Contains("exit status 7") && Contains("no driver") &&
                        Contains("rerun this command to continue"));
  CHECK(setup.count_starts() == 3);
  CHECK(setup.single("SELECT state FROM trial") == "pending");
}

TEST_CASE("a worker gets the environment that its device and the sweep give it") {
  using variables = std::map<std::string, std::string>;
  backends::device_kind fake{.name = "fake", .selectors = "fake", .traits = {}};
  fake.worker_environment = [](const backends::device_info& device) {
    return variables{{"MLMQ_TEST_ONLY", device.selector}, {"MLMQ_TEST_BOTH", "device"}};
  };
  const backends::backend_registration kind(fake);
  supervisor_fixture setup;
  setup.device.change_kind("fake");
  setup.options.environment = {{"MLMQ_TEST_BOTH", "sweep"}};
  CHECK_THROWS_WITH(setup.supervise("echo \"$MLMQ_TEST_ONLY $MLMQ_TEST_BOTH\" >&2; exit 7"), Contains("fake:0 sweep"));
}

TEST_CASE("how many workers could not start does not count those that died later") {
  supervisor_fixture setup;
  const std::string count =
      fmt::format("[ $(wc -l < {}) -le 3 ] || exit 7\n", (setup.folder.path() / "starts").string());
  const std::string ready =
      supervisor_fixture::event_command({.type = worker_event::kind::ready, .text = "elsewhere:1:1"}) + "exit 5";
  CHECK_THROWS_WITH(setup.supervise(count + ready), Contains(": 3 workers in a row could not start"));
  CHECK(setup.count_starts() == 6);
}

TEST_CASE("a worker's error that affects every trial ends the sweep") {
  supervisor_fixture setup;
  const std::string failed =
      supervisor_fixture::event_command({.type = worker_event::kind::failed, .text = "x.db: the disk is full"});
  CHECK_THROWS_WITH(setup.supervise(failed), "x.db: the disk is full");
  CHECK(setup.count_starts() == 1);
  const std::string refused = supervisor_fixture::event_command(
      {.type = worker_event::kind::failed, .text = "no such graph", .is_input = true});
  CHECK_THROWS_AS(setup.supervise(refused), input_error);
}

TEST_CASE("a worker whose step does not end is killed, and its trial charged") {
  // The worker sends heartbeats all the time, but claims nothing itself: the trial is claimed here in its name.
  const double grace_s = long_grace_s();
  const auto supervised = [grace_s](supervisor_fixture& setup, const worker_event& step, const std::string& beat) {
    setup.options.grace_s = grace_s;
    bool claimed = false;
    setup.options.stop_requested = [&] {
      // Called when the worker has announced its step, and again for the next worker.
      if (!claimed && setup.count_starts() > 0) {
        setup.claim();
        claimed = true;
      } else if (claimed && setup.single("SELECT state FROM trial") == "pending") {
        setup.claim();
      }
      return false;
    };
    const sweep_summary summary = setup.supervise(
        supervisor_fixture::event_command({.type = worker_event::kind::ready, .text = "elsewhere:1:1"}) +
        supervisor_fixture::event_command(step) + "i=0; while :; do i=$((i + 1)); " + beat + "sleep 0.05; done");
    CHECK(summary.workers_lost == 2);
    CHECK(summary.progress.outcomes == std::map<db::outcome, std::size_t>{{db::outcome::timeout, 1}});
    CHECK(setup.count_starts() == 2);
    CHECK(setup.single("SELECT outcome FROM trial") == "timeout");
    return setup.single("SELECT message FROM trial");
  };
  const std::string same = supervisor_fixture::event_command({.type = worker_event::kind::beat, .progress = 7});
  worker_event step{.type = worker_event::kind::step, .text = "running something", .within_ms = 100, .trial = 1};
  supervisor_fixture late;
  CHECK(supervised(late, step, same) ==
        fmt::format(
            "its worker was killed: running something did not finish within 0.1 s, nor within {:.4g} s after that",
            grace_s));
  // A step without a limit must make progress.
  step.within_ms = 0;
  supervisor_fixture stuck;
  CHECK(supervised(stuck, step, same) ==
        fmt::format("its worker was killed: running something made no progress for {:.4g} s", grace_s));
}

TEST_CASE("a worker that gives no sign of life is killed in whatever it does, and no trial is charged for a stop") {
  using kind = worker_event::kind;
  const std::string ready = supervisor_fixture::event_command({.type = kind::ready, .text = "here:1:1"});
  const auto step = [](const char* doing, double within_ms) {
    return supervisor_fixture::event_command({.type = kind::step, .text = doing, .within_ms = within_ms, .trial = 1});
  };
  // The steps have longer limits than a test may take: a test that waits for the end of a step fails.
  const std::vector<std::pair<std::string, std::string>> phases = {
      {"starting", ""},
      {"claiming a trial", ready},
      {"loading road20", ready + step("loading road20", 3600e3)},
      {"compiling something", ready + step("compiling something", 3600e3)},
      {"running something", ready + step("running something", 3600e3)},
      {"running something simulated", ready + step("running something simulated", 0)},
      {"checking something", ready + step("checking something", 3600e3)},
      {"waiting for trials", ready + supervisor_fixture::event_command({.type = kind::drained})}};
  for (const auto& [doing, before] : phases) {
    CAPTURE(doing);
    supervisor_fixture setup;
    // The silence must be reported in the second half of this time, also by a supervisor that is seldom scheduled.
    setup.options.grace_s = 1.5 * long_grace_s();
    const auto again = setup.folder.path() / "again";
    const auto measured = setup.folder.path() / "measured";
    std::vector<std::string> waiting;
    setup.options.on_progress = [&waiting](const sweep_progress& now) { waiting.push_back(now.waiting); };
    // The trial is claimed in the worker's name once it has one, and measured while the second worker runs.
    const bool has_name = before.starts_with(ready);
    bool claimed = false;
    setup.options.stop_requested = [&] {
      if (!claimed && has_name && std::filesystem::exists(again)) {
        (void)setup.claim("here:1:1");
        claimed = true;
      }
      if (setup.count_starts() == 2 && setup.single("SELECT state FROM trial") == "pending") {
        db::trial_result result;
        result.samples_ms = {1};
        setup.store.finish(setup.claim(), result);
        std::ofstream(measured) << "done";
      }
      return false;
    };
    const std::string first = "touch " + again.string() + "\n" + before + "kill -STOP $$";
    const std::string second = "while [ ! -e " + measured.string() + " ]; do echo; sleep 0.05; done\n" +
                               supervisor_fixture::event_command({.type = kind::drained}) + "read order\n" +
                               supervisor_fixture::event_command({.type = kind::ended});
    const sweep_summary summary =
        setup.supervise("if [ ! -e " + again.string() + " ]; then " + first + "\nfi\n" + second);
    CHECK(summary.workers_lost == 1);
    // A worker that had nothing to do is no longer needed.
    if (doing != "waiting for trials") {
      CHECK(summary.progress.done == 1);
      CHECK(setup.count_starts() == 2);
      CHECK(setup.single("SELECT outcome || ' ' || crashes || ' ' || kills FROM trial") == "ok 0 0");
    }
    CHECK(std::any_of(waiting.begin(), waiting.end(), [&](const std::string& text) {
      return text.starts_with("fake:0: no sign of life for ") && text.ends_with(", " + doing);
    }));
  }
}

TEST_CASE("a worker that reads nothing does not stop its supervisor") {
  supervisor_fixture setup;
  setup.options.grace_s = long_grace_s();
  // The task is larger than a socket's buffer.
  for (int i = 0; i < 1200; ++i) setup.workloads.push_back(fmt::format("path{}", 5 + i));
  setup.before_task =
      fmt::format("[ -e {0} ] || {{ touch {0}; kill -STOP $$; }}\n", (setup.folder.path() / "again").string());
  const sweep_summary summary =
      setup.supervise(supervisor_fixture::event_command({.type = worker_event::kind::drained}) + "read order\n" +
                      supervisor_fixture::event_command({.type = worker_event::kind::ended}));
  CHECK(summary.workers_lost == 1);
  CHECK(setup.count_starts() == 2);
}

TEST_CASE("a worker that holds the lock of the database and is stopped is killed while the supervisor waits for it") {
  supervisor_fixture setup;
  setup.options.grace_s = long_grace_s();
  const auto pid_file = setup.folder.path() / "pid";
  const std::string script = "[ -e " + pid_file.string() + " ] || { echo $$ > " + pid_file.string() +
                             "; kill -STOP $$; }\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::drained}) + "read order\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::ended});
  // Holds the lock on behalf of the worker, as long as the worker lives.
  std::atomic<bool> locked = false;
  std::atomic<bool> gave_up = false;
  std::thread holder;
  const auto hold = [&] {
    SQLite::Database database((setup.folder.path() / "test.db").string(), SQLite::OPEN_READWRITE);
    database.exec("BEGIN IMMEDIATE");
    locked = true;
    pid_t worker = 0;
    std::ifstream(pid_file) >> worker;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (::kill(worker, 0) == 0 && !gave_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      siginfo_t info{};
      // The worker has been killed, but the supervisor, which waits for the lock, has not reaped it yet.
      if (::waitid(P_PID, static_cast<id_t>(worker), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == worker)
        break;
      gave_up = std::chrono::steady_clock::now() > give_up;
    }
    database.exec("ROLLBACK");
  };
  setup.options.stop_requested = [&] {
    if (!holder.joinable() && std::filesystem::exists(pid_file) && std::filesystem::file_size(pid_file) > 0) {
      holder = std::thread(hold);
      while (!locked) std::this_thread::yield();
      (void)setup.claim();  // waits for the lock
      setup.store.release_worker("elsewhere:1:1");
    }
    return false;
  };
  const sweep_summary summary = setup.supervise(script);
  holder.join();
  CHECK_FALSE(gave_up);
  CHECK(summary.workers_lost == 1);
  CHECK(setup.count_starts() == 2);
}

TEST_CASE("a search that waits for a trial of another sweep continues when that sweep is dead") {
  supervisor_fixture setup;
  setup.text += "strategy: {name: local, budget: 1}\n";
  const auto orders = setup.folder.path() / "orders";
  // A worker that never claims a trial and answers every request.
  const std::string drained = supervisor_fixture::event_command({.type = worker_event::kind::drained});
  const std::string script = drained + "while read order; do echo $order >> " + orders.string() +
                             "; [ $order = more ] || break; " + drained + "done\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::ended});
  int calls = 0;
  setup.options.stop_requested = [&] {
    // Before any worker starts, a dead worker claims the trial: no process has this number.
    if (++calls == 1) (void)setup.claim(db::host_name() + ":99999999:1");
    if (std::filesystem::exists(orders) && setup.single("SELECT state FROM trial") == "pending") {
      db::trial_result result;
      result.result = db::outcome::ok;
      result.samples_ms = {1};
      setup.store.finish(setup.claim(), result);
    }
    return calls > 1000;
  };
  const sweep_summary summary = setup.supervise(script);
  CHECK_FALSE(summary.interrupted);
  CHECK(summary.progress.total == 1);
  CHECK(summary.progress.done == 1);
  CHECK(read_file(orders).starts_with("more\n"));
  CHECK(read_file(orders).ends_with("stop\n"));
}

TEST_CASE("a place is not given up while a search may still want it") {
  supervisor_fixture setup;
  setup.text += "strategy: {name: local, budget: 1}\n";
  // The first worker dies after a live worker has claimed the only trial, so that no trial is pending.
  const auto again = setup.folder.path() / "again";
  const std::string script = "[ -e " + again.string() + " ] || { touch " + again.string() + "; " + "echo '" +
                             worker_event{.type = worker_event::kind::ready, .text = "here:1:1"}.to_line() +
                             "'; exit 1; }\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::drained}) + "read order\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::ended});
  std::int64_t trial = 0;
  setup.options.stop_requested = [&] {
    if (trial == 0) trial = setup.claim();
    if (setup.count_starts() == 2 && setup.single("SELECT state FROM trial") == "running") {
      db::trial_result result;
      result.result = db::outcome::ok;
      result.samples_ms = {1};
      setup.store.finish(trial, result);
    }
    return false;
  };
  const sweep_summary summary = setup.supervise(script);
  CHECK(summary.workers_lost == 1);
  CHECK(setup.count_starts() == 2);
  CHECK(summary.progress.done == 1);
}

TEST_CASE("lines that are no events do not disturb") {
  supervisor_fixture setup;
  const std::string script = "echo hello; echo '{}'; echo '[1]'; echo '{\"what\": 99}'\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::drained}) +
                             "read order; echo $order > " + (setup.folder.path() / "order").string() + "\n" +
                             supervisor_fixture::event_command({.type = worker_event::kind::ended});
  const sweep_summary summary = setup.supervise(script);
  CHECK(summary.workers_lost == 0);
  CHECK(read_file(setup.folder.path() / "order") == "stop\n");
}

TEST_CASE("an event reads back as it was written") {
  worker_event event{.type = worker_event::kind::trial_done,
                     .text = "l1=none \"quoted\"\nline \xff",
                     .within_ms = 12.5,
                     .trial = 77,
                     .outcome = db::outcome::overflow,
                     .workload = "road8",
                     .query = "source=5",
                     .milliseconds = 0.1,
                     .kernels_ms = 3};
  event.times.idle = 4;
  event.times.prepare = 5;
  event.times.record = 6;
  event.variants.longest_ms = 9;
  const std::string line = event.to_line();
  CHECK(line.find('\n') == line.size() - 1);
  const auto back = worker_event::from_line(line);
  REQUIRE(back);
  CHECK(back->text == "l1=none \"quoted\"\nline \xEF\xBF\xBD");
  CHECK(back->trial == 77);
  CHECK(back->outcome == db::outcome::overflow);
  CHECK(back->workload == "road8");
  CHECK(back->query == "source=5");
  CHECK(back->milliseconds == 0.1);
  CHECK(back->times.idle == 4);
  CHECK(back->times.prepare == 5);
  CHECK(back->times.record == 6);
  CHECK(back->variants.longest_ms == 9);
}

TEST_CASE("a task reads back as it was given, whatever the names of files") {
  worker_task task;
  task.database = "/x/\xff.db";
  task.device = "simt";
  task.file = "a b.yaml";
  task.plan = {.experiment = 3, .host = 4, .devices = {5}, .workloads = {}};
  planned_workload planned{.row = 9, .hash = "h", .input = {}};
  planned.input.name = "g";
  planned.input.file = "/caf\xe9.gr";
  planned.input.family = "family";
  planned.input.options = {{"weights", "pareto"}, {"weight_seed", "7"}};
  task.plan.workloads = {planned};
  task.rank = 1;
  task.workers = 2;
  task.parent = 1234;
  const worker_task back = worker_task::from_json(task.to_json());
  CHECK(back.database == task.database);
  CHECK(back.plan.experiment == 3);
  CHECK(back.plan.host == 4);
  CHECK(back.plan.devices == std::vector<std::int64_t>{5});
  REQUIRE(back.plan.workloads.size() == 1);
  CHECK(back.plan.workloads[0].input.file == "/caf\xe9.gr");
  CHECK(back.plan.workloads[0].input.family == "family");
  CHECK(back.plan.workloads[0].input == task.plan.workloads[0].input);
  CHECK(back.rank == 1);
  CHECK(back.parent == 1234);
}
