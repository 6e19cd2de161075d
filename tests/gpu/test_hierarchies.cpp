// SPDX-License-Identifier: Apache-2.0
// Elimination hierarchies, and quantities computed on the device, of libmlmq on a GPU, through the public interface.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu_test.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using gpu_tests::is_gpu;

namespace {

std::vector<vertex> sources_of(const digraph& graph, std::size_t count) {
  std::vector<vertex> sources;
  for (std::size_t i = 0; i < count; ++i) sources.push_back(static_cast<vertex>(i * 7919 % graph.vertex_count()));
  return sources;
}

/// Returns configurations of every kernel, the larger part of which is for a GPU only.
std::vector<std::string> hierarchy_configurations() {
  std::vector<std::string> texts = {"solver=hierarchy,threads=64,blocks=1,lane_searches=1,slots=8,piece_vertices=16",
                                    "solver=supernode,threads=64,blocks=1,columns=1",
                                    "solver=supernode,threads=128,blocks=2,columns=4"};
  if (!is_gpu()) return texts;
  for (const char* const text :
       {"solver=hierarchy,threads=256,blocks=2", "solver=hierarchy,threads=128,blocks=2,lane_searches=8,slots=16",
        "solver=supernode,threads=256,blocks=4,columns=2", "solver=supernode,threads=1024,blocks=1,columns=1"})
    texts.emplace_back(text);
  return texts;
}

}  // namespace

TEST_CASE("hierarchies find the distances on the GPU, before and after new weights") {
  const device gpu(gpu_tests::device_selector());
  for (const char* const name : is_gpu() ? std::vector<const char*>{"road13", "del12", "path2000"}
                                         : std::vector<const char*>{"road6", "del5", "path50"}) {
    const digraph graph = digraph::open(name, {.weight_type = number_type::uint32});
    const std::vector<vertex> sources = sources_of(graph, is_gpu() ? 700 : 40);
    solver searches(gpu, graph);
    std::vector<std::uint32_t> weights(graph.edge_count());
    for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<std::uint32_t>(e * 2'654'435'761U % 1000);
    for (const char* const change : {"none", "other weights", "weights that make distances of 32 bits"}) {
      if (change != std::string_view("none")) searches.update_weights(weights);
      for (const std::string& text : hierarchy_configurations()) {
        CAPTURE(name, change, text);
        batch_options options{.configurations = {text}, .check = true};
        CHECK(searches.solve_many(sources, options).searches == sources.size());
        options.targets = {1, 17, 30};
        options.cutoff = 5000;
        CHECK(searches.solve_many(sources, options).searches == sources.size());
      }
      if (change == std::string_view("other weights")) {
        const reduced_searches farthest = searches.reduce(sources, std::vector{reduction::eccentricity()});
        double longest = 1;
        for (std::size_t i = 0; i < sources.size(); ++i) longest = std::max(longest, farthest.tables[0].value(i, 0));
        for (std::uint32_t& weight : weights) weight *= static_cast<std::uint32_t>(4e9 / longest);
      }
    }
  }
}

TEST_CASE("quantities of searches on the GPU are those of processors") {
  const device gpu(gpu_tests::device_selector());
  const device processors("cpu:2");
  for (const char* const name : {"road", "rmat"}) {
    for (const number_type type : {number_type::uint32, number_type::float32, number_type::float64}) {
      const digraph graph = digraph::open(name + std::string(is_gpu() ? "12" : "6"), {.weight_type = type});
      const std::vector<vertex> sources = sources_of(graph, is_gpu() ? 300 : 20);
      std::vector<double> opportunities(graph.vertex_count());
      for (std::size_t v = 0; v < opportunities.size(); ++v) opportunities[v] = static_cast<double>(v % 5);
      const std::vector<reduction> reductions{reduction::within({90, 300.5, 5000}, opportunities),
                                              reduction::decayed(decay::exponential, 200),
                                              reduction::decayed(decay::gaussian, 200),
                                              reduction::decayed(decay::linear, 400, opportunities),
                                              reduction::histogram({0, 100, 200, 1e9}),
                                              reduction::closeness(),
                                              reduction::eccentricity(),
                                              reduction::nearest({9, 2, 40, 9, 33}, 3)};
      std::vector<vertex> targets;
      for (const vertex source : sources) targets.push_back((source + 11) % static_cast<vertex>(graph.vertex_count()));
      solver expected_searches(processors, graph);
      const reduced_searches expected = expected_searches.reduce(sources, reductions);
      const pair_distances expected_pairs = expected_searches.solve_pairs(sources, targets);
      std::vector<std::string> texts = {"", "solver=block,threads=64,blocks=1,near_items=64",
                                        "solver=group,threads=64,blocks=1,parts=2"};
      if (type == number_type::uint32 && name == std::string("road")) {
        for (std::string& text : hierarchy_configurations()) texts.push_back(std::move(text));
      }
      std::vector<std::uint32_t> lengths(graph.edge_count());
      for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::uint32_t>(i % 1000);
      const path_sums expected_sums = expected_searches.sum_matrix_paths(sources, targets, lengths);
      solver searches(gpu, graph);
      for (const std::string& text : texts) {
        CAPTURE(name, static_cast<int>(type), text);
        batch_options options;
        if (!text.empty()) options.configurations = {text};
        const reduced_searches result = searches.reduce(sources, reductions, options);
        for (std::size_t t = 0; t < reductions.size(); ++t) {
          CAPTURE(t);
          CHECK(result.tables[t].values == expected.tables[t].values);
        }
        CHECK(searches.solve_pairs(sources, targets, options).distances == expected_pairs.distances);
        const path_sums sums = searches.sum_matrix_paths(sources, targets, lengths, options);
        CHECK(sums.distances == expected_sums.distances);
        CHECK(sums.sums == expected_sums.sums);
      }
    }
  }
}
