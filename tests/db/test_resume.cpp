// SPDX-License-Identifier: Apache-2.0
// Workers that are killed at any moment, and workers that compete.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "base/files.hpp"
#include "db/query.hpp"
#include "db/store.hpp"
#include "db/worker.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using namespace std::chrono_literals;

namespace {

/// Appends a line to a file that many processes append to; lines stay whole and in order.
void append_line(const std::filesystem::path& file, const std::string& line) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const std::string text = line + "\n";
  const auto written = ::write(descriptor, text.data(), text.size());
  ::close(descriptor);
  if (written != static_cast<ssize_t>(text.size())) throw std::runtime_error("log");
}

/// Claims and finishes trials until none is left. Logs each claim and each recorded result.
void work_on(const std::filesystem::path& file, const std::filesystem::path& log,
             std::chrono::microseconds trial_time) {
  store into = store::open(file, open_mode::read_write_create);
  into.release_abandoned();
  const auto experiment = into.find_experiment("sweep").id;
  while (const auto trial = into.claim(experiment, 1, this_worker())) {
    append_line(log, fmt::format("claim {}", trial->id));
    std::this_thread::sleep_for(trial_time);
    trial_result result = ok_result({1, 2, 3});
    result.counters = {{"pops", 1}, {"pushes", 2}};
    if (!into.finish(trial->id, result)) append_line(log, fmt::format("twice {}", trial->id));
    append_line(log, fmt::format("done {}", trial->id));
  }
}

std::string text_of_single_row(const std::filesystem::path& file, const std::string& sql) {
  return run_query(file, sql).rows.at(0).at(0).text;
}

}  // namespace

TEST_CASE("a worker's identity tells the living from the dead") {
  CHECK(worker_liveness(this_worker()) == liveness::alive);
  CHECK(worker_liveness(fmt::format("{}:{}:1", host_name(), ::getpid())) == liveness::dead);
  CHECK(worker_liveness("another-host:1:2") == liveness::unknown);
  CHECK(worker_liveness("nonsense") == liveness::unknown);
  CHECK(worker_liveness(host_name() + ":x:2") == liveness::unknown);

  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const pid_t child = start_child([&] {
    const std::string name = this_worker();
    if (::write(pipe_ends[1], name.data(), name.size()) < 0) ::_exit(1);
    ::pause();
  });
  std::string name(200, '\0');
  name.resize(static_cast<std::size_t>(::read(pipe_ends[0], name.data(), name.size())));
  CHECK(worker_liveness(name) == liveness::alive);
  ::kill(child, SIGKILL);
  siginfo_t info;
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK(worker_liveness(name) == liveness::dead);  // a zombie
  wait_for(child);
  CHECK(worker_liveness(name) == liveness::dead);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_CASE("only abandoned trials are released") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 3);
  const std::string dead = fmt::format("{}:{}:1", host_name(), ::getpid());
  REQUIRE(into.claim(planned.experiment, planned.device, this_worker()));
  const auto first = into.claim(planned.experiment, planned.device, dead);
  REQUIRE(into.claim(planned.experiment, planned.device, "elsewhere:1:1"));
  CHECK(into.release_abandoned() == 1);
  CHECK(into.experiment_progress(planned.experiment).running == 2);
  const auto again = into.claim(planned.experiment, planned.device, dead);
  REQUIRE(again);
  CHECK(again->id == first->id);
  CHECK(again->attempt == 2);

  abandoned_policy policy;
  policy.stale_after = 3600s;
  policy.give_up_after = 2;
  CHECK(into.release_abandoned(policy) == 1);
  CHECK(into.summary(first->id)->result == outcome::crashed);
  policy.stale_after = -1s;
  CHECK(into.release_abandoned(policy) == 1);
  CHECK(into.release_worker(this_worker()) == 1);
  const progress counts = into.experiment_progress(planned.experiment);
  CHECK(counts.pending == 2);
  CHECK(counts.done == 1);
}

TEST_CASE("killed workers lose nothing and repeat nothing that was finished") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  const auto log = folder / "log";
  constexpr int trials = 2000;
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, trials);
  }
  std::mt19937 random(12345);
  int kills = 0;
  while (kills < 60) {
    // Two processes run at a time: each new one releases the trials of the killed one.
    const pid_t first_child = start_child([&] { work_on(file, log, 400us); });
    const pid_t second_child = start_child([&] { work_on(file, log, 100us); });
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<>(0, 15000)(random)));
    ::kill(first_child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<>(0, 5000)(random)));
    ::kill(second_child, SIGKILL);
    for (const pid_t child : {first_child, second_child}) {
      if (WIFSIGNALED(wait_for(child))) ++kills;
    }
    if (text_of_single_row(file, "SELECT count(*) FROM trial WHERE state <> 'done'") == "0") break;
  }
  CHECK(kills >= 20);
  REQUIRE(wait_for(start_child([&] { work_on(file, log, 0us); })) == 0);

  CHECK(text_of_single_row(file, "SELECT count(*) FROM trial WHERE state = 'done' AND outcome = 'ok'") ==
        std::to_string(trials));
  CHECK(text_of_single_row(file, "SELECT count(*) FROM trial") == std::to_string(trials));
  // Every result is whole.
  CHECK(text_of_single_row(file,
                           "SELECT count(*) FROM trial t WHERE (SELECT count(*) FROM sample WHERE trial = "
                           "t.id) <> 3 OR (SELECT "
                           "count(*) FROM counter WHERE trial = t.id) <> 2") == "0");
  SQLite::Database raw(file.string(), SQLite::OPEN_READONLY);
  CHECK(raw.execAndGet("PRAGMA integrity_check").getString() == "ok");

  std::map<std::string, int> finished;
  std::istringstream lines(read_file(log));
  std::string event;
  std::string id;
  int claims = 0;
  while (lines >> event >> id) {
    CHECK(event != "twice");
    if (event == "claim") {
      ++claims;
      CHECK(finished[id] == 0);
    }
    if (event == "done") CHECK(++finished[id] == 1);
  }
  CHECK(claims >= trials);
  store into = store::open(file, open_mode::read_write_create);
  CHECK(make_sweep(into, 0).experiment == 1);
  CHECK(into.release_abandoned() == 0);
  CHECK(into.experiment_progress(1).done == trials);
}

TEST_CASE("workers that compete never get the same trial") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  const auto log = folder / "log";
  constexpr int trials = 300;
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, trials);
  }
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start_child([&] { work_on(file, log, 300us); }));
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  std::map<std::string, int> lines_seen;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) ++lines_seen[line];
  CHECK(lines_seen.size() == 2 * trials);
  for (const auto& [line, count] : lines_seen) CHECK(count == 1);
  CHECK(text_of_single_row(file, "SELECT count(DISTINCT worker) FROM trial") != "1");
}
