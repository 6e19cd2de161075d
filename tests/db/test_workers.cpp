// SPDX-License-Identifier: Apache-2.0
// Coordination of the workers of one sweep: charges, spreading over workloads, finals, sessions.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "db/finals.hpp"
#include "db/query.hpp"
#include "db/sessions.hpp"
#include "db/status.hpp"
#include "db/store.hpp"
#include "db/worker.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;

namespace {

store open_in(const temporary_folder& folder) { return store::open(folder / "sweep.db", open_mode::read_write_create); }

std::string single_text(const store& database, const std::string& sql) {
  return run_query(database, sql).rows.at(0).at(0).text;
}

worker_death crash_of(const std::string& message) {
  worker_death death;
  death.message = message;
  death.program_version = "0.1.0";
  return death;
}

/// Returns a sweep of `count` configurations whose trials are finished, with medians 1, 2, 3, …
sweep finished_sweep(store& into, int count) {
  const sweep planned = make_sweep(into, count);
  double time = 0;
  while (const auto trial = into.claim(planned.experiment, planned.device, "host:1:1"))
    into.finish(trial->id, ok_result({++time}));
  return planned;
}

}  // namespace

TEST_CASE("a trial that has cost one worker is retried, and is recorded as failed after the second") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 2);
  const auto first = into.claim(planned.experiment, planned.device, "host:1:1");
  const auto other = into.claim(planned.experiment, planned.device, "host:2:1");
  REQUIRE(first);
  charge_result charged = into.charge("host:1:1", crash_of("SIGSEGV"));
  CHECK(charged.again == 1);
  CHECK(charged.recorded == 0);
  CHECK_FALSE(into.summary(first->id));

  const auto again = into.claim(planned.experiment, planned.device, "host:3:1");
  REQUIRE(again);
  CHECK(again->id == first->id);
  CHECK(again->crashes == 1);
  charged = into.charge("host:3:1", crash_of("SIGSEGV again"));
  CHECK(charged.again == 0);
  CHECK(charged.recorded == 1);
  CHECK(into.summary(first->id)->result == outcome::crashed);
  CHECK(into.summary(first->id)->message == "SIGSEGV again");
  CHECK(into.was_finished_by(first->id, "host:3:1"));
  CHECK_FALSE(into.was_finished_by(first->id, "host:1:1"));
  // The other worker's trial is not affected, and a second charge changes nothing.
  CHECK(into.charge("host:3:1", crash_of("late")).recorded == 0);
  CHECK(into.experiment_progress(planned.experiment).running == 1);
  CHECK(into.finish(other->id, ok_result()));
}

TEST_CASE("a worker that was killed from outside is charged apart, and less") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  worker_death killed = crash_of("SIGKILL");
  killed.from_outside = true;
  killed.most_kills = 3;
  // Kills soon after the start of a trial do not count.
  for (int i = 0; i < 5; ++i) {
    REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
    CHECK(into.charge("host:1:1", killed).again == 1);
  }
  killed.kill_counts_after_s = -1;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
    CHECK(into.charge("host:1:1", killed).again == 1);
  }
  // One crash is still allowed.
  REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
  CHECK(into.charge("host:1:1", crash_of("SIGSEGV")).again == 1);
  REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
  CHECK(into.charge("host:1:1", killed).recorded == 1);
  CHECK(single_text(into, "SELECT crashes || ' ' || kills || ' ' || attempt || ' ' || outcome FROM trial") ==
        "1 3 9 crashed");
}

TEST_CASE("retried trials start without charges") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
    into.charge("host:1:1", crash_of("SIGSEGV"));
  }
  CHECK(retry_all(into, planned.experiment, {outcome::crashed}) == 1);
  const auto again = into.claim(planned.experiment, planned.device, "host:1:1");
  REQUIRE(again);
  CHECK(again->crashes == 0);
  CHECK(again->attempt == 3);  // attempts are counted across the retry
}

TEST_CASE("workloads with pending trials are listed, those with the fewest workers first") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 2);
  const std::int64_t other = into.put_workload(sample_workload("social"));
  std::vector<trial_key> keys = planned.keys;
  for (trial_key& key : keys) key.workload = other;
  into.plan(planned.experiment, keys);
  const auto listed = [&] {
    std::vector<std::pair<std::int64_t, std::size_t>> rows;
    for (const waiting_workload& waiting : into.waiting_workloads(planned.experiment, planned.device)) {
      rows.emplace_back(waiting.workload, waiting.workers);
    }
    return rows;
  };
  using rows = std::vector<std::pair<std::int64_t, std::size_t>>;
  CHECK(listed() == rows{{planned.workload, 0}, {other, 0}});
  REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
  CHECK(listed() == rows{{other, 0}, {planned.workload, 1}});
  REQUIRE(into.claim(planned.experiment, planned.device, "host:1:1"));
  CHECK(listed() == rows{{other, 0}});
  const std::vector<std::int64_t> unfinished = into.unfinished_workloads(planned.experiment, planned.device);
  CHECK(std::set(unfinished.begin(), unfinished.end()) == std::set{planned.workload, other});
  CHECK(into.waiting_workloads(planned.experiment + 1, planned.device).empty());
}

TEST_CASE("of workloads with equally many workers the largest comes first") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  std::map<std::string, std::int64_t> workloads = {{"road-ny", planned.workload}};
  for (const auto& [name, bytes] : {std::pair("small", 1), std::pair("large", 1'000'000'000)}) {
    workload_record workload = sample_workload(name);
    workload.bytes = static_cast<std::uint64_t>(bytes);
    workloads[name] = into.put_workload(workload);
    trial_key key = planned.keys.front();
    key.workload = workloads[name];
    into.plan(planned.experiment, std::vector{key});
  }
  claim_options anywhere;
  anywhere.spread_over_workloads = true;
  for (const char* const next : {"large", "road-ny", "small"}) {
    const auto trial = into.claim(planned.experiment, planned.device, "host:1:1", anywhere);
    REQUIRE(trial);
    CHECK(trial->workload == workloads[next]);
  }
}

TEST_CASE("workers begin on different workloads, and stay on theirs") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 3);
  std::vector<std::int64_t> workloads = {planned.workload};
  for (const char* name : {"social", "web"}) {
    workloads.push_back(into.put_workload(sample_workload(name)));
    std::vector<trial_key> keys = planned.keys;
    for (trial_key& key : keys) key.workload = workloads.back();
    into.plan(planned.experiment, keys);
  }
  claim_options anywhere;
  anywhere.spread_over_workloads = true;
  std::map<std::string, std::int64_t> graph_of;
  std::set<std::int64_t> seen;
  for (const char* worker : {"host:1:1", "host:2:1", "host:3:1"}) {
    const auto trial = into.claim(planned.experiment, planned.device, worker, anywhere);
    REQUIRE(trial);
    graph_of[worker] = trial->workload;
    seen.insert(trial->workload);
  }
  CHECK(seen.size() == 3);
  for (int i = 0; i < 2; ++i) {
    for (const auto& [worker, workload] : graph_of) {
      claim_options options;
      options.preferred_workload = workload;
      options.only_preferred = true;
      const auto trial = into.claim(planned.experiment, planned.device, worker, options);
      REQUIRE(trial);
      CHECK(trial->workload == workload);
    }
  }
  claim_options options;
  options.preferred_workload = planned.workload;
  options.only_preferred = true;
  CHECK_FALSE(into.claim(planned.experiment, planned.device, "host:1:1", options));
}

TEST_CASE("the best time is of right answers to the same question") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 3);
  CHECK_FALSE(into.best_time("sssp", planned.device, planned.workload, "source=7"));
  const auto first = into.claim(planned.experiment, planned.device, "host:1:1");
  into.finish(first->id, ok_result({5}));
  const auto second = into.claim(planned.experiment, planned.device, "host:1:1");
  into.finish(second->id, failed_result(outcome::wrong_answer, "wrong"));
  const auto third = into.claim(planned.experiment, planned.device, "host:1:1");
  into.finish(third->id, ok_result({4}));
  CHECK(into.best_time("sssp", planned.device, planned.workload, "source=7") == 4);
  CHECK_FALSE(into.best_time("bfs", planned.device, planned.workload, "source=7"));
  CHECK_FALSE(into.best_time("sssp", planned.device, planned.workload, "source=8"));
  CHECK_FALSE(into.best_time("sssp", planned.device + 1, planned.workload, "source=7"));
}

TEST_CASE("a final waits until all trials of its workload and query are done, and takes the fastest") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 4);
  const std::array keys{final_key{planned.workload, "source=7", planned.device}};
  CHECK(plan_finals(into, planned.experiment, keys) == 1);
  CHECK(plan_finals(into, planned.experiment, keys) == 0);
  double time = 10;
  while (const auto trial = into.claim(planned.experiment, planned.device, "host:1:1")) {
    CHECK_FALSE(claim_final(into, planned.experiment, planned.device, "host:1:1", 3));
    into.finish(trial->id, ok_result({--time}));
  }
  CHECK(unfinished_finals(into, planned.experiment) == 1);
  CHECK_FALSE(claim_final(into, planned.experiment, planned.device, "host:1:1", 3, planned.workload + 1));
  const auto claimed = claim_final(into, planned.experiment, planned.device, "host:1:1", 3, planned.workload);
  REQUIRE(claimed);
  CHECK(claimed->workload_name == "road-ny");
  CHECK(claimed->query == "source=7");
  REQUIRE(claimed->finalists.size() == 3);
  CHECK(claimed->finalists[0].label == "bucket 3");
  CHECK(claimed->finalists[2].label == "bucket 1");
  CHECK_FALSE(claim_final(into, planned.experiment, planned.device, "host:2:1", 3));

  const std::vector<finalist_result> results = {
      {claimed->finalists[0].id, {6, 8, 7}}, {claimed->finalists[1].id, {5, 5, 9}}, {claimed->finalists[2].id, {}}};
  CHECK(finish_final(into, claimed->id, results, "bucket 1 failed"));
  CHECK_FALSE(finish_final(into, claimed->id, results, ""));
  CHECK(unfinished_finals(into, planned.experiment) == 0);
  CHECK(single_text(into, "SELECT configuration FROM final_result WHERE place = 1") == "bucket 2");
  CHECK(single_text(into, "SELECT group_concat(milliseconds) FROM final_sample") == "5.0,5.0,9.0,6.0,8.0,7.0");
  CHECK(single_text(into, "SELECT count(*) FROM final_result") == "2");
  const std::string shown = render(read_status(into));
  CHECK_THAT(shown, Contains("winner of the final") && Contains("bucket 2") && Contains("40.0%"));
}

TEST_CASE("the final of a dead worker is run again, and given up after two crashes") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = finished_sweep(into, 3);
  plan_finals(into, planned.experiment, std::array{final_key{planned.workload, "source=7", planned.device}});
  // The worker's process no longer exists.
  REQUIRE(claim_final(into, planned.experiment, planned.device, fmt::format("{}:{}:1", host_name(), ::getpid()), 2));
  CHECK(into.release_abandoned() == 1);
  REQUIRE(claim_final(into, planned.experiment, planned.device, "host:1:1", 2));
  CHECK(into.charge("host:1:1", crash_of("SIGSEGV")).again == 1);
  REQUIRE(claim_final(into, planned.experiment, planned.device, "host:1:1", 2));
  CHECK(into.charge("host:1:1", crash_of("SIGSEGV")).again == 0);
  CHECK(unfinished_finals(into, planned.experiment) == 0);
  CHECK(single_text(into, "SELECT message FROM final") == "SIGSEGV");
  CHECK(single_text(into, "SELECT count(*) FROM final_result") == "0");
}

TEST_CASE("sessions add up for each device") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  const std::int64_t host = into.put_host({"node1", "{}"});
  for (const auto& [worker, selector] :
       {std::pair{"node1:1:1", "cuda:0"}, {"node1:2:1", "cuda:0"}, {"node1:3:1", "cuda:1"}}) {
    const std::int64_t session = start_session(into, planned.experiment, planned.device, host, worker, selector);
    update_session(into, session, {.wall = 50, .measure = 20}, 1);
    update_session(into, session, {.wall = 100, .measure = 60, .compile = 10, .prepare = 2, .record = 3, .idle = 5}, 3);
  }
  const auto sessions = read_sessions(into, planned.experiment);
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].selector == "cuda:0");
  CHECK(sessions[0].sessions == 2);
  CHECK(sessions[0].trials == 6);
  CHECK(sessions[0].times.wall == 200);
  CHECK(sessions[0].times.measure == 120);
  CHECK(sessions[1].times.compile == 10);
  CHECK_THAT(render(read_status(into)), Contains("cuda:1 of node1: 1 worker") && Contains("60.0 % runs") &&
                                            Contains("2.0 % preparing") && Contains("3.0 % recording") &&
                                            Contains("5.0 % idle") && Contains("20.0 % other"));
}
