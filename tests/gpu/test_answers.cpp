// SPDX-License-Identifier: Apache-2.0
// Answers do not depend on the configuration on real hardware either. Covers every combination of queues, the
// competitors, integer and decimal weights, graphs that are hard for queues, generated graphs and, if $MLMQ_TEST_GRAPHS
// names a folder of graphs, real ones. $MLMQ_FUZZ multiplies the number of searches.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "drawn_parameters.hpp"
#include "gpu_test.hpp"
#include "graph/feature_pass.hpp"
#include "graph/formats.hpp"
#include "graph/generate.hpp"
#include "graph/io.hpp"
#include "graph/reference.hpp"
#include "problems/searches/part_shapes.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/search.hpp"
#include "selector/ranking_model.hpp"
#include "sssp_test.hpp"

using namespace mlmq;
using namespace mlmq::problems::tests;
using graph::weight_type;
using problems::search_kind;
using tuner::instrumentation;

namespace {

/// Longer than any correct search of these graphs takes with the slowest queue.
constexpr double time_limit_ms = 20'000;

/// A graph on the device, with the right answers.
class tried_graph {
 public:
  tried_graph(backends::backend& device, std::string name, graph::csr_graph graph,
              std::vector<graph::vertex_id> sources, search_kind kind)
      : name_(std::move(name)),
        graph_(std::move(graph)),
        reference_(kind == search_kind::bfs ? graph::with_unit_weights(graph_) : graph_),
        sources_(std::move(sources)),
        search_(device, graph_, {}, kind) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] problems::graph_instance& instance() { return search_.instance(); }

  void search_with(const std::string& label, instrumentation mode, graph::vertex_id source) {
    CAPTURE(name_, source, label);
    search_.prepare(configuration_of(label), mode);
    const tuner::run_report report = search_.run(source, 1, time_limit_ms);
    REQUIRE(report.message == "");
    REQUIRE(report.result == db::outcome::ok);
    REQUIRE(disagreement(search_, reference_, source) == "");
    if (mode == instrumentation::counters && label.starts_with("l0=")) check_conservation(report);
  }

  [[nodiscard]] graph::vertex_id drawn_source(random_stream& random) const {
    return sources_.at(random.below_by_division(sources_.size()));
  }

 private:
  /// Checks that no element is lost or invented.
  static void check_conservation(const tuner::run_report& report) {
    auto count = counters_of(report);
    CHECK(count["pops"] == count["updates"] + count["row_segments"] + count["ell_overflow"] + 1);
    CHECK(count["l2_reads"] == count["l2_writes"]);
    CHECK(count["l1_writes"] == count["l1_reads"] + count["l1_spills"]);
  }

  std::string name_;
  graph::csr_graph graph_;
  graph::csr_graph reference_;
  std::vector<graph::vertex_id> sources_;
  search search_;
};

/// Returns the hard graphs, followed by generated graphs of 2^`log2` vertices.
std::vector<tried_graph> graphs_for(backends::backend& device, weight_type weights, search_kind kind, unsigned log2) {
  std::vector<tried_graph> graphs;
  for (hard_graph& hard : hard_graphs(weights)) {
    graphs.emplace_back(device, hard.name, std::move(hard.graph), hard.sources, kind);
  }
  // The simulator would take a thousand times as long.
  if (device.info().kind != "cuda") return graphs;
  for (const std::string shape : {"road", "del", "rmat", "power"}) {
    const std::string name = shape + std::to_string(log2);
    graph::generated_graph generated = graph::generate_named(name);
    generated.graph = graph::with_weight_type(generated.graph, weights);
    graphs.emplace_back(device, name, std::move(generated.graph), std::vector<graph::vertex_id>{generated.source, 1},
                        kind);
  }
  return graphs;
}

/// Compiles all kernels in parallel before the searches, so that these do not wait for the compiler.
void compile_ahead(backends::backend& device, const std::vector<backends::kernel_source>& sources) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      try {
        static_cast<void>(device.compile(sources[i]));
      } catch (const std::exception&) {
        // The search that needs the kernel reports the error.
      }
    }
  };
  std::vector<std::thread> team(std::max(1U, std::thread::hardware_concurrency()));
  for (std::thread& member : team) member = std::thread(work);
  for (std::thread& member : team) member.join();
  device.enter();
}

/// Searches every graph with each of `labels`. Other compile-time parameters are drawn once per label, and launch
/// parameters once per hard graph. @param seed seed of the random numbers
void search_all(const std::vector<std::string>& labels, weight_type weights, search_kind kind, unsigned log2,
                std::uint64_t seed) {
  const auto device = gpu_tests::open_device();
  std::vector<tried_graph> graphs = graphs_for(*device, weights, kind, log2);
  const std::size_t hard = hard_graphs(weights).size();
  random_stream random = random_stream::from_state(seed);
  struct variant {
    std::string label;
    instrumentation mode;
  };
  std::vector<variant> variants;
  std::vector<backends::kernel_source> sources;
  for (const std::string& label : labels) {
    const bool is_queue = label.starts_with("l0=");
    // Every second variant counts its work, and is therefore another kernel.
    const instrumentation mode = variants.size() % 2 == 0 ? instrumentation::none : instrumentation::counters;
    variants.push_back({is_queue ? draw(label, tuner::binding::compile, random) : label, mode});
    sources.push_back(graphs.front().instance().variant(configuration_of(variants.back().label), mode));
  }
  compile_ahead(*device, sources);
  std::size_t searches = 0;
  for (const auto& [label, mode] : variants) {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (std::uint64_t repetition = 0; repetition < fuzz_factor(); ++repetition) {
        // An extreme Δ or a single block would take long on the larger graphs.
        const bool drawn = i < hard && label.starts_with("l0=");
        const std::string complete = drawn ? draw(label, tuner::binding::launch, random) : label;
        graphs[i].search_with(complete, mode, graphs[i].drawn_source(random));
        ++searches;
      }
    }
  }
  std::printf("%zu searches of %zu graphs with %zu variants, each answer equal to Dijkstra's\n", searches,
              graphs.size(), variants.size());
}

/// Returns labels with every L0 queue, every L1 queue and every way of sharing it, over one L2 queue.
std::vector<std::string> queues_over(const std::string& l2) {
  std::vector<std::string> labels;
  for (const std::string& l0 : declaration_of("l0").allowed) {
    for (const std::string& l1 : declaration_of("l1").allowed) {
      std::string label = "l0=";
      label.append(l0).append(",l1=").append(l1).append(",l2=").append(l2);
      if (l1 == "none") {
        labels.push_back(label);
        continue;
      }
      for (const std::string& sharing : declaration_of("l1_sharing").allowed) {
        labels.push_back(label + ",l1_sharing=" + sharing);
      }
    }
  }
  return labels;
}

const std::vector<std::string>& competitors() {
  static const std::vector<std::string> labels = {
      "solver=near_far",
      "solver=near_far,threads=512,one_block=0",
      "solver=near_far,one_block=0,launches=each_step",
      "solver=bellman_ford",
      "solver=bellman_ford,one_block=0,launches=each_step",
      "solver=adds",
      "solver=adds,adds_delta_mode=static,adds_buckets=2,ell_width=4",
      "solver=adds,adds_open_mode=dynamic",
  };
  return labels;
}

}  // namespace

TEST_CASE("every pair of queues that warps read themselves finds Dijkstra's distances") {
  std::vector<std::string> labels;
  for (const tuner::preset& pair : problems::search_presets()) {
    // Values that only dispatchers allow must not be drawn.
    std::string label(pair.label);
    if (label.find("l1=none") == std::string::npos) label += ",l1_sharing=warp";
    if (label.find("l2=bucket") != std::string::npos) label += ",delta_mode=fixed,idle_buckets=0";
    labels.push_back(label);
  }
  search_all(labels, weight_type::uint32, search_kind::sssp, 13, 1);
  search_all(labels, weight_type::float32, search_kind::sssp, 12, 1);
}

TEST_CASE("every queue over an L2 vector finds Dijkstra's distances") {
  search_all(queues_over("vector"), weight_type::uint32, search_kind::sssp, 15, 1);
}

TEST_CASE("every queue over L2 buckets finds Dijkstra's distances") {
  search_all(queues_over("bucket"), weight_type::uint32, search_kind::sssp, 15, 2);
}

TEST_CASE("every queue over an L2 heap finds Dijkstra's distances") {
  search_all(queues_over("heap"), weight_type::uint32, search_kind::sssp, 10, 3);
}

TEST_CASE("every queue over L2 multi-heaps finds Dijkstra's distances") {
  search_all(queues_over("multi_heap"), weight_type::uint32, search_kind::sssp, 10, 4);
}

TEST_CASE("every queue finds Dijkstra's distances for float weights") {
  search_all(queues_over("vector"), weight_type::float32, search_kind::sssp, 12, 5);
  search_all(queues_over("bucket"), weight_type::float32, search_kind::sssp, 12, 6);
  search_all(queues_over("multi_heap"), weight_type::float32, search_kind::sssp, 8, 7);
}

TEST_CASE("every queue finds the levels of breadth-first search") {
  search_all(queues_over("vector"), weight_type::uint32, search_kind::bfs, 14, 8);
  search_all(queues_over("bucket"), weight_type::float32, search_kind::bfs, 14, 9);
}

TEST_CASE("the competitors find Dijkstra's distances and levels") {
  for (const weight_type weights : {weight_type::uint32, weight_type::float32}) {
    for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
      search_all(competitors(), weights, kind, 15, 10);
    }
  }
}

TEST_CASE("searches of partitioned graphs find Dijkstra's distances") {
  const std::vector<std::string> labels = {
      "solver=partitioned,threads=1024", "solver=partitioned,threads=512,slot_arcs=3",
      "solver=partitioned,threads=256,parts=100", "solver=partitioned,threads=1024,parts=2,slot_arcs=1",
      "solver=partitioned,threads=512,parts=50,slot_arcs=4,hub_degree=8"};
  for (const weight_type weights : {weight_type::uint32, weight_type::float32}) {
    search_all(labels, weights, search_kind::sssp, 13, 12);
  }
  std::vector<std::string> packed = labels;
  packed.push_back("solver=partitioned,threads=768,slot_arcs=4,arcs=shared");
  packed.push_back("solver=partitioned,threads=1024,slot_arcs=4,part_work=groups,part_order=window,part_window=24");
  packed.push_back("solver=partitioned,threads=768,slot_arcs=4,part_work=pulled_groups");
  packed.push_back("solver=partitioned,threads=512,slot_arcs=8,part_work=pulled_groups,part_order=window");
  search_all(packed, weight_type::uint32, search_kind::bfs, 13, 13);
}

TEST_CASE("searches of cores find Dijkstra's distances of the whole graph") {
  search_all({"reduction=chains", "reduction=core", "l1=near_far,ell_width=4,reduction=leaves",
              "l1=none,l2=multi_heap,reduction=chains", "solver=partitioned,threads=512,reduction=chains",
              "solver=partitioned,threads=512,reduction=core",
              "solver=partitioned,threads=768,slot_arcs=4,part_work=pulled_groups,reduction=chains"},
             weight_type::uint32, search_kind::sssp, 13, 17);
}

TEST_CASE("push_pull finds the levels of breadth-first search") {
  search_all({"solver=push_pull,threads=1024", "solver=push_pull,threads=512,pull_share=0",
              "solver=push_pull,threads=512,pull_edges=0,one_block_graph=0"},
             weight_type::uint32, search_kind::bfs, 15, 14);
}

TEST_CASE("near_pull finds Dijkstra's distances and levels") {
  const std::vector<std::string> labels = {"solver=near_pull,threads=1024", "solver=near_pull,threads=512,pull_share=0",
                                           "solver=near_pull,threads=512,near_limit=0.1"};
  for (const weight_type weights : {weight_type::uint32, weight_type::float32}) {
    for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) search_all(labels, weights, kind, 15, 16);
  }
}

TEST_CASE("solvers with distances of 8 bytes find Dijkstra's distances") {
  std::vector<std::string> labels;
  for (const std::string& label : competitors()) {
    if (!label.starts_with("solver=adds")) labels.push_back(label);
  }
  labels.emplace_back("solver=near_pull,threads=512");
  search_all(labels, weight_type::float64, search_kind::sssp, 15, 11);
}

TEST_CASE("every configuration that the shipped selector can choose finds Dijkstra's distances") {
  search_all(selector::shipped_ranking_model("sssp")->candidates(), weight_type::uint32, search_kind::sssp, 17, 11);
}

TEST_CASE("device and processors compute equal features") {
  const auto device = gpu_tests::open_device();
  for (const std::string name : {"road14", "del14", "rmat14", "power12:weights=pareto", "star300", "path1"}) {
    for (const bool floats : {false, true}) {
      INFO(name << (floats ? " with floats" : ""));
      const graph::csr_graph csr = graph::generate_named(name).graph;
      const graph::csr_graph graph = floats ? graph::with_weight_type(csr, graph::weight_type::float32) : csr;
      const auto features = problems::search(search_kind::sssp).load_graph(*device, graph, name)->features();
      REQUIRE(features.has_value());
      const graph::feature_pass expected = graph::run_feature_pass(graph);
      CHECK(features->pass.degree_histogram == expected.degree_histogram);
      CHECK(features->pass.weight_histogram == expected.weight_histogram);
      const graph::feature_values values = graph::pass_features(features->pass);
      const graph::feature_values right = graph::pass_features(expected);
      for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(graph::feature_definitions()[i].name);
        CHECK(values[i] == Approx(right[i]).epsilon(1e-9).margin(1e-9));
      }
    }
  }
}

TEST_CASE("every configuration that the shipped selector can choose finds Dijkstra's distances on real graphs") {
  const char* const folder = std::getenv("MLMQ_TEST_GRAPHS");
  if (folder == nullptr) {
    std::printf("skipped: MLMQ_TEST_GRAPHS names no folder of graph files\n");
    return;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".gz") || name.ends_with(".gr") || name.ends_with(".mtx") || name.ends_with(".txt")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  const auto device = gpu_tests::open_device();
  std::size_t searches = 0;
  std::size_t in_parts = 0;
  for (const std::filesystem::path& file : files) {
    const graph::csr_graph graph = graph::read_graph(file, {.absolute_weights = true});
    for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
      // Checked by proof alone: Dijkstra would take longer than all the searches.
      search tried(*device, graph, {}, kind);
      std::vector<std::string> labels = selector::shipped_ranking_model("sssp")->candidates();
      if (const auto parts = problems::part_search_for(graph, device->info())) {
        labels.push_back(*parts);
        ++in_parts;
      }
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::string& label = labels[i];
        const auto source = static_cast<graph::vertex_id>(mix64({i, 7}) % graph.vertex_count());
        CAPTURE(file.filename().string(), label, source);
        tried.prepare(configuration_of(label));
        const tuner::run_report report = tried.run(source, 1, time_limit_ms);
        REQUIRE(report.message == "");
        REQUIRE(tried.instance().check() == "");
        ++searches;
      }
    }
  }
  std::printf("%zu searches of %zu real graphs, %zu of them in parts, each answer proven\n", searches, files.size(),
              in_parts);
}
