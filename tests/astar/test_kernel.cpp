// SPDX-License-Identifier: Apache-2.0
// The kernel on the simulator: every open list, table and mode finds right answers under several schedules, and bugs
// planted into it are found.
#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "problems/astar/grid_workload.hpp"
#include "problems/astar/path_finding.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

std::unique_ptr<tuner::workload> workload_of(tuner::workload_input input) {
  astar::grid_kind().describe(input, {});
  return astar::grid_kind().load(input);
}

std::unique_ptr<tuner::workload> generated(const std::string& text) {
  return workload_of({.name = "", .file = "", .generated = text});
}

/// A map on a simulated device.
class simulated_map {
 public:
  explicit simulated_map(const tuner::workload& workload) {
    device_ = backends::open_device("simt");
    instance_ = problem_.load(*device_, workload);
  }

  void prepare(const std::string& label, tuner::instrumentation mode = tuner::instrumentation::counters) {
    const auto chosen = tuner::parameter_set::from_declarations(problem_.declarations()).parse_label(label);
    instance_->prepare(chosen, device_->compile(instance_->variant(chosen, mode)), mode);
  }
  tuner::run_report run(const std::string& query, std::uint64_t seed = 1, double limit_ms = 10000) {
    device_->set_seed(seed);
    return instance_->run(tuner::query::parse(query), limit_ms);
  }
  std::string check() { return instance_->check(); }

  /// @return the error of the run, or "" if the answer is right
  std::string run_and_check(const std::string& query, std::uint64_t seed = 1) {
    const tuner::run_report report = run(query, seed);
    return report.result == db::outcome::ok ? check() : report.message;
  }

 private:
  astar::path_finding problem_;
  std::unique_ptr<backends::backend> device_;
  std::unique_ptr<tuner::problem_instance> instance_;
};

double counter_of(const tuner::run_report& report, const std::string& name) {
  for (const auto& [known, value] : report.counters) {
    if (known == name) return value;
  }
  FAIL("no counter " << name);
  return 0;
}

const std::vector<std::string>& variants() {
  static const std::vector<std::string> labels{
      "algorithm=jump,paths=true,bucket_bits=16",
      "algorithm=jump,paths=true,bucket_bits=13,cells=32,near_items=1,threads=64,moves=shared",
      "algorithm=jump,cells=1,bucket_bits=19,blocks=1",
      "algorithm=jump,open=small_queue,queue=heap,lanes=8,cells=4,paths=true",
      "paths=true",
      "cells=1,bucket_bits=13,near_items=0,paths=true,threads=64",
      "cells=32,table=shared,moves=shared,near_items=4,threads=64,paths=true",
      "cells=5,bucket_bits=16,blocks=1",
      "cells=5,concurrency=2,threads=64",
      "cells=4,bucket_bits=17,table=shared",
      "open=small_queue,queue=heap,lanes=1,paths=true",
      "open=small_queue,queue=heap,arity=8,lanes=8,queue_capacity=32,table=shared,threads=64",
      "open=small_queue,queue=ring,lanes=1,direction=back,queue_capacity=32,paths=true",
      "open=small_queue,queue=ring_cached,lanes=1,cells=4",
      "open=small_queue,queue=ring_parallel,lanes=32,direction=front",
      "open=small_queue,queue=splay,lanes=1,layout=interleaved,threads=64",
      "open=small_queue,queue=two_level,lanes=32,cells=16,paths=true",
      "open=small_queue,queue=two_level,lanes=8,second=heap",
      "open=small_queue,queue=two_level,lanes=1,run=8,run_memory=shared,threads=64",
      "solver=phases,open=small_queue,queue=heap,lanes=1,threads=64",
      "solver=phases,open=small_queue,queue=heap,lanes=8,arity=8,threads=128,queue_capacity=32",
      "solver=phases,open=small_queue,queue=ring,lanes=1,direction=front,threads=64,cells=4",
      "solver=phases,open=small_queue,queue=ring_cached,lanes=1,pass_from=6,threads=128",
      "solver=phases,open=small_queue,queue=ring_parallel,lanes=64,threads=64,concurrency=2",
      "solver=phases,open=small_queue,queue=splay,lanes=1,layout=interleaved,threads=64",
      "solver=phases,open=small_queue,queue=two_level,lanes=32,cells=16,threads=128",
      "solver=parallel_heap,node_items=64,threads=64",
      "solver=parallel_heap,node_items=32,threads=32,concurrency=2"};
  return labels;
}

/// Returns whether the variant has no parameter `mode`.
bool has_one_mode(const std::string& variant) {
  return variant.starts_with("algorithm=jump") || variant.starts_with("solver=");
}

}  // namespace

TEST_CASE("every open list, table and mode finds right answers on several schedules") {
  const auto cut = generated("grid18x11:seed=2");
  const auto none = generated("grid13x16:density=0.3:seed=5:corners=none");
  simulated_map with_cut(*cut);
  simulated_map with_none(*none);
  std::uint64_t number = 0;
  bool turn =
      false;  // a variant is compiled for one of the maps; jump point search, which has the rule compiled in, for both
  for (const std::string& variant : variants()) {
    const bool jumps = variant.starts_with("algorithm=jump");
    const bool one_mode = has_one_mode(variant);
    turn = !turn;
    for (const bool on_cut : {true, false}) {
      if (!jumps && on_cut != turn) continue;
      simulated_map& tried = on_cut ? with_cut : with_none;
      for (const std::string mode : {"mode=exact,", "mode=paper,"}) {
        if (one_mode && mode != "mode=exact,") continue;
        if (!tests::in_share(number++)) continue;
        tried.prepare((one_mode ? "" : mode) + variant);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          CAPTURE(on_cut, mode, variant, seed);
          REQUIRE(tried.run_and_check("pairs=9:seed=" + std::to_string(seed), seed) == "");
        }
      }
    }
  }
}

TEST_CASE("the printed lengths of scenarios are found, again and again by the same tables") {
  const auto tiny = workload_of({.name = "", .file = MLMQ_ASTAR_MAPS "/tiny.map", .generated = ""});
  const astar::path_finding problem;
  const auto queries = problem.choose_queries(
      *tiny, {{.settings = {{.name = "scenarios", .values = {"own"}, .place = {}}}, .place = {}}});
  REQUIRE(queries.size() == 1);
  simulated_map tried(*tiny);
  for (const char* const table : {"table=global,blocks=1", "table=shared"}) {
    tried.prepare(std::string(table) + ",threads=32,paths=true");
    for (std::uint64_t seed = 1; seed <= 3; ++seed) CHECK(tried.run_and_check(queries.front().text(), seed) == "");
  }
}

TEST_CASE("searches are counted, also in runs that count nothing else") {
  const auto map = generated("grid24");
  simulated_map tried(*map);
  tried.prepare("cells=1", tuner::instrumentation::none);
  const tuner::run_report plain = tried.run("pairs=8:seed=1");
  REQUIRE(plain.counters.size() == 1);
  CHECK(counter_of(plain, "searches") == 8);
  tried.prepare("cells=1");
  const tuner::run_report counted = tried.run("pairs=8:seed=1");
  CHECK(counter_of(counted, "expansions") > 8);
  CHECK(counter_of(counted, "inserted") >= counter_of(counted, "expansions") - 8);
  CHECK(counter_of(counted, "largest_open") > 1);
  CHECK(counter_of(counted, "comparisons") == 0);
  tried.prepare("open=small_queue,queue=heap,lanes=1,cells=8,mode=paper");
  const tuner::run_report paper = tried.run("pairs=8:seed=1");
  CHECK(counter_of(paper, "comparisons") > 0);
  CHECK(counter_of(paper, "largest_excess") >= counter_of(paper, "mean_excess"));
  CHECK(counter_of(paper, "longer") >= 0);
}

TEST_CASE("lengths of open lists and places of insertions are counted for searches of the paper") {
  const auto map = generated("grid24");
  simulated_map tried(*map);
  const std::string ring = "mode=paper,cells=8,open=small_queue,queue=ring,lanes=1,threads=32,direction=";
  std::vector<double> passed;
  double lengths = 0;
  double inserted = 0;
  for (const char* const direction : {"back", "front"}) {
    tried.prepare(ring + direction);
    const tuner::run_report counted = tried.run("pairs=8:seed=1");
    const double batches = counter_of(counted, "batches");
    CHECK(counter_of(counted, "open_at_batches") >= batches);
    CHECK(counter_of(counted, "open_at_batches") <= batches * counter_of(counted, "largest_open"));
    passed.push_back(counter_of(counted, "comparisons"));
    lengths = counter_of(counted, "open_at_insertions");
    inserted = counter_of(counted, "inserted");
  }
  // Both directions together pass each element once, with one more comparison for each insertion in each direction,
  // except at the ends of the list and for the starts.
  CHECK(passed[0] + passed[1] <= lengths + 2 * inserted);
  CHECK(passed[0] + passed[1] >= lengths);
}

TEST_CASE("a timeline has the map, the expansions of each search, and paths") {
  const auto map = generated("grid24");
  simulated_map tried(*map);
  const std::string heap = "mode=paper,cells=8,open=small_queue,queue=heap,lanes=1,threads=32,paths=true";
  tried.prepare(heap);
  const double expansions = counter_of(tried.run("pairs=2:seed=1"), "expansions");
  tried.prepare(heap, tuner::instrumentation::timeline);
  const tuner::run_report recorded = tried.run("pairs=2:seed=1");
  std::map<std::string, std::vector<double>> cells;
  for (const db::timeline_point& point : recorded.timeline) cells[point.name].push_back(point.value);
  CHECK(static_cast<double>(cells["search 0"].size() + cells["search 1"].size()) == expansions);
  for (const char* const search : {"0", "1"}) {
    const std::vector<double>& path = cells[std::string("path ") + search];
    const std::vector<double>& visited = cells[std::string("search ") + search];
    REQUIRE(path.size() > 1);
    CHECK(visited.front() == path.front());
    // The goal ends a search when it is taken, before it is expanded.
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      CHECK(std::count(visited.begin(), visited.end(), path[i]) == 1);
      CHECK(std::count(cells["blocked"].begin(), cells["blocked"].end(), path[i]) == 0);
    }
  }
  CHECK_THROWS_WITH(tried.run("pairs=65:seed=1"), Contains("at most 64 searches"));
}

TEST_CASE("open lists and paths get the room that they turn out to need") {
  const auto open = generated("grid70:density=0");
  simulated_map tried(*open);
  tried.prepare("open=small_queue,queue=two_level,lanes=32,queue_capacity=32,threads=64,blocks=1,paths=true");
  CHECK(tried.run_and_check("pairs=6:seed=1") == "");
  tried.prepare("near_items=0,bucket_bits=17,threads=32,cells=32,paths=true");
  CHECK(tried.run_and_check("pairs=6:seed=2") == "");
}

TEST_CASE("invalid runs are refused, and a run over the time limit ends as timeout") {
  const auto map = generated("grid200");
  simulated_map tried(*map);
  CHECK_THROWS_WITH(tried.prepare("table=shared,threads=128"), Contains("bytes of shared memory"));
  CHECK_THROWS_WITH(tried.prepare("open=small_queue,queue=heap,lanes=64"),
                    Contains("lanes=64") && Contains("violates the limit"));
  CHECK_THROWS_WITH(tried.prepare("open=small_queue,queue=bucket,lanes=32"), Contains("open=bucket_ring"));
  CHECK_THROWS_WITH(tried.prepare("solver=cpu_jps"), Contains("cpu_jps does not run on"));
  CHECK_THROWS_WITH(tried.prepare("", tuner::instrumentation::timeline), Contains("mode=paper"));
  tried.prepare("blocks=1,threads=32");
  const tuner::run_report late = tried.run("pairs=20:seed=1", 1, 0.02);
  CHECK(late.result == db::outcome::timeout);
  CHECK_THAT(late.message, Contains("not finished after 0.02 ms"));
  CHECK(tried.run_and_check("pairs=2:seed=1") == "");
}

TEST_CASE("the paper's search opens the same cells under every schedule and with every queue") {
  const auto map = generated("grid24");
  simulated_map tried(*map);
  std::set<std::vector<double>> opened;
  for (const char* const queue :
       {"mode=paper,queue=ring,lanes=1", "mode=paper,queue=ring_parallel,lanes=32", "mode=paper,queue=heap,lanes=1",
        "solver=phases,queue=ring,lanes=1", "solver=phases,queue=ring_cached,lanes=1",
        "solver=phases,queue=ring_parallel,lanes=64", "solver=phases,queue=heap,lanes=4"}) {
    tried.prepare(std::string("open=small_queue,threads=64,") + queue, tuner::instrumentation::counters);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const tuner::run_report report = tried.run("pairs=20:seed=1", seed, 1000);
      CHECK(report.message == "");
      CHECK(tried.check() == "");
      opened.insert({counter_of(report, "inserted"), counter_of(report, "expansions"), counter_of(report, "batches"),
                     counter_of(report, "open_at_batches"), counter_of(report, "open_at_insertions"),
                     counter_of(report, "longer")});
    }
  }
  // Whichever lane is first, the shortest of several paths to a cell is kept.
  CHECK(opened.size() == 1);
}

TEST_CASE("as many searches run at a time as the query says") {
  const auto map = generated("grid14");
  simulated_map tried(*map);
  for (const char* const solver : {"threads=32", "solver=phases,open=small_queue,queue=heap,lanes=1,threads=64",
                                   "solver=parallel_heap,node_items=32,threads=32"}) {
    CAPTURE(solver);
    tried.prepare(solver);
    for (const char* const concurrent : {"1", "4"}) {
      const std::string query = std::string("concurrent=") + concurrent + ":pairs=8:seed=3";
      CHECK(tried.run_and_check(query) == "");
      const tuner::run_report report = tried.run(query);
      CHECK(counter_of(report, "concurrent") == std::stod(concurrent));
      if (std::string(solver).starts_with("threads")) continue;
      // Until the list is empty, all places have a search; then at most as many are left as there are places. Several
      // may finish in the last step.
      const double finished = counter_of(report, "finished_by_all");
      CHECK(finished >= 8 - std::stod(concurrent));
      CHECK(finished <= 8);
      CHECK(counter_of(report, "ms_of_all") > 0);
      CHECK(counter_of(report, "ms_of_all") < report.milliseconds);
    }
  }
  CHECK_THROWS_WITH(tried.run("concurrent=9:pairs=8:seed=3"), Contains("9 searches cannot run at a time"));
  CHECK_THROWS_WITH(tried.run("concurrent=0:pairs=8:seed=3"), Contains("expected 1 to 8"));
  tried.prepare("threads=64,concurrency=4");
  CHECK_THROWS_WITH(tried.run("concurrent=2:pairs=12:seed=3"), Contains("the configuration has 4"));
  tried.prepare("threads=64");
  CHECK_THROWS_WITH(tried.run("concurrent=3:pairs=12:seed=3"), Contains("blocks of 64 threads have 2 each"));
}

TEST_CASE("searches with their state in memory end at a time limit, and open lists that are full grow") {
  const auto map = generated("grid40");
  simulated_map tried(*map);
  for (const char* const solver : {"solver=phases,open=small_queue,queue=heap,lanes=1,threads=64,queue_capacity=32",
                                   "solver=parallel_heap,node_items=64,threads=64"}) {
    CAPTURE(solver);
    tried.prepare(solver);
    CHECK(tried.run("pairs=6:seed=1", 1, 0.05).result == db::outcome::timeout);
    CHECK(tried.run_and_check("pairs=6:seed=1") == "");
  }
  CHECK_THROWS_WITH(tried.prepare("solver=phases,threads=64"), Contains("set open=small_queue"));
  CHECK_THROWS_WITH(tried.prepare("solver=phases,open=small_queue,queue=heap,lanes=1,cells=5"),
                    Contains("whole warps"));
  CHECK_THROWS_WITH(tried.prepare("solver=phases,open=small_queue,queue=heap,lanes=1,threads=32"),
                    Contains("whole searches"));
}

TEST_CASE("as many searches run at a time as the configuration says") {
  const auto map = generated("grid40");
  simulated_map tried(*map);
  double before = 0;
  for (const char* const concurrency : {"1", "2", "8"}) {
    tried.prepare(std::string("threads=32,concurrency=") + concurrency);
    CHECK(tried.run_and_check("pairs=24:seed=1") == "");
    const double milliseconds = tried.run("pairs=24:seed=1", 1, 1000).milliseconds;
    // The simulator models the time: twice the searches at a time take about half of it.
    if (before != 0) CHECK(milliseconds < 0.8 * before);
    before = milliseconds;
  }
  CHECK_THROWS_WITH(tried.prepare("threads=64,concurrency=3"), Contains("each warp of a block has a search"));
  CHECK_THROWS_WITH(tried.prepare("blocks=1,concurrency=4"), Contains("violates the limit"));
  tried.prepare("threads=32,concurrency=1048576");
  CHECK_THROWS_WITH(tried.run("pairs=24:seed=1"), Contains("1048576 searches at a time: blocks of 32 threads"));
}

TEST_CASE("processors answer the same queries") {
  const auto map = generated("grid30:corners=none");
  const astar::path_finding problem;
  const auto device = backends::open_device("cpu:2");
  const auto loaded = problem.load(*device, *map);
  const auto parameters = tuner::parameter_set::from_declarations(problem.declarations());
  for (const char* const solver : {"cpu_astar", "cpu_jps", "cpu_dijkstra"}) {
    const auto chosen = parameters.parse_label(std::string("solver=") + solver);
    const auto mode = tuner::instrumentation::counters;
    loaded->prepare(chosen, device->compile(loaded->variant(chosen, mode)), mode);
    const tuner::run_report report = loaded->run(tuner::query::parse("pairs=40:seed=1"), 10000);
    CHECK(report.result == db::outcome::ok);
    CHECK(loaded->check() == "");
    CHECK(counter_of(report, "searches") == 40);
    CHECK(counter_of(report, "expansions") > 0);
  }
  CHECK_THROWS_WITH(loaded->variant(parameters.parse_label("defaults"), tuner::instrumentation::none),
                    Contains("solver warp does not run on"));
}

TEST_CASE("bugs planted into the kernel are found") {
  struct bug {
    std::string file;
    std::string right;
    std::string wrong;
    std::string label;
  };
  const std::vector<bug> planted{
      {"search.cuh",
       "totals[pass] < best_) opened[pass] =", "totals[pass] < best_ && targets[pass] % 7 != 3) opened[pass] =", ""},
      {"table.cuh", "scope::device>(words_ + cell, stamped) > stamped;",
       "scope::device>(words_ + cell, stamped) >> 32 != stamp_;", "bucket_bits=17,cells=32"},
      {"bucket_ring.cuh", "cell = place < near_items ?", "cell = place <= near_items ?", "near_items=1,cells=1"},
      {"bucket_ring.cuh", "    simt::sync_warp();  // all lanes must read before others overwrite", "", ""},
      {"table.cuh", "static_cast<u64>(stamp_) << 32 | word", "static_cast<u64>(7) << 32 | word", "blocks=1"},
      {"table.cuh", "i < (cells_ + 3) / 4", "i < cells_ / 8", "table=shared"},
      {"path_walk.cuh", "simt::first_set(simt::ballot(length == least)) ^ 4u",
       "simt::first_set(simt::ballot(length == least))", "paths=true"},
      {"geometry.cuh", "return {columns + rows - 2 * less, less};", "return {columns + rows, 0};", ""},
      {"jump_search.cuh", "towards > 0 && towards <= reach", "towards > 0 && towards < reach", "algorithm=jump"},
      {"jump_rules.cuh", "directions = 0x83u;", "directions = 0x81u;", "algorithm=jump"},
      {"astar.cu", "simt::sync_warp();  // all lanes have read the table before it is cleared", "",
       "table=shared,paths=true,mode=paper"},
  };
  const auto map = generated("grid20x17:seed=4");
  for (const bug& planted_bug : planted) {
    CAPTURE(planted_bug.file, planted_bug.right);
    const tests::scratch_folder folder;
    std::filesystem::copy(backends::kernel_folder(), folder.path(),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    std::string text = read_file(folder.path() / "astar" / planted_bug.file);
    REQUIRE(text.find(planted_bug.right) != std::string::npos);
    text.replace(text.find(planted_bug.right), planted_bug.right.size(), planted_bug.wrong);
    write_file_atomically(folder.path() / "astar" / planted_bug.file, text);
    const tests::environment kernels("MLMQ_KERNELS", folder.path().string());
    std::string message;
    for (std::uint64_t seed = 1; seed <= 4 && message.empty(); ++seed) {
      simulated_map tried(*map);
      try {
        tried.prepare(planted_bug.label + (planted_bug.label.empty() ? "threads=32" : ",threads=32"));
        message = tried.run_and_check("pairs=60:seed=" + std::to_string(seed), seed);
      } catch (const backends::kernel_fault& fault) {
        message = fault.what();
      }
    }
    CHECK(message != "");
  }
}
