// SPDX-License-Identifier: Apache-2.0
// Graphs as workloads: names, weights, recorded values.
#include "problems/graphs/graph_workload.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tests/tuner/experiment_folder.hpp"
#include "tests/tuner/message.hpp"
#include "tuner/shared_workloads.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/workload_list.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems;
using mlmq::tests::experiment_folder;
using tuner::experiment_file;

problems::search sssp() { return problems::search(search_kind::sssp); }

std::vector<tuner::workload_input> listed(const experiment_file& experiment) {
  return tuner::list_workloads(experiment, sssp(), {});
}

std::unique_ptr<tuner::workload> load(const tuner::workload_input& input) { return graph_kind().load(input); }

}  // namespace

TEST_CASE("a graph's name is its file's without folder, compression and format") {
  CHECK(graph_name_of("/data/USA-road-d.NY.gr.gz") == "USA-road-d.NY");
  CHECK(graph_name_of("rmat22.mtx") == "rmat22");
  CHECK(graph_name_of("a.b/web.el") == "web");
  CHECK(graph_name_of("plain") == "plain");
  // An unknown extension is part of the name.
  CHECK(graph_name_of("road.v2") == "road.v2");
  CHECK(graph_name_of("road.v2.gz") == "road.v2");
}

TEST_CASE("a generated graph is recorded with its class and features") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs = listed(folder.experiment("  - {generate: grid5, queries: {source: 7}}\n"));
  const auto loaded = load(inputs.at(0));
  CHECK(graph_of(*loaded).vertex_count() == 25);
  CHECK(loaded->record.name == "grid5");
  CHECK(loaded->record.origin == "");
  CHECK(loaded->record.kind == "graph");
  CHECK(loaded->record.feature("m") == 25);
  CHECK(loaded->record.feature("nnz") == 80);
  CHECK(loaded->record.bytes == 12 * 25 + 8 * 80);
  CHECK(loaded->record.description_json == R"({"weights":"uint32"})");
  CHECK(loaded->record.hash == graph::graph_hash(graph::generate_grid2d(5, 5)));
  CHECK_FALSE(loaded->record.workload_class.empty());
  CHECK(loaded->record.features.size() >= 8);
  const std::vector<tuner::query> queries = sssp().choose_queries(*loaded, inputs.at(0).queries);
  CHECK(queries == std::vector<tuner::query>{{{"source", "7"}}});
}

TEST_CASE("a graph's file is read on demand, and recorded with its path") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs = listed(folder.experiment("  - file: graphs/a.gr\n  - file: graphs/b.gr\n"));
  const auto first = load(inputs.at(0));
  const auto second = load(inputs.at(1));
  CHECK(first->record.feature("m") == 3);
  CHECK(first->record.feature("nnz") == 2);
  CHECK(first->record.origin == folder / "graphs/a.gr");
  // The content is the identity of a graph, not its name.
  CHECK(first->record.hash == second->record.hash);
  CHECK(first->record.name != second->record.name);
  std::filesystem::remove(folder.path() / "graphs/a.gr");
  CHECK_THAT(message_of([&] { static_cast<void>(load(inputs.at(0))); }), Catch::Contains("a.gr"));
}

TEST_CASE("a file may name its family, which is its name otherwise") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs =
      listed(folder.experiment("  - {file: graphs/a.gr, family: somebody/roads, weights: unit}\n"
                               "  - {file: graphs/b.gr, weights: unit}\n"));
  CHECK(load(inputs.at(0))->record.family == "somebody/roads");
  CHECK(load(inputs.at(0))->record.name == "a:weights=unit");
  CHECK(load(inputs.at(1))->record.family == "b");
}

TEST_CASE("weights drawn for a graph without weights follow its seed") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs =
      listed(folder.experiment("  - {file: graphs/c.el, weight_seed: 1}\n"
                               "  - {file: graphs/c.el, weight_seed: 2}\n"
                               "  - {file: graphs/a.gr, ignore_weights: true}\n"
                               "  - {file: graphs/a.gr}\n"
                               "  - {file: graphs/a.gr, weight_type: float32}\n"));
  CHECK(load(inputs.at(0))->record.hash != load(inputs.at(1))->record.hash);
  CHECK(load(inputs.at(0))->record.hash == load(inputs.at(0))->record.hash);
  CHECK(load(inputs.at(2))->record.hash != load(inputs.at(3))->record.hash);
  const auto integers = load(inputs.at(3));
  const auto floats = load(inputs.at(4));
  CHECK(floats->record.name == integers->record.name + "-float");
  CHECK(floats->record.description_json == R"({"weights":"float32"})");
  CHECK(floats->record.hash != integers->record.hash);
  CHECK(graph_of(*floats).weight(0) == graph_of(*integers).weight(0));
}

TEST_CASE("a shared graph is restored with its record, and read again when it is no longer shared") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs =
      listed(folder.experiment("  - generate: road6\n"
                               "  - {file: graphs/c.el, weight_seed: 1}\n"
                               "  - {file: graphs/a.gr}\n"
                               "  - {generate: road6, weight_type: float32}\n"));
  const auto budget = tuner::sharing_budget::of_machine();
  for (const tuner::workload_input& input : inputs) {
    CAPTURE(input.name);
    const auto loaded = load(input);
    auto shared = tuner::shared_workload::copy_of(graph_kind(), *loaded, budget);
    REQUIRE(shared != nullptr);
    tuner::planned_workload planned{
        .row = 1, .hash = loaded->record.hash, .input = input, .shared_file = shared->file()};
    planned.input.generated = planned.input.file = "";  // cannot be loaded
    const auto restored = tuner::restore_or_load(graph_kind(), planned);
    shared.reset();
    CHECK(graph::graph_hash(graph_of(*restored)) == loaded->record.hash);
    CHECK(graph_of(*restored).ids().id_of(0) == graph_of(*loaded).ids().id_of(0));
    const db::workload_record& record = restored->record;
    CHECK(record.hash == loaded->record.hash);
    CHECK(record.kind == "graph");
    CHECK(record.name == loaded->record.name);
    CHECK(record.workload_class == loaded->record.workload_class);
    CHECK(record.family == loaded->record.family);
    CHECK(record.origin == loaded->record.origin);
    CHECK(record.bytes == loaded->record.bytes);
    CHECK(record.description_json == loaded->record.description_json);
    CHECK(record.features == loaded->record.features);
    CHECK(restored->notes == loaded->notes);
    CHECK_THROWS_AS(tuner::restore_or_load(graph_kind(), planned), input_error);
    planned.input = input;
    CHECK(tuner::restore_or_load(graph_kind(), planned)->record.hash == loaded->record.hash);
  }
}

TEST_CASE("a graph is not shared beyond the budget, and not if its weights have 8 bytes") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto inputs = listed(folder.experiment("  - generate: road6\n  - {generate: grid3, weight_type: float64}\n"));
  const auto road = load(inputs.at(0));
  const auto budget = std::make_shared<tuner::sharing_budget>(road->record.bytes, 1);
  CHECK(tuner::shared_workload::copy_of(graph_kind(), *load(inputs.at(1)), budget) == nullptr);
  auto shared = tuner::shared_workload::copy_of(graph_kind(), *road, budget);
  CHECK(shared != nullptr);
  CHECK(tuner::shared_workload::copy_of(graph_kind(), *road, budget) == nullptr);
  shared.reset();
  CHECK(tuner::shared_workload::copy_of(graph_kind(), *road, budget) != nullptr);
}

TEST_CASE("an invalid graph file is refused with the line") {
  const experiment_folder folder("sssp", "{threads: [64]}");
  const auto error = [&](const std::string& entry) {
    return message_of([&] { static_cast<void>(listed(folder.experiment("  - " + entry + "\n"))); });
  };
  CHECK_THAT(error("generate: 'phold:entities=8'"), Catch::Contains("experiment.yaml:5: generated graph 'phold"));
  CHECK_THAT(error("{generate: road8, weihgts: unit}"),
             Catch::Contains("experiment.yaml:5: unknown key 'weihgts' of a graph; did you mean 'weights'?"));
  CHECK_THAT(error("{file: graphs/a.gr, negative_weights: drop}"),
             Catch::Contains("'negative_weights': expected refuse or absolute, got 'drop'"));
  CHECK_THAT(error("{generate: road8, family: roads}"), Catch::Contains("'family': it applies only to files"));
  CHECK_THAT(error("{file: graphs/a.gr, family: ''}"), Catch::Contains("'family': expected a text"));
}
