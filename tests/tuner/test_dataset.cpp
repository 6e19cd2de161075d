// SPDX-License-Identifier: Apache-2.0
// Lists of graphs with many weights, the graphs' families, and how shards divide them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "fakes.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/weight_rule.hpp"
#include "message.hpp"
#include "tests/support/environment.hpp"
#include "tuner/workload_list.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using Catch::Contains;
using mlmq::tuner::test::temporary_folder;
using names = std::vector<std::string>;

constexpr const char* any_experiment = "name: n\nproblem: fake\nparameters: {alpha: [1]}\nworkloads:\n";

const test::fake_problem& fake() {
  static test::fake_script script;
  static const test::fake_problem problem(script);
  return problem;
}

std::unique_ptr<workload> load(const workload_input& input) { return problems::graph_kind().load(input); }
std::uint64_t size_of(const workload_input& input) { return problems::graph_kind().expected_size(input); }

experiment_file experiment(const std::string& graphs, const std::filesystem::path& folder = ".") {
  return parse_experiment(any_experiment + graphs, folder / "x.yaml");
}

std::string error_of(const std::string& graphs) {
  return message_of([&] { static_cast<void>(list_workloads(experiment(graphs), fake(), {})); });
}

names names_of(const std::vector<workload_input>& inputs) {
  names workload_names;
  for (const workload_input& input : inputs) workload_names.push_back(input.name);
  return workload_names;
}

names families_of(const std::vector<workload_input>& inputs) {
  names families;
  for (const workload_input& input : inputs) families.push_back(input.family);
  return families;
}

shard part_of(std::uint64_t index, std::uint64_t count) {
  return {.index = index, .count = count, .divided_by = shard::division::workloads};
}

}  // namespace

TEST_CASE("an entry stands for each of its graphs with each of its weights") {
  const auto inputs = list_workloads(experiment("  - generate: [road8, power8:degree=4]\n"
                                                "    weights: [own, unit, pareto]\n"
                                                "    weight_seed: 5\n"
                                                "  - {generate: del8, weight_type: float32}\n"),
                                     fake(), {});
  CHECK(names_of(inputs) == names{"road8", "road8:weights=unit:weight_seed=5", "road8:weights=pareto:weight_seed=5",
                                  "power8:degree=4", "power8:degree=4:weights=unit:weight_seed=5",
                                  "power8:degree=4:weights=pareto:weight_seed=5", "del8-float"});
  CHECK(families_of(inputs) ==
        names{"road8", "road8", "road8", "power8:degree=4", "power8:degree=4", "power8:degree=4", "del8"});
  CHECK(inputs[0].workload_class == "road");
  CHECK(inputs[4].workload_class == "power_law");
  const auto pareto = load(inputs[2]);
  CHECK(pareto->record.hash == graph::graph_hash(graph::generate_named("road8:weights=pareto:weight_seed=5").graph));
  CHECK(pareto->record.family == "road8");
}

TEST_CASE("files get weights, too, and variants of one file are a family with the same structure") {
  const temporary_folder folder;
  write_file_atomically(folder.path() / "g.el", "0 1 7\n1 2 9\n2 0 1\n0 2 5\n");
  const auto inputs =
      list_workloads(experiment("  - {file: g.el, weights: [own, unit, skewed]}\n"
                                "  - {file: g.el, weights: [uniform], weight_seed: 3, weight_type: float32}\n",
                                folder.path()),
                     fake(), {});
  CHECK(names_of(inputs) == names{"g", "g:weights=unit", "g:weights=skewed", "g:weights=uniform:weight_seed=3-float"});
  CHECK(families_of(inputs) == names{"g", "g", "g", "g"});
  const auto file_weights = load(inputs[0]);
  const auto unit = load(inputs[1]);
  const auto drawn = load(inputs[3]);
  CHECK(problems::graph_of(*file_weights).weight(0) == 7);
  for (graph::edge_offset i = 0; i < 4; ++i) {
    CHECK(problems::graph_of(*unit).weight(i) == 1);
    CHECK(problems::graph_of(*unit).targets()[i] == problems::graph_of(*file_weights).targets()[i]);
  }
  CHECK(problems::graph_of(*drawn).weight(0) == graph::drawn_weight({.seed = 3}, 0, 1));
  // The file's weights are replaced by drawn ones; the record does not say that edges are directed.
  CHECK(drawn->record.description_json ==
        R"({"weights":"float32","remarks":["does not say whether edges are directed: each keeps the direction of its )"
        R"(line"]})");
  CHECK(unit->record.family == "g");
}

TEST_CASE("files are found by the environment, and in folders") {
  const temporary_folder folder;
  write_file_atomically(folder.path() / "a.el", "0 1\n");
  write_file_atomically(folder.path() / "b.el", "0 1\n");
  write_file_atomically(folder.path() / "readme.md", "no graph\n");
  const std::string entry = "  - file: ${MLMQ_TEST_FOLDER}\n  - file: ${MLMQ_TEST_FOLDER}/b*\n";
  CHECK(error_of(entry) ==
        "./x.yaml:5: 'file': '${MLMQ_TEST_FOLDER}' uses the environment variable MLMQ_TEST_FOLDER, which is not set");
  const mlmq::tests::environment set("MLMQ_TEST_FOLDER", folder.path().string());
  CHECK(names_of(list_workloads(experiment(entry), fake(), {})) == names{"a", "b", "b"});
  CHECK_THAT(error_of("  - file: ${MLMQ_TEST_FOLDER/b\n"), Contains("x.yaml:5: 'file': '${' without '}'"));
}

TEST_CASE("entries that make no sense name line and key") {
  CHECK_THAT(error_of("  - {generate: road8, weights: [parto]}\n"),
             Contains("x.yaml:5: 'weights'") && Contains("did you mean 'pareto'") && Contains("or own"));
  CHECK_THAT(error_of("  - {generate: road8, weights: []}\n"), Contains("'weights': the list is empty"));
  CHECK_THAT(error_of("  - {generate: []}\n"), Contains("'generate': the list is empty"));
  CHECK_THAT(error_of("  - {generate: road8, weight_seed: 3}\n"),
             Contains("x.yaml:5") && Contains("'weight_seed': it applies only to random weights"));
  CHECK_THAT(
      error_of("  - {generate: road8, weights: own, weight_seed: 3}\n"),
      Contains("x.yaml:5: 'weight_seed': it applies only to random weights, but 'weights' does not request any"));
  CHECK_THAT(error_of("  - {generate: road8, ignore_weights: true}\n"),
             Contains("'ignore_weights': it applies only to files"));
  const temporary_folder folder;
  write_file_atomically(folder.path() / "a.el", "0 1\n");
  CHECK_THAT(error_of("  - {file: '" + (folder.path() / "a.el").string() + "', weights: unit, ignore_weights: true}\n"),
             Contains("'ignore_weights': 'weights' already replaces"));
  CHECK_THAT(error_of("  - generate: raod8\n"), Contains("x.yaml:5: generated graph 'raod8'"));
  CHECK_THAT(
      error_of("  - {generate: 'road8:weights=unit', weights: [pareto]}\n"),
      Contains("x.yaml:5: generated graph 'road8:weights=unit:weights=pareto': option 'weights' is given twice"));
}

TEST_CASE("a list of graphs stands for its graphs, with its own sources") {
  const temporary_folder folder;
  write_file_atomically(folder.path() / "g.el", "0 1\n");
  write_file_atomically(folder.path() / "list.yaml",
                        "description: some\nqueries: {source: 1}\nworkloads:\n  - file: g.el\n"
                        "  - {generate: path9, queries: {source: 4}}\n");
  write_file_atomically(folder.path() / "bare.yaml", "workloads:\n  - generate: star9\n");
  write_file_atomically(folder.path() / "experiment.yml", any_experiment + std::string("  - generate: grid4\n"));
  const experiment_file into = experiment("  - generate: road8\n");
  const auto listed = [&](const std::string& name) {
    return list_workloads(into, fake(), std::vector{(folder.path() / name).string()});
  };
  const auto inputs = listed("list.yaml");
  CHECK(names_of(inputs) == names{"g", "path9"});
  CHECK(inputs[0].queries[0].settings[0].value() == "1");
  CHECK(inputs[1].queries[0].settings[0].value() == "4");
  CHECK(listed("bare.yaml").at(0).queries == into.queries);
  CHECK(names_of(listed("experiment.yml")) == names{"grid4"});
  write_file_atomically(folder.path() / "wrong.yaml", "workloads:\n  - generate: star9\nquery: {source: 1}\n");
  CHECK_THAT(message_of([&] { static_cast<void>(listed("wrong.yaml")); }),
             Contains("wrong.yaml:3: unknown key 'query'"));
}

TEST_CASE("shards of graphs are disjoint, together the whole, and about equally long") {
  std::vector<workload_input> inputs;
  for (int i = 0; i < 60; ++i) {
    const int size = 8 + i % 13;
    const auto more = list_workloads(
        experiment("  - generate: lattice" + std::to_string(size) + ":seed=" + std::to_string(i) + "\n"), fake(), {});
    inputs.insert(inputs.end(), more.begin(), more.end());
  }
  for (const std::uint64_t count : {1u, 2u, 5u, 100u}) {
    std::map<std::string, int> owners;
    std::vector<double> edges;
    for (std::uint64_t index = 1; index <= count; ++index) {
      const auto mine = workloads_of(part_of(index, count), fake(), inputs);
      double sum = 0;
      for (const workload_input& input : mine) {
        ++owners[input.name];
        sum += static_cast<double>(size_of(input));
      }
      edges.push_back(sum);
      // A shard keeps the order of the list.
      CHECK(std::is_sorted(mine.begin(), mine.end(), [&](const workload_input& a, const workload_input& b) {
        const auto place = [&](const workload_input& input) {
          return std::find_if(inputs.begin(), inputs.end(),
                              [&](const workload_input& i) { return i.name == input.name; });
        };
        return place(a) < place(b);
      }));
    }
    CHECK(owners.size() == 60);
    for (const auto& [name, number] : owners) CHECK(number == 1);
    if (count <= 5) {
      const auto [least, most] = std::minmax_element(edges.begin(), edges.end());
      CHECK(*least > 0.6 * *most);
    }
  }
  // A shard of trials reads all graphs; a shard of graphs has all trials of the graphs that it reads.
  CHECK(workloads_of({.index = 2, .count = 5}, fake(), inputs).size() == 60);
  CHECK(part_of(2, 5).has("workload", "source=0", "configuration"));
  CHECK(part_of(2, 5).has_workload("workload"));
}

TEST_CASE("the shipped data set is as large and as varied as it says") {
  const std::filesystem::path folder = MLMQ_TEST_EXPERIMENTS;
  const auto inputs =
      list_workloads(experiment("  - generate: road8\n"), fake(), std::vector{(folder / "dataset.yaml").string()});
  const names workload_names = names_of(inputs);
  const names families = families_of(inputs);
  CHECK(workload_names.size() == 650);
  CHECK(std::set<std::string>(workload_names.begin(), workload_names.end()).size() == workload_names.size());
  CHECK(std::set<std::string>(families.begin(), families.end()).size() == 563);
  for (const std::string name :
       {"road18", "road20", "road22", "road24", "del18", "del20", "del22", "rmat20", "rmat22", "rmat24"}) {
    CHECK(std::count(workload_names.begin(), workload_names.end(), name) == 1);
  }
  for (const std::string kind :
       {"road", "del", "lattice", "small", "circuit", "rmat", "power", "community", "web", "logic"}) {
    CHECK(std::count_if(workload_names.begin(), workload_names.end(),
                        [&](const std::string& name) { return name.starts_with(kind); }) >= 15);
  }
  // The smallest graph of each kind can be generated, with its family and queries.
  std::map<std::string, workload_input> smallest;
  for (const workload_input& input : inputs) {
    const std::string kind = input.name.substr(0, input.name.find_first_of("0123456789"));
    const auto [place, is_new] = smallest.emplace(kind, input);
    if (!is_new && size_of(input) < size_of(place->second)) place->second = input;
  }
  for (const auto& [kind, one] : smallest) {
    INFO(one.name);
    const auto loaded = load(one);
    CHECK(loaded->record.family == one.family);
    CHECK_FALSE(fake().choose_queries(*loaded, one.queries).empty());
  }
  const temporary_folder graphs;
  write_file_atomically(graphs.path() / "g.el", "0 1\n1 2\n2 3\n3 0\n");
  const mlmq::tests::environment set("MLMQ_GRAPHS", graphs.path().string());
  const auto real =
      list_workloads(experiment("  - generate: road8\n"), fake(), std::vector{(folder / "dataset_real.yaml").string()});
  CHECK(names_of(real) == names{"g", "g:weights=unit", "g:weights=skewed", "g:weights=pareto"});
  for (const auto& list : {inputs, real}) {
    for (const workload_input& input : list) {
      INFO(input.name);
      // Roads and triangulations are also searched from the default source vertex.
      const bool by_default_too = input.name.starts_with("road") || input.name.starts_with("del");
      CHECK(fake().count_queries(input.queries) == (by_default_too ? 4 : 3));
    }
  }
}
