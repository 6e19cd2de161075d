// SPDX-License-Identifier: Apache-2.0
// Compares the graphs of the folder that MLMQ_GRAPHS names with the folder's manifest.yaml. Passes without a check if
// the variable is not set.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

#include "graph/check.hpp"
#include "graph/classify.hpp"
#include "graph/features.hpp"
#include "graph/io.hpp"
#include "graph/reference.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;

namespace {

using record = std::map<std::string, std::string>;

/// Returns the "key: value" lines of each "- name:" item; deeper levels are ignored.
std::vector<record> read_manifest(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<record> records;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("- ")) records.emplace_back();
    if (records.empty() || line.size() < 3 || line[2] == ' ') continue;
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    records.back()[line.substr(2, colon - 2)] = line.substr(colon + 2);
  }
  return records;
}

/// Returns the number of distinct edges between distinct vertices, which is how the manifest counts.
std::size_t count_arcs(const csr_graph& graph) {
  std::size_t count = 0;
  std::vector<vertex_id> row;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    const auto targets = graph.targets().subspan(graph.offsets()[u], graph.offsets()[u + 1u] - graph.offsets()[u]);
    row.assign(targets.begin(), targets.end());
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    count += row.size() - static_cast<std::size_t>(std::count(row.begin(), row.end(), u));
  }
  return count;
}

}  // namespace

TEST_CASE("collected graphs match their manifest") {
  const char* folder = std::getenv("MLMQ_GRAPHS");
  if (folder == nullptr) {
    SUCCEED("MLMQ_GRAPHS is not set");
    return;
  }
  const std::vector<record> records = read_manifest(std::filesystem::path(folder) / "manifest.yaml");
  REQUIRE_FALSE(records.empty());
  const std::map<std::string, std::string> class_names{{"R", "road"}, {"MC", "mesh"}, {"PL", "power_law"}};
  std::size_t same_class = 0;
  for (const record& entry : records) {
    INFO(entry.at("name"));
    const csr_graph graph = read_graph(std::filesystem::path(folder) / entry.at("file"));
    CHECK(std::to_string(graph.vertex_count()) == entry.at("vertices"));
    CHECK(std::to_string(count_arcs(graph)) == entry.at("arcs"));
    const graph_features features = compute_features(graph);
    if (entry.contains("weight_max") && entry.at("stored").starts_with("integer")) {
      CHECK(graph.weights() == weight_type::uint32);
      CHECK(features.max_weight == std::stod(entry.at("weight_max")));
    }
    CHECK((graph.weights() == weight_type::float32) == entry.at("stored").starts_with("real"));
    const auto distance = dijkstra(graph, 0);
    CHECK(check_distances(graph, 0, distance).message.empty());
    CHECK_FALSE(has_saturated(graph.weights(), distance));
    if (graph_class(features) == class_names.at(entry.at("class"))) ++same_class;
  }
  INFO(same_class << " of " << records.size() << " in the class of the manifest");
  CHECK(same_class * 100 >= records.size() * 85);
}
