// SPDX-License-Identifier: Apache-2.0
// Every failure is reported with its cause, and the next search on the same instance is right.
#include <catch2/catch.hpp>

#include "backends/simt/simt_backend.hpp"
#include "graph/builder.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::ring_limits;

constexpr const char* l2_vector_only = "l0=none,l1=none,l2=vector,l2_batch=1,threads=64";
constexpr const char* l2_bucket_only = "l0=none,l1=none,l2=bucket,bmax=8,delta=1000000,l2_batch=1,threads=64";

constexpr const char* l2_heap_only = "l0=none,l1=none,l2=heap,threads=64";

constexpr graph::vertex_id fan = 24;
constexpr graph::vertex_id root = 0;
constexpr graph::vertex_id tree_size = 1 + fan + fan * fan;
constexpr graph::vertex_id chain = tree_size;

/// A device with one worker: while it writes, no other warp reads.
constexpr const char* one_worker = "simt:1x4";

/// Returns a graph in which several hundred vertices wait in the queue from `root`, and never more than one from
/// `chain`.
graph::csr_graph tree_and_chain() {
  graph::edge_list edges;
  for (graph::vertex_id v = 1; v < tree_size; ++v) edges.add((v - 1) / fan, v, 1 + v % 7);
  for (graph::vertex_id v = chain; v < chain + 30; ++v) edges.add(v, v + 1, 2);
  return graph::build_csr(chain + 31, edges);
}

}  // namespace

TEST_CASE("a full ring is enlarged until the search finishes, and stays large") {
  const auto real = open_simulator(one_worker);
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  for (const char* const label : {l2_vector_only, l2_bucket_only}) {
    CAPTURE(label);
    search tried(device, graph, ring_limits{.first = 32});
    tried.prepare(configuration_of(label), tuner::instrumentation::counters);
    device.launches = 0;
    const tuner::run_report first = tried.run(root);
    REQUIRE(first.message == "");
    CHECK(first.result == db::outcome::ok);
    CHECK(device.launches > 1);
    CHECK(disagreement(tried, graph, root) == "");
    // Counts from before the ring was full are not part of the answer.
    CHECK(counters_of(first)["pops"] == tree_size);

    device.launches = 0;
    CHECK(tried.run(root).message == "");
    CHECK(device.launches == 1);
    CHECK(disagreement(tried, graph, root) == "");
  }
}

TEST_CASE("a ring that cannot grow ends the search as an overflow that names the capacity") {
  const auto device = open_simulator(one_worker);
  const graph::csr_graph graph = tree_and_chain();
  for (const char* const label : {l2_vector_only, l2_bucket_only}) {
    CAPTURE(label);
    search tried(*device, graph, ring_limits{.first = 16, .largest = 128});
    tried.prepare(configuration_of(label));
    const tuner::run_report full = tried.run(root);
    CHECK(full.result == db::outcome::overflow);
    CHECK_THAT(full.message, Catch::Contains("full at 128 slots"));

    const tuner::run_report small = tried.run(chain);
    CHECK(small.result == db::outcome::ok);
    CHECK(small.message == "");
    CHECK(disagreement(tried, graph, chain) == "");
  }
}

TEST_CASE("a full heap is enlarged too, or ends the search as an overflow") {
  const auto real = open_simulator(one_worker);
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  search growing(device, graph, ring_limits{.first = 128});
  growing.prepare(configuration_of(l2_heap_only));
  CHECK(growing.run(root).message == "");
  CHECK(device.launches > 1);
  CHECK(disagreement(growing, graph, root) == "");

  search fixed(device, graph, ring_limits{.first = 128, .largest = 128});
  fixed.prepare(configuration_of(l2_heap_only));
  const tuner::run_report full = fixed.run(root);
  CHECK(full.result == db::outcome::overflow);
  CHECK_THAT(full.message, Catch::Contains("heap") && Catch::Contains("full at 128 slots"));
  CHECK(fixed.run(chain).message == "");
  CHECK(disagreement(fixed, graph, chain) == "");
}

TEST_CASE("after ELL rows that did not fit, the ones before are made again") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  for (const char* const solver : {"l1=vector,l2=bucket,threads=64", "solver=adds,threads=64"}) {
    CAPTURE(solver);
    const auto with_slots = [&](const char* slots) { return configuration_of(solver + std::string(slots)); };
    search tried(device, graph);
    tried.prepare(with_slots(",ell_width=4"));
    CHECK(tried.run(root).message == "");
    device.full_for = "the ELL rows";
    CHECK_THROWS_AS(tried.prepare(with_slots(",ell_width=8")), backends::out_of_device_memory);
    device.full_for = "";
    tried.prepare(with_slots(",ell_width=4"));
    CHECK(tried.run(root).message == "");
    CHECK(disagreement(tried, graph, root) == "");
    tried.prepare(with_slots(""));
    CHECK(tried.run(root).message == "");
    CHECK(disagreement(tried, graph, root) == "");
  }
}

TEST_CASE("ELL rows make room for others, and those there are made once") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  const std::string queues = "l1=vector,l2=bucket,threads=64,ell_width=";
  search tried(device, graph);
  for (const char* const slots : {"4", "8", "4", "8"}) {
    tried.prepare(configuration_of(queues + slots));
    CHECK(tried.run(root).message == "");
    CHECK(disagreement(tried, graph, root) == "");
  }
  CHECK(device.allocations["the ELL rows"] == 2);
  device.full_once_for = "the ELL rows";
  tried.prepare(configuration_of(queues + "2"));
  CHECK(tried.run(root).message == "");
  CHECK(disagreement(tried, graph, root) == "");
  tried.prepare(configuration_of(queues + "4"));
  CHECK(tried.run(root).message == "");
  CHECK(disagreement(tried, graph, root) == "");
  CHECK(device.allocations["the ELL rows"] == 4);
}

TEST_CASE("ELL rows stay when the solver changes, and go when another one needs their room") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  search tried(device, graph);
  const auto right = [&](const char* label) {
    CAPTURE(label);
    tried.prepare(configuration_of(label));
    CHECK(tried.run(root).message == "");
    CHECK(disagreement(tried, graph, root) == "");
  };
  for (int round = 0; round < 2; ++round) {
    right("l1=vector,l2=bucket,threads=64,ell_width=4");
    right("l1=vector,l2=bucket,threads=64,ell_width=8");
    right("solver=adds,threads=64,ell_width=4");
    right("solver=near_far,threads=64");
  }
  CHECK(device.allocations["the ELL rows"] == 2);
  tried.prepare(configuration_of("solver=adds,threads=64,ell_width=4"));
  device.full_once_for = "what is written in the buckets";
  CHECK(tried.run(root).message == "");
  CHECK(disagreement(tried, graph, root) == "");
  CHECK(device.full_once_for.empty());
  right("l1=vector,l2=bucket,threads=64,ell_width=4");
  CHECK(device.allocations["the ELL rows"] == 2);
  right("l1=vector,l2=bucket,threads=64,ell_width=8");
  CHECK(device.allocations["the ELL rows"] == 3);
  // Near-Far does not use ELL rows: all of them are freed.
  device.full_once_for = "slices of long rows";
  right("solver=near_far,threads=64");
  CHECK(device.full_once_for.empty());
  right("l1=vector,l2=bucket,threads=64,ell_width=4");
  CHECK(device.allocations["the ELL rows"] == 4);
}

TEST_CASE("a ring that has no memory to grow is an overflow, and smaller searches still run") {
  const graph::csr_graph graph = tree_and_chain();
  backends::simulator::simulator_settings settings;
  settings.memory_bytes = 64 * 1024;
  const auto device = backends::open_simt(one_worker, settings);
  search tried(*device, graph, ring_limits{.first = 16});
  tried.prepare(configuration_of(l2_bucket_only));
  for (int repetition = 0; repetition < 2; ++repetition) {
    const tuner::run_report full = tried.run(root);
    CHECK(full.result == db::outcome::overflow);
    CHECK_THAT(full.message,
               Catch::Contains("full at 256 slots and 1024 do not fit: ") && Catch::Contains("8 rings of 1024 slots"));
    const tuner::run_report small = tried.run(chain);
    CHECK(small.message == "");
    CHECK(disagreement(tried, graph, chain) == "");
  }
}

TEST_CASE("a graph that does not fit on the device is named with its size") {
  backends::simulator::simulator_settings settings;
  settings.memory_bytes = 4 * 1024;
  const auto device = backends::open_simt("simt", settings);
  CHECK_THROWS_AS(search(*device, tree_and_chain()), backends::out_of_device_memory);
  CHECK_THROWS_WITH(search(*device, tree_and_chain()), Catch::Contains("the test's graph does not fit on simt") &&
                                                           Catch::Contains("of 3.81e-06 GiB are free"));
}

TEST_CASE("a search that takes too long is stopped, and the next one is right") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("complete", graph::weight_type::uint32);
  for (const char* const label : {l2_vector_only, l2_bucket_only, l2_heap_only, "l0=vector,l1=vector,l2=bucket"}) {
    CAPTURE(label);
    search tried(*device, hard.graph);
    tried.prepare(configuration_of(label));
    const double needed = tried.run(0).milliseconds;
    // Stopped at several moments, so that full, half-empty and still empty queues are left behind.
    for (const double share : {0.1, 0.3, 0.5, 0.7}) {
      CAPTURE(share);
      const tuner::run_report stopped = tried.run(0, 1, needed * share);
      CHECK(stopped.result == db::outcome::timeout);
      CHECK_THAT(stopped.message, Catch::StartsWith("not finished after 0.") && Catch::EndsWith(" ms"));
      const tuner::run_report next = tried.run(39);
      CHECK(next.result == db::outcome::ok);
      CHECK(next.message == "");
      CHECK(disagreement(tried, hard.graph, 39) == "");
    }
  }
}

TEST_CASE("the watchdog stops a search, and the next one is right") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  {
    search tried(device, hard.graph);
    tried.prepare(configuration_of("l2=bucket"));
    device.fire_watchdog = true;
    const tuner::run_report stopped = tried.run(0, 1, 2000);
    CHECK(stopped.result == db::outcome::timeout);
    CHECK(stopped.message == "not finished after 2000 ms");
    device.fire_watchdog = false;
    CHECK(tried.run(0).message == "");
    CHECK(disagreement(tried, hard.graph, 0) == "");
    CHECK(device.is_guarded());
  }
  // A late watchdog would write to memory that has been freed.
  CHECK_FALSE(device.is_guarded());
}

TEST_CASE("after a fault that the device survives, the next search is right") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("complete", graph::weight_type::uint32);
  for (const char* const label : {l2_vector_only, l2_bucket_only, l2_heap_only}) {
    CAPTURE(label);
    search tried(device, hard.graph);
    tried.prepare(configuration_of(label));
    const double needed = tried.run(0).milliseconds;
    for (const double share : {0.2, 0.4, 0.6}) {
      CAPTURE(share);
      device.fault_after_ms = needed * share;
      CHECK_THROWS_AS(tried.run(0), backends::kernel_fault);
      device.fault_after_ms = 0;
      CHECK(tried.run(39).message == "");
      CHECK(disagreement(tried, hard.graph, 39) == "");
    }
  }
}

TEST_CASE("a configuration that the device cannot hold is a launch error, and another one still runs") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("path", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  // 31 workers with 2048 elements each.
  const auto large = configuration_of("l1_capacity=2048,threads=1024");
  CHECK_THROWS_AS(tried.prepare(large), backends::launch_error);
  CHECK_THROWS_WITH(tried.prepare(large), Catch::Contains("bytes of shared memory"));
  // A block has 32 warps, but the simulated multiprocessor has room for 8.
  const auto wide = configuration_of("l1=none,threads=1024");
  CHECK_THROWS_AS(tried.prepare(wide), backends::launch_error);
  CHECK_THROWS_WITH(tried.prepare(wide), Catch::Contains("only 0 of the 2 blocks"));
  tried.prepare(configuration_of("threads=64"));
  CHECK(tried.run(0).message == "");
  CHECK(disagreement(tried, hard.graph, 0) == "");
}

TEST_CASE("check() refuses a wrong distance, also after the right one was proven") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  const std::string last = "vertex " + std::to_string(hard.graph.vertex_count() - 1);
  search tried(device, hard.graph);
  tried.prepare(configuration_of("l2=bucket"));
  REQUIRE(tried.run(0).message == "");
  device.damage_answer = true;
  CHECK_THAT(tried.instance().check(), Catch::Contains(last));
  device.damage_answer = false;
  CHECK(tried.instance().check() == "");
  device.damage_answer = true;
  CHECK_THAT(tried.instance().check(), Catch::Contains(last));
}
