// SPDX-License-Identifier: Apache-2.0
// A supervisor with workers that misbehave: small shell scripts instead of the real ones. The real ones are tested
// through the program, in tests/cli.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "db/query.hpp"
#include "db/worker.hpp"
#include "fakes.hpp"
#include "tuner/supervisor.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using Catch::Contains;

constexpr const char* one_trial = R"(name: test
problem: fake
parameters: {alpha: [1], beta: [1]}
graphs: [{generate: path5}]
measurement: {counters: false}
)";

class bench {
 public:
  fake_backend device;
  supervisor_options options;
  std::string text = one_trial;

  /// A worker that runs `script` after it has read its task, and appends a line to the file "starts".
  sweep_summary supervise(const std::string& script) {
    fake_script behaviour;
    const experiment_file experiment = parse_experiment(text, "/x/test.yaml");
    const fake_problem what(behaviour);
    const sweep_plan plan = plan_sweep(experiment, what, std::vector{device.info()}, store, {});
    sweep_searches searches(plan, experiment, what, store, {});
    options.searches = &searches;
    options.command = {"/bin/sh", "-c", fmt::format("echo x >> {}\nread task\n{}", starts().string(), script)};
    options.devices = {device.info()};
    return tuner::supervise(plan, store, options);
  }
  [[nodiscard]] long count_starts() const {
    std::ifstream file(starts());
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  }
  /// One line as a worker tells it.
  static std::string tell(const worker_event& event) { return fmt::format("echo '{}'\n", event.to_line()); }
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
  bench b;
  CHECK_THROWS_WITH(b.supervise("echo no driver >&2; exit 7"), Contains("device 'fake:0' is given up") &&
                                                                   Contains("exit status 7") && Contains("no driver") &&
                                                                   Contains("the same command continues"));
  CHECK(b.count_starts() == 3);
  CHECK(b.single("SELECT state FROM trial") == "pending");
}

TEST_CASE("how many workers could not start does not count those that died later") {
  bench b;
  const std::string count = fmt::format("[ $(wc -l < {}) -le 3 ] || exit 7\n", (b.folder.path() / "starts").string());
  const std::string ready = bench::tell({.what = worker_event::kind::ready, .text = "elsewhere:1:1"}) + "exit 5";
  CHECK_THROWS_WITH(b.supervise(count + ready), Contains("given up: 3 workers in a row could not start"));
  CHECK(b.count_starts() == 6);
}

TEST_CASE("what a worker says would go wrong with every trial ends the sweep") {
  bench b;
  const std::string failed = bench::tell({.what = worker_event::kind::failed, .text = "x.db: the disk is full"});
  CHECK_THROWS_WITH(b.supervise(failed), "x.db: the disk is full");
  CHECK(b.count_starts() == 1);
  const std::string refused =
      bench::tell({.what = worker_event::kind::failed, .text = "no such graph", .is_input = true});
  CHECK_THROWS_AS(b.supervise(refused), input_error);
}

TEST_CASE("a worker that says nothing after its promise is killed, and its trial charged") {
  bench b;
  b.options.grace_s = 0.2;
  // It claims nothing itself; the trial is claimed here under its name.
  const std::string script =
      bench::tell({.what = worker_event::kind::ready, .text = "elsewhere:1:1"}) +
      bench::tell({.what = worker_event::kind::step, .text = "measuring something", .within_ms = 100, .trial = 1}) +
      "sleep 600";
  int asked = 0;
  bool claimed = false;
  b.options.stop_requested = [&] {
    // Once the worker has told what it does; then again for the next one.
    if (!claimed && ++asked > 3) {
      b.claim();
      claimed = true;
    } else if (claimed && b.single("SELECT state FROM trial") == "pending") {
      b.claim();
    }
    return false;
  };
  const sweep_summary summary = b.supervise(script);
  CHECK(summary.workers_lost == 2);
  CHECK(summary.progress.outcomes == std::map<db::outcome, std::size_t>{{db::outcome::timeout, 1}});
  CHECK(b.count_starts() == 2);
  CHECK(b.single("SELECT outcome FROM trial") == "timeout");
  CHECK(b.single("SELECT message FROM trial") ==
        "its worker was killed: measuring something did not end within 0.1 s, nor 0.2 s later");
}

TEST_CASE("a search that waits for a trial of another sweep goes on when that is dead") {
  bench b;
  b.text += "strategy: {name: local, budget: 1}\n";
  const auto orders = b.folder.path() / "orders";
  // Never claims anything; says so whenever it is asked.
  const std::string drained = bench::tell({.what = worker_event::kind::drained});
  const std::string script = drained + "while read order; do echo $order >> " + orders.string() +
                             "; [ $order = more ] || break; " + drained + "done\n" +
                             bench::tell({.what = worker_event::kind::ended});
  int asked = 0;
  b.options.stop_requested = [&] {
    // The trial is there before any worker, and is at once taken by one that is gone: no process has this number.
    if (++asked == 1) (void)b.claim(db::host_name() + ":99999999:1");
    if (std::filesystem::exists(orders) && b.single("SELECT state FROM trial") == "pending") {
      db::trial_result result;
      result.result = db::outcome::ok;
      result.samples_ms = {1};
      b.store.finish(b.claim(), result);
    }
    return asked > 1000;
  };
  const sweep_summary summary = b.supervise(script);
  CHECK_FALSE(summary.interrupted);
  CHECK(summary.progress.total == 1);
  CHECK(summary.progress.done == 1);
  CHECK(read_file(orders).starts_with("more\n"));
  CHECK(read_file(orders).ends_with("stop\n"));
}

TEST_CASE("a place is not given up while a search may still want it") {
  bench b;
  b.text += "strategy: {name: local, budget: 1}\n";
  // The first one dies after the only trial was claimed by somebody who lives, so that nothing is pending.
  const auto again = b.folder.path() / "again";
  const std::string script = "[ -e " + again.string() + " ] || { touch " + again.string() + "; " + "echo '" +
                             worker_event{.what = worker_event::kind::ready, .text = "here:1:1"}.to_line() +
                             "'; exit 1; }\n" + bench::tell({.what = worker_event::kind::drained}) + "read order\n" +
                             bench::tell({.what = worker_event::kind::ended});
  std::int64_t trial = 0;
  b.options.stop_requested = [&] {
    if (trial == 0) trial = b.claim();
    if (b.count_starts() == 2 && b.single("SELECT state FROM trial") == "running") {
      db::trial_result result;
      result.result = db::outcome::ok;
      result.samples_ms = {1};
      b.store.finish(trial, result);
    }
    return false;
  };
  const sweep_summary summary = b.supervise(script);
  CHECK(summary.workers_lost == 1);
  CHECK(b.count_starts() == 2);
  CHECK(summary.progress.done == 1);
}

TEST_CASE("lines that are no events do not disturb") {
  bench b;
  const std::string script = "echo hello; echo '{}'; echo '[1]'; echo '{\"what\": 99}'\n" +
                             bench::tell({.what = worker_event::kind::drained}) + "read order; echo $order > " +
                             (b.folder.path() / "order").string() + "\n" +
                             bench::tell({.what = worker_event::kind::ended});
  const sweep_summary summary = b.supervise(script);
  CHECK(summary.workers_lost == 0);
  CHECK(read_file(b.folder.path() / "order") == "stop\n");
}

TEST_CASE("an event reads back as it was told") {
  worker_event event{.what = worker_event::kind::trial_done,
                     .text = "l1=none \"quoted\"\nline \xff",
                     .within_ms = 12.5,
                     .trial = 77,
                     .outcome = db::outcome::overflow,
                     .graph = "road8",
                     .source = 5,
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
  CHECK(back->graph == "road8");
  CHECK(back->source == 5);
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
  task.plan = {.experiment = 3, .host = 4, .devices = {5}, .graphs = {}};
  planned_graph graph{.row = 9, .hash = "h", .where = {}};
  graph.where.name = "g";
  graph.where.file = "/caf\xe9.gr";
  graph.where.family = "family";
  graph.where.request.weight_seed = 7;
  graph.where.request.drawn_weights = {graph::weight_distribution::pareto, 7};
  task.plan.graphs = {graph};
  task.rank = 1;
  task.workers = 2;
  task.parent = 1234;
  const worker_task back = worker_task::from_json(task.to_json());
  CHECK(back.database == task.database);
  CHECK(back.plan.experiment == 3);
  CHECK(back.plan.host == 4);
  CHECK(back.plan.devices == std::vector<std::int64_t>{5});
  REQUIRE(back.plan.graphs.size() == 1);
  CHECK(back.plan.graphs[0].where.file == "/caf\xe9.gr");
  CHECK(back.plan.graphs[0].where.family == "family");
  CHECK(back.plan.graphs[0].where.request.weight_seed == 7);
  CHECK(back.plan.graphs[0].where.request.drawn_weights == graph::weight_rule{graph::weight_distribution::pareto, 7});
  CHECK_FALSE(back.plan.graphs[0].where.request.ignore_weights.has_value());
  CHECK(back.rank == 1);
  CHECK(back.parent == 1234);
}
