// SPDX-License-Identifier: Apache-2.0
// The answer does not depend on the configuration: every queue, every parameter, every kind of graph.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>

#include "drawn_parameters.hpp"
#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/reference.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "search_abi.cuh"
#include "sssp_test.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using tuner::instrumentation;

void check_conservation(const tuner::run_report& report, const tuner::configuration& chosen,
                        const graph::csr_graph& graph, graph::vertex_id source) {
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;
  const std::vector<graph::distance_bits> distances = graph::dijkstra(graph, source);
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] == graph::unreached) continue;
    ++reached;
    edges += graph.offsets()[v + 1] - graph.offsets()[v];
  }
  auto count = counters_of(report);
  CHECK(count["pops"] >= reached);
  CHECK(count["updates"] >= reached - 1);
  CHECK(count["relaxations"] >= edges);
  CHECK(count["updates"] <= count["distance_atomics"]);
  CHECK(count["distance_atomics"] <= count["relaxations"]);
  CHECK(count["stale_pops"] <= count["pops"]);
  CHECK(count["polls"] > 0);
  // Each lowered distance is written once and read once, whatever levels it passes through.
  CHECK(count["pops"] == count["updates"] + count["row_segments"] + count["ell_overflow"] + 1);
  CHECK(count["l2_reads"] == count["l2_writes"]);
  // ELL rows are relaxed from the ring of the warp's L1 queue: elements from L2 pass through it.
  const bool from_ring =
      std::get<std::int64_t>(chosen.at("ell_width")) != 0 && std::get<std::string>(chosen.at("l0")) == "none" &&
      std::get<std::string>(chosen.at("l1")) != "none" && std::get<std::string>(chosen.at("l1_sharing")) == "warp";
  const std::uint64_t from_l2 = count["l2_reads"] - count["resplits"];
  const std::uint64_t passing = from_ring ? from_l2 : 0;
  CHECK(count["pops"] == count["l0_reads"] + count["l1_reads"] + from_l2 - passing);
  std::uint64_t flow = count["updates"] + count["ell_overflow"];
  if (std::get<std::string>(chosen.at("l0")) == "none") {
    CHECK(count["l0_writes"] + count["l0_reads"] == 0);
  } else {
    CHECK(count["l0_writes"] == flow);
    flow -= count["l0_reads"];
  }
  CHECK(count["l1_writes"] == count["l1_reads"] + count["l1_spills"]);
  // Elements may bypass a level, but then they are in the next one.
  CHECK(count["l1_writes"] <= flow + passing);
  const std::string l1 = std::get<std::string>(chosen.at("l1"));
  if (l1 == "none") CHECK(count["l1_writes"] == 0);
  if (l1 == "vector") CHECK(count["l1_writes"] == flow + passing);
  CHECK(count["l2_writes"] == flow + passing - count["l1_reads"] + 1 + count["resplits"] + count["row_segments"]);
  CHECK(count["l2_claims"] <= count["l2_reads"]);
}

/// Searches all graphs with variants of these queues. Other compile-time parameters are drawn, so that few variants
/// cover many values.
void search_all(graph::weight_type weights, const std::vector<std::string>& queues, random_stream& random) {
  const auto device = open_simulator();
  const std::vector<hard_graph> graphs = hard_graphs(weights);
  std::vector<search> searches;
  for (const hard_graph& hard : graphs) searches.emplace_back(*device, hard.graph);
  for (const std::string& queue_levels : tests::share_of(queues)) {
    const std::string variant = draw(queue_levels, tuner::binding::compile, random);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (std::uint64_t repetition = 0; repetition < fuzz_factor(); ++repetition) {
        const hard_graph& hard = graphs[i];
        const std::string label = draw(variant, tuner::binding::launch, random);
        const auto source = hard.sources.at(random.below_by_division(hard.sources.size()));
        const std::uint64_t seed = random.below_by_division(1'000'000);
        CAPTURE(hard.name, source, label, seed);
        const tuner::configuration chosen = configuration_of(label);
        searches[i].prepare(chosen, instrumentation::counters);
        const tuner::run_report report = searches[i].run(source, seed);
        REQUIRE(report.message == "");
        REQUIRE(report.result == db::outcome::ok);
        CHECK(disagreement(searches[i], hard.graph, source) == "");
        check_conservation(report, chosen, hard.graph, source);
      }
    }
  }
}

/// Returns "l0=…,l1=…,l2=…" for one L1 queue and every L2 queue, with the L0 queues in rotation.
std::vector<std::string> queues_with(const std::string& l1, unsigned first_l0) {
  const std::vector<std::string>& l0 = declaration_of("l0").allowed;
  std::vector<std::string> labels;
  for (const std::string& l2 : declaration_of("l2").allowed) {
    labels.push_back(fmt::format("l0={},l1={},l2={}", l0[(first_l0 + labels.size()) % l0.size()], l1, l2));
  }
  return labels;
}

}  // namespace

TEST_CASE("every parameter is drawn from when queues are tried") {
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    // test_baselines.cpp covers the parameters that only competitors have.
    if (declared.name == "one_block") break;
    CAPTURE(declared.name);
    if (declared.when.starts_with("solver == delta_stepping") || declared.when == "solver == bfs") continue;
    CHECK((declared.name == "solver" || declared.name == "l0" || declared.name == "l1" || declared.name == "l2" ||
           drawn_values().contains(declared.name)));
  }
}

// One test for each L1 queue, so that they run in parallel.

TEST_CASE("without an L1 queue, every queue finds Dijkstra's distances and loses no element") {
  random_stream random = random_stream::from_state(1);
  search_all(graph::weight_type::uint32, queues_with("none", 0), random);
  search_all(graph::weight_type::uint32, queues_with("none", 1), random);
}

TEST_CASE("below an L1 vector, every queue finds Dijkstra's distances and loses no element") {
  random_stream random = random_stream::from_state(2);
  search_all(graph::weight_type::uint32, queues_with("vector", 0), random);
  search_all(graph::weight_type::uint32, queues_with("vector", 1), random);
}

TEST_CASE("below any other L1 queue, every queue finds Dijkstra's distances and loses no element") {
  random_stream random = random_stream::from_state(3);
  unsigned first_l0 = 0;
  for (const std::string& l1 : declaration_of("l1").allowed) {
    if (l1 != "none" && l1 != "vector") search_all(graph::weight_type::uint32, queues_with(l1, ++first_l0), random);
  }
}

TEST_CASE("every pair of queues that warps read themselves finds Dijkstra's distances and loses no element") {
  random_stream random = random_stream::from_state(5);
  std::vector<std::string> labels;
  for (const std::string& l1 : declaration_of("l1").allowed) {
    for (std::string label : queues_with(l1, static_cast<unsigned>(labels.size() / 4))) {
      label += ",l2_reader=every_warp";
      if (l1 != "none") label += ",l1_sharing=warp";
      if (label.find("l2=bucket") != std::string::npos) label += ",delta_mode=fixed,idle_buckets=0";
      labels.push_back(label);
    }
  }
  search_all(graph::weight_type::uint32, labels, random);
  search_all(graph::weight_type::float32, labels, random);
}

TEST_CASE("every queue finds Dijkstra's distances for float weights") {
  random_stream random = random_stream::from_state(4);
  std::vector<std::string> diagonal;
  for (const std::string& l1 : declaration_of("l1").allowed) {
    const std::vector<std::string> row = queues_with(l1, static_cast<unsigned>(diagonal.size()));
    diagonal.push_back(row[diagonal.size() % row.size()]);
  }
  search_all(graph::weight_type::float32, diagonal, random);
}

TEST_CASE("the answer is right at the ends of every parameter's range") {
  const auto device = open_simulator();
  const std::vector<std::string> labels = {
      "l0=vector,l0_depth=16",
      "l1_capacity=64,wb=1",
      "l1_capacity=2048,wb=1048576,threads=64",
      "l1=near_far,l1_capacity=64,nf=0.001,l1_delta=0.001",
      "l1=filter,l1_capacity=64,l1_delta=1000000000",
      "l2=multi_heap,pnum=32",
      "bmax=8,bnum=5,delta=0.001",
      "bmax=32,bnum=16,delta=1000000000",
      "bmax=32,bnum=1,delta=0.001",
      "bmax=32,bnum=1,idle_buckets=16,delta=0.001,threads=64",
      "bmax=8,bnum=5,delta=0.001,delta_mode=adaptive,threads=64",
      "bmax=32,bnum=16,delta=1000000000,delta_mode=adaptive",
      "ell_width=2,ell_overflow=queued,threads=64",
      "ell_width=16,ell_overflow=queued,l1=none,split_degree=1",
      "l2_batch=1,blocks_per_multiprocessor=1,threads=64",
      "heavy_degree=1,l1=none,l2=vector,blocks_per_multiprocessor=32,threads=64",
      "l2=vector,l2_reader=every_warp,l2_batch=1,l1=none,threads=64",
      "bmax=8,bnum=5,delta=0.001,l2_reader=every_warp,l2_batch=3,blocks_per_multiprocessor=1,threads=64",
      "l2=multi_heap,pnum=32,l2_reader=every_warp,blocks_per_multiprocessor=1,threads=64",
  };
  for (const char* const name : {"grid", "shortcuts"}) {
    const hard_graph hard = hard_graph_named(name, graph::weight_type::uint32);
    search tried(*device, hard.graph);
    for (const std::string& label : tests::share_of(labels)) {
      CAPTURE(name, label);
      tried.prepare(configuration_of(label));
      const tuner::run_report report = tried.run(0);
      REQUIRE(report.message == "");
      CHECK(report.milliseconds > 0);
      CHECK(report.counters.empty());
      CHECK(disagreement(tried, hard.graph, 0) == "");
    }
  }
}

TEST_CASE("one instance answers from every source in turn, whatever was searched before") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("components", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const std::array labels = {"l2=bucket,bmax=8", "l2=vector"};
  for (graph::vertex_id source = 0; source < hard.graph.vertex_count(); ++source) {
    CAPTURE(source);
    tried.prepare(configuration_of(labels.at(source % labels.size())));
    REQUIRE(tried.run(source).message == "");
    REQUIRE(disagreement(tried, hard.graph, source) == "");
  }
}

TEST_CASE("distances beyond the largest float are infinite") {
  const auto device = open_simulator();
  const graph::csr_graph chain = chain_to_infinity();
  search tried(*device, chain);
  // Between a finite and an infinite distance there are as many buckets as a number can count: the base has to jump.
  for (const char* const label :
       {"l1=none,l2=bucket", "l1=none,l2=bucket,delta=0.001,bmax=8", "l1=none,l2=vector", "l1=none,l2=heap",
        "l2=bucket", "l2=bucket,delta=0.001", "l1=near_far,l2=vector", "l1=filter,l2=vector"}) {
    CAPTURE(label);
    tried.prepare(configuration_of(label));
    CHECK(tried.run(0, 1, 50).message == "");
    CHECK(disagreement(tried, chain, 0) == "");
  }
}

TEST_CASE("the row of a hub is relaxed in parts by different warps") {
  const auto device = open_simulator();
  const graph::csr_graph star = graph::adversarial_graph("hub", graph::weight_type::uint32);
  search tried(*device, star);
  for (const char* const label : {"l1=none,l2=vector", "l1=vector,l2=bucket,l1_sharing=block", "l1=slf,l2=heap"}) {
    CAPTURE(label);
    tried.prepare(configuration_of(std::string(label) + ",split_degree=100"), instrumentation::counters);
    const tuner::run_report report = tried.run(0);
    REQUIRE(report.message == "");
    CHECK(disagreement(tried, star, 0) == "");
    // 2,000 edges are 20 parts, of which the first stays where it is.
    CHECK(counters_of(report)["row_segments"] == 19);
    CHECK(counters_of(report)["relaxations"] == star.edge_count());
  }
}

TEST_CASE("ELL overflow rows are elements when they are queued") {
  const auto device = open_simulator();
  constexpr std::uint32_t leaves = 10;  // with 4 slots: 3 edges, 3 edges and 4 edges
  graph::edge_list edges;
  for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) edges.add(0, leaf, leaf * 7 % 11);
  const graph::csr_graph star = graph::build_csr(leaves + 1, edges);
  search tried(*device, star);
  for (const bool queued : {true, false}) {
    CAPTURE(queued);
    tried.prepare(
        configuration_of(std::string("ell_width=4,threads=64,ell_overflow=") + (queued ? "queued" : "at_once")),
        instrumentation::counters);
    const tuner::run_report report = tried.run(0);
    REQUIRE(report.message == "");
    CHECK(disagreement(tried, star, 0) == "");
    CHECK(counters_of(report)["ell_overflow"] == (queued ? 2 : 0));
    CHECK(counters_of(report)["pops"] == 1 + leaves + (queued ? 2 : 0));
    CHECK(counters_of(report)["relaxations"] == leaves);
  }
}

TEST_CASE("blocks without work read further buckets when they may") {
  const auto device = open_simulator();
  // The distance from the source to the start of each chain is larger than to the end of the preceding chain: the
  // buckets open one by one, as the manager finds the lower ones empty.
  constexpr std::uint32_t chains = 8;
  constexpr std::uint32_t length = 100;
  graph::edge_list edges;
  for (std::uint32_t v = 1; v <= chains * length; ++v) {
    if (v % length == 1) {
      edges.add(0, v, 1 + 2 * v);
    } else {
      edges.add(v - 1, v, 1);
    }
  }
  const graph::csr_graph comb = graph::build_csr(chains * length + 1, edges);
  search tried(*device, comb);
  const auto modelled_ms = [&](const std::string& label) {
    tried.prepare(configuration_of("l1=none,l2_batch=1,delta=12,threads=64," + label));
    const tuner::run_report report = tried.run(0);
    REQUIRE(report.message == "");
    CHECK(disagreement(tried, comb, 0) == "");
    return report.milliseconds;
  };
  const double waiting = modelled_ms("bnum=1");
  CHECK(modelled_ms("bnum=1,idle_buckets=16") < 0.9 * waiting);
  CHECK(modelled_ms("bnum=1,idle_buckets=1") == waiting);
}

TEST_CASE("variants with wide row starts reach edges beyond 2^32") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  const tuner::configuration configuration = configuration_of("l2=bucket,heavy_degree=8,threads=128");
  const problems::search_configuration chosen(configuration);
  const auto kernel = device->compile(
      {.file = "sssp.cu",
       .entry = "sssp",
       .block_threads = chosen.threads,
       .defines = problems::defines_of(configuration, {.weights = graph::weight_type::uint32, .wide_offsets = true})});
  // The edges stay where they are, but are numbered as if 2^33 others came before them.
  constexpr std::uint64_t others = std::uint64_t{1} << 33;
  std::vector<std::uint64_t> row_starts;
  for (const auto offset : hard.graph.offsets()) row_starts.push_back(others + offset);
  std::vector<std::uint64_t> edges;
  for (std::size_t i = 0; i < hard.graph.edge_count(); ++i) {
    edges.push_back(hard.graph.targets()[i] | static_cast<std::uint64_t>(hard.graph.weight_bits()[i]) << 32);
  }
  constexpr std::size_t capacity = 4096;
  const auto uploaded = [&](const std::vector<std::uint64_t>& words, const char* name) {
    backends::device_memory memory = device->allocate(words.size() * sizeof words[0], name);
    device->upload(memory, words.data(), memory.bytes());
    return memory;
  };
  const backends::device_memory on_device_starts = uploaded(row_starts, "row starts");
  const backends::device_memory on_device_edges = uploaded(edges, "edges");
  const backends::device_memory distances = device->allocate(hard.graph.vertex_count() * sizeof(u32), "distances");
  const backends::device_memory control = device->allocate(sizeof(queue_control), "control");
  const backends::device_memory slots = device->allocate(chosen.bmax * capacity * sizeof(u64), "slots");
  device->fill(distances, 0, distances.bytes(), 0xFF);
  device->fill(control, 0, control.bytes(), 0);
  device->fill(slots, 0, slots.bytes(), 0xFF);
  search_arguments arguments{};
  arguments.offsets = on_device_starts.address();
  arguments.edges =
      reinterpret_cast<const u64*>(reinterpret_cast<std::uintptr_t>(on_device_edges.address()) - others * sizeof(u64));
  arguments.distances = distances.as<u32>();
  arguments.control = control.as<queue_control>();
  arguments.slots = slots.as<u64>();
  arguments.capacity_mask = capacity - 1;
  arguments.source = hard.sources[1];
  arguments.buckets_per_key = 0.01F;
  arguments.time_limit_ns = 1'000'000'000;
  arguments.full_wait_ns = 200'000;
  const std::size_t shared_bytes = chosen.shared_bytes();
  device->measure([&] {
    device->launch(*kernel, {.grid_blocks = kernel->resident_blocks(shared_bytes),
                             .shared_bytes = shared_bytes,
                             .arguments = &arguments,
                             .argument_bytes = sizeof arguments});
  });
  u32 status = 0;
  device->download(&status, control, sizeof status);
  CHECK(status == static_cast<u32>(run_status::finished));
  std::vector<graph::distance_bits> downloaded(hard.graph.vertex_count());
  device->download(downloaded.data(), distances, distances.bytes());
  CHECK(downloaded == graph::dijkstra(hard.graph, hard.sources[1]));
}
