// SPDX-License-Identifier: Apache-2.0
// The answer does not depend on the configuration: every queue, every parameter, every kind of graph.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>

#include "graph/reference.hpp"
#include "problems/sssp/parameters.hpp"
#include "sssp_abi.cuh"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using tuner::instrumentation;

/// One of `choices`, by `random`.
template <std::size_t n>
const char* draw(tuner::random_bits& random, const std::array<const char*, n>& choices) {
  return choices.at(random.below(n));
}

/// A configuration with these queues; everything that is compiled in is drawn, so that few variants cover many values.
std::string draw_variant(const std::string& l0, const std::string& l1, const std::string& l2,
                         tuner::random_bits& random) {
  std::string label = fmt::format("l0={},l1={},l2={}", l0, l1, l2);
  if (l0 == "vector") label += fmt::format(",l0_depth={}", draw(random, std::array{"1", "2", "5"}));
  if (l1 == "vector") {
    label += fmt::format(",l1_capacity={},wb={}", draw(random, std::array{"32", "64", "512"}),
                         draw(random, std::array{"0", "1", "7"}));
  }
  if (l2 == "bucket") {
    label += fmt::format(",bnum={}", draw(random, std::array{"8", "16", "32"}));
    label += fmt::format(",open_buckets={}", draw(random, std::array{"1", "2", "5"}));
  }
  return label + fmt::format(",l2_batch={},heavy_degree={},threads={}", draw(random, std::array{"1", "5", "32"}),
                             draw(random, std::array{"1", "8", "1073741824"}),
                             draw(random, std::array{"64", "128", "256"}));
}

/// `variant` with drawn launch-time parameters.
std::string draw_launch(const std::string& variant, tuner::random_bits& random) {
  std::string label = variant + ",blocks_per_multiprocessor=" + draw(random, std::array{"0", "1"});
  if (variant.find("l2=bucket") != std::string::npos) {
    label += fmt::format(",delta={}", draw(random, std::array{"0.05", "1", "8", "1000000"}));
  }
  return label;
}

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
  // Whatever lowers a distance is written once and read once, however it wanders through the levels.
  CHECK(count["pops"] == count["updates"] + 1);
  CHECK(count["l2_reads"] == count["l2_writes"]);
  CHECK(count["pops"] == count["l0_reads"] + count["l1_reads"] + count["l2_reads"] - count["resplits"]);
  std::uint64_t flow = count["updates"];
  if (std::get<std::string>(chosen.at("l0")) == "none") {
    CHECK(count["l0_writes"] + count["l0_reads"] == 0);
  } else {
    CHECK(count["l0_writes"] == flow);
    flow -= count["l0_reads"];
  }
  if (std::get<std::string>(chosen.at("l1")) == "none") {
    CHECK(count["l1_writes"] + count["l1_reads"] + count["l1_spills"] == 0);
  } else {
    CHECK(count["l1_writes"] == flow);
    CHECK(count["l1_writes"] == count["l1_reads"] + count["l1_spills"]);
    flow = count["l1_spills"];
  }
  CHECK(count["l2_writes"] == flow + 1 + count["resplits"]);
  CHECK(count["l2_claims"] <= count["l2_reads"]);
}

/// Searches all graphs with all combinations of queues.
void check_all_combinations(graph::weight_type weights) {
  const auto device = open_simulator();
  const std::vector<hard_graph> graphs = hard_graphs(weights);
  std::vector<search> searches;
  for (const hard_graph& hard : graphs) searches.emplace_back(*device, hard.graph);
  tuner::random_bits random(weights == graph::weight_type::uint32 ? 11 : 12);
  for (const std::string l0 : {"none", "vector"}) {
    for (const std::string l1 : {"none", "vector"}) {
      for (const std::string l2 : {"vector", "bucket"}) {
        const std::string variant = draw_variant(l0, l1, l2, random);
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          for (std::uint64_t repetition = 0; repetition < fuzz_factor(); ++repetition) {
            const hard_graph& hard = graphs[i];
            const std::string label = draw_launch(variant, random);
            const auto source = hard.sources.at(random.below(hard.sources.size()));
            const std::uint64_t seed = random.below(1'000'000);
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
  }
}

}  // namespace

TEST_CASE("every combination of queues finds Dijkstra's whole-number distances and loses no element") {
  check_all_combinations(graph::weight_type::uint32);
}

TEST_CASE("every combination of queues finds Dijkstra's float distances and loses no element") {
  check_all_combinations(graph::weight_type::float32);
}

TEST_CASE("the answer is right at the ends of every parameter's range") {
  const auto device = open_simulator();
  const std::vector<std::string> labels = {
      "l0=vector,l0_depth=1,l1=none",
      "l0=vector,l0_depth=16",
      "l1_capacity=32,wb=1",
      "l1_capacity=2048,wb=1048576,threads=64",
      "bnum=8,open_buckets=5,delta=0.001",
      "bnum=32,open_buckets=16,delta=1000000000",
      "bnum=32,open_buckets=1,delta=0.001",
      "l2_batch=1,blocks_per_multiprocessor=1,threads=64",
      "heavy_degree=1,l1=none,l2=vector,blocks_per_multiprocessor=32,threads=64",
  };
  for (const char* const name : {"grid", "shortcuts"}) {
    const hard_graph hard = hard_graph_named(name, graph::weight_type::uint32);
    search tried(*device, hard.graph);
    for (const std::string& label : labels) {
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
  const hard_graph hard = hard_graph_named("two components", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const std::array labels = {"l2=bucket,bnum=8", "l2=vector"};
  for (graph::vertex_id source = 0; source < hard.graph.vertex_count(); ++source) {
    CAPTURE(source);
    tried.prepare(configuration_of(labels.at(source % labels.size())));
    REQUIRE(tried.run(source).message == "");
    REQUIRE(disagreement(tried, hard.graph, source) == "");
  }
}

TEST_CASE("distances beyond the largest float are infinite, and found in time") {
  const auto device = open_simulator();
  const graph::csr_graph chain = chain_to_infinity();
  search tried(*device, chain);
  for (const char* const label : {"l2=vector", "l2=bucket", "l2=bucket,delta=1000000000"}) {
    CAPTURE(label);
    tried.prepare(configuration_of(label));
    CHECK(tried.run(0, 1, 50).message == "");
    CHECK(disagreement(tried, chain, 0) == "");
  }
}

TEST_CASE("variants with wide row starts reach edges beyond 2^32") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("power law", graph::weight_type::uint32);
  const problems::sssp_configuration chosen(configuration_of("l2=bucket,heavy_degree=8,threads=128"));
  const auto kernel = device->compile({.file = "sssp.cu",
                                       .entry = "sssp",
                                       .block_threads = chosen.threads,
                                       .defines = chosen.defines(graph::weight_type::uint32, true, false)});
  // The edges are where they are, but numbered as if 2^33 others came before them.
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
  const backends::device_memory control = device->allocate(sizeof(control_block), "control");
  const backends::device_memory slots = device->allocate(chosen.bnum * capacity * sizeof(u64), "slots");
  device->fill(distances, 0, distances.bytes(), 0xFF);
  device->fill(control, 0, control.bytes(), 0);
  device->fill(slots, 0, slots.bytes(), 0xFF);
  sssp_arguments arguments{};
  arguments.offsets = on_device_starts.address();
  arguments.edges = reinterpret_cast<const u64*>(reinterpret_cast<std::uintptr_t>(on_device_edges.address()) -
                                                 others * sizeof(u64));
  arguments.distances = distances.as<u32>();
  arguments.control = control.as<control_block>();
  arguments.slots = slots.as<u64>();
  arguments.capacity_mask = capacity - 1;
  arguments.source = hard.sources[1];
  arguments.buckets_per_distance = 0.01F;
  arguments.time_limit_ns = 1'000'000'000;
  arguments.full_wait_ns = 200'000;
  const std::size_t shared_bytes = block_shared_bytes(chosen.threads, chosen.l1_capacity);
  device->measure([&] {
    device->launch(*kernel, {.grid_blocks = kernel->resident_blocks(shared_bytes),
                             .shared_bytes = shared_bytes,
                             .arguments = &arguments,
                             .argument_bytes = sizeof arguments});
  });
  u32 status = 0;
  device->download(&status, control, sizeof status);
  CHECK(status == static_cast<u32>(run_status::finished));
  std::vector<graph::distance_bits> found(hard.graph.vertex_count());
  device->download(found.data(), distances, distances.bytes());
  CHECK(found == graph::dijkstra(hard.graph, hard.sources[1]));
}
