// SPDX-License-Identifier: Apache-2.0
// Answers that stay on the device or in the caller's memory, and paths of an answer.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "device_arrays_test.hpp"
#include "mlmq/mlmq.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tests;
using Catch::Contains;

/// Returns a host copy of an array in device memory.
std::vector<double> read_back(const device& target, const device_array& array) {
  std::vector<std::uint32_t> words(array.count);
  target.read(words.data(), array.data, words.size() * sizeof words[0]);
  std::vector<double> values;
  for (const std::uint32_t word : words) {
    if (array.type == number_type::float32) {
      values.push_back(static_cast<double>(std::bit_cast<float>(word)));
    } else {
      values.push_back(word == unreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(word));
    }
  }
  return values;
}

}  // namespace

TEST_CASE("answers that stay on the device are not brought to the host") {
  const device simulated = simulator();
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    for (const problem kind : {problem::sssp, problem::bfs}) {
      const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
      solver search(simulated, graph, kind);
      const solution first = search.solve(0, {.keep_on_device = true});
      const device_array array = first.device_distances();
      CHECK(first.times().download == 0);
      CHECK(array.count == csr.vertex_count());
      CHECK(array.type == first.type());
      CHECK(array.device == "simt");
      const std::vector<double> right = distances_of(searched, 0);
      CHECK(read_back(simulated, array) == right);

      // Later searches write to other memory, whether or not their answers stay on the device.
      const solution second = search.solve(1, {.keep_on_device = true});
      const solution third = search.solve(2);
      CHECK(second.device_distances().data != array.data);
      CHECK(read_back(simulated, array) == right);
      CHECK(read_back(simulated, second.device_distances()) == distances_of(searched, 1));
      CHECK(distances_of(third, csr.vertex_count()) == distances_of(searched, 2));
      CHECK_THROWS_WITH(third.device_distances(), Contains("keep_on_device"));

      // Copied to the host, they are the same as without keep_on_device, for any number of threads.
      std::vector<std::vector<double>> seen(3);
      {
        std::vector<std::jthread> threads;
        for (auto& mine : seen) threads.emplace_back([&] { mine = distances_of(first, csr.vertex_count()); });
      }
      for (const auto& mine : seen) CHECK(mine == right);
      if (first.type() == number_type::uint32) {
        CHECK(first.distances_uint32().size() == csr.vertex_count());
        CHECK_THROWS_AS(first.distances_float32(), input_error);
      } else {
        CHECK(std::isinf(first.distances_float32().back()) == std::isinf(right.back()));
      }
      CHECK(first.check().empty());
      CHECK(first.predecessors().at(0) == no_vertex);
    }
  }
}

TEST_CASE("memory of answers is used again when they are gone, and lives as long as they do") {
  watched counted;
  const auto allocations = [&] { return counted.counts.allocations["the distances of path9"]; };
  const digraph graph = digraph::open("path9");
  std::optional<solver> search(std::in_place, counted.handle, graph);
  const solve_options keep{.configurations = {""}, .keep_on_device = true};
  auto first = std::make_unique<solution>(search->solve(0, keep));
  const void* const place = first->device_distances().data;
  CHECK(allocations() == 1);
  auto second = std::make_unique<solution>(search->solve(1, keep));
  CHECK(allocations() == 2);
  first.reset();
  for (int i = 0; i < 3; ++i) CHECK(search->solve(2, keep).device_distances().data != second->device_distances().data);
  CHECK(allocations() <= 3);
  const unsigned before = allocations();
  CHECK(search->solve(2, keep).device_distances().count == graph.vertex_count());
  CHECK(allocations() == before);
  CHECK(place != nullptr);

  // The solver and the device may be destroyed before the answer.
  const std::vector<double> right = distances_of(*second, graph.vertex_count());
  search.reset();
  CHECK(read_back(counted.handle, second->device_distances()) == right);
  second.reset();
}

TEST_CASE("a too large float distance differs from unreached") {
  const device simulated = simulator();
  const graph::csr_graph chain = problems::tests::chain_to_infinity();
  caller_rows memory(simulated);
  const digraph graph = digraph::from_device(simulated, memory.upload(chain, 32, caller_rows::layout::pairs));
  solver search(simulated, graph);
  const vertex last = chain.vertex_count() - 1;  // reaches nothing
  CHECK(read_back(simulated, search.solve(last, options_with("", true)).device_distances()) ==
        distances_of(chain, last));
  CHECK_THROWS_WITH(search.solve(0, options_with("", true)), Contains("too large for float32"));
  CHECK_THROWS_WITH(search.solve(0, options_with("")), Contains("too large for float32"));
  std::vector<float> out(chain.vertex_count());
  CHECK_THROWS_WITH(search.solve_into(0, out, options_with("")), Contains("too large for float32"));
}

namespace {

/// Returns 0 - 1 - 2 with lengths that float32 cannot hold, and a vertex without incoming edges.
digraph tenths() { return digraph::from_rows({0, 1, 2, 2, 2}, {1, 2}, std::vector<double>{0.1, 0.7}, "tenths"); }
const std::vector<double> right_tenths = {0, 0.1, 0.1 + 0.7, std::numeric_limits<double>::infinity()};

}  // namespace

TEST_CASE("distances of 8 bytes stay on the device, or are written to the caller's memory") {
  const device simulated = simulator();
  solver search(simulated, tenths());
  const solution answer = search.solve(0, {.keep_on_device = true});
  CHECK(answer.times().download == 0);
  const device_array array = answer.device_distances();
  CHECK(array.type == number_type::float64);
  REQUIRE(array.count == right_tenths.size());
  std::vector<double> distances(array.count);
  simulated.read(distances.data(), array.data, distances.size() * sizeof distances[0]);
  CHECK(distances == right_tenths);
  // They are copied to the host on request.
  CHECK(std::ranges::equal(answer.distances_float64(), right_tenths));
  CHECK(answer.check().empty());
  CHECK(answer.path(2) == std::vector<vertex>{0, 1, 2});
  CHECK(answer.path(3).empty());

  for (const char* const name : {"simt", "cpu:2"}) {
    solver into(std::string_view(name) == "simt" ? simulator() : device(name), tenths());
    std::vector<double> out(right_tenths.size(), 12345);
    static_cast<void>(into.solve_into(0, out));
    CHECK(out == right_tenths);
    std::vector<float> narrow(right_tenths.size());
    CHECK_THROWS_WITH(into.solve_into(0, narrow), Contains("the distances of tenths are float64"));
    CHECK_THROWS_WITH(into.solve_into(0, std::span(out).first(2)), Contains("an array of 2 distances"));
  }
}

TEST_CASE("blocks of distances of 8 bytes stay on the device") {
  const device simulated = simulator();
  solver search(simulated, tenths());
  for (const std::vector<vertex>& targets : {std::vector<vertex>{}, std::vector<vertex>{2, 3}}) {
    std::size_t rows = 0;
    const batch_summary done = search.solve_many(
        std::vector<vertex>{0, 1, 0},
        {.targets = targets, .memory_bytes = 2 * 4 * sizeof(double), .keep_on_device = true},
        [&](const distance_rows& block) {
          REQUIRE(block.on_device != nullptr);
          CHECK(block.type == number_type::float64);
          CHECK(block.float64.empty());
          std::vector<double> numbers(block.rows * block.columns);
          std::memcpy(numbers.data(), block.on_device, numbers.size() * sizeof numbers[0]);
          for (std::size_t i = 0; i < block.rows; ++i) {
            for (std::size_t k = 0; k < block.columns; ++k) {
              const std::size_t v = targets.empty() ? k : targets[k];
              const double from_1 = v == 1 ? 0 : v == 2 ? 0.7 : std::numeric_limits<double>::infinity();
              CHECK(numbers[i * block.columns + k] == (block.first + i == 1 ? from_1 : right_tenths[v]));
            }
          }
          rows += block.rows;
        });
    CHECK(rows == 3);
  }
}

TEST_CASE("distances are written to the caller's memory") {
  for (const char* const name : {"simt", "cpu:2"}) {
    const device target = std::string_view(name) == "simt" ? simulator() : device(name);
    for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
      const graph::csr_graph csr = small_graph(type);
      const digraph graph = detail::digraph_of(csr, "tested");
      solver search(target, graph);
      const std::vector<double> right = distances_of(csr, 7);
      std::vector<std::uint32_t> whole(csr.vertex_count(), 12345);
      std::vector<float> floats(csr.vertex_count(), 12345);
      if (type == graph::weight_type::uint32) {
        const search_summary summary = search.solve_into(7, whole);
        CHECK(summary.choice.device == name);
        CHECK(summary.times.solve > 0);
        for (std::size_t v = 0; v < right.size(); ++v) {
          REQUIRE(right[v] == graph::distance_value(type, whole[v]));
        }
        CHECK_THROWS_WITH(search.solve_into(7, floats), Contains("the distances of tested are uint32"));
        CHECK_THROWS_WITH(search.solve_into(7, std::span(whole).first(3)), Contains("an array of 3 distances"));
        CHECK_THROWS_WITH(search.solve_into(7, whole, {.keep_on_device = true}), Contains("cannot both"));
        CHECK(search.solve_into(7, whole, {.configurations = {}, .counters = true}).counters.size() > 1);
      } else {
        static_cast<void>(search.solve_into(7, floats));
        for (std::size_t v = 0; v < right.size(); ++v) REQUIRE(right[v] == static_cast<double>(floats[v]));
        CHECK_THROWS_WITH(search.solve_into(7, whole), Contains("the distances of tested are float32"));
      }
    }
  }
  const digraph graph = digraph::open("path9");
  solver processors(device("cpu:1"), graph);
  CHECK_THROWS_WITH(processors.solve(0, {.keep_on_device = true}), Contains("processors have no memory of their own"));
  int stream = 0;
  CHECK_THROWS_WITH(processors.solve(0, {.stream = &stream}), Contains("has no streams"));
  CHECK_THROWS_WITH(processors.solve_many(std::vector<vertex>{0}, {.keep_on_device = true}),
                    Contains("processors have no memory of their own"));
}

TEST_CASE("blocks of many searches stay on the device, and share the rows of single ones") {
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    watched counted;
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    solver search(counted.handle, graph);
    (void)search.solve(0);
    const std::vector<vertex> sources{0, 5, 9, 11, 60};
    const std::vector<vertex> targets{3, 100, 0};
    for (const bool has_targets : {false, true}) {
      const std::size_t columns = has_targets ? targets.size() : csr.vertex_count();
      batch_options options{.memory_bytes = 2 * columns * 4, .keep_on_device = true};
      if (has_targets) options.targets = targets;
      std::size_t rows = 0;
      const batch_summary summary = search.solve_many(sources, options, [&](const distance_rows& block) {
        REQUIRE(block.on_device != nullptr);
        CHECK(block.uint32.empty());
        CHECK(block.float32.empty());
        CHECK(block.first == rows);
        CHECK_THROWS_AS(block.at(0, 0), input_error);
        std::vector<std::uint32_t> words(block.rows * block.columns);
        // This copies from the device directly: a simulated device uses host memory.
        std::memcpy(words.data(), block.on_device, words.size() * sizeof words[0]);
        for (std::size_t i = 0; i < block.rows; ++i, ++rows) {
          const std::vector<double> right = distances_of(csr, sources[rows]);
          for (std::size_t j = 0; j < block.columns; ++j) {
            const std::uint32_t word = words[i * block.columns + j];
            const double distance = block.type == number_type::float32 ? static_cast<double>(std::bit_cast<float>(word))
                                                                       : graph::distance_value(type, word);
            REQUIRE(distance == right[has_targets ? targets[j] : j]);
          }
        }
      });
      CHECK(rows == sources.size());
      CHECK(summary.times.download == 0);
    }
    CHECK(counted.counts.allocations["the edges of tested"] == 1);
    CHECK(counted.counts.allocations["the row starts of tested"] == 1);
  }
}

TEST_CASE("functions that a search calls may drop handles of the device, and search between blocks") {
  const device simulated = simulator();
  const digraph graph = digraph::open("path9");
  solver search(simulated, graph);
  std::optional<solver> other(std::in_place, simulated, graph);
  auto answer = std::make_unique<solution>(other->solve(0, options_with("", true)));
  unsigned calls = 0;
  search.solve_many(std::vector<vertex>{0}, {}, [&](const distance_rows&) {
    ++calls;
    other.reset();
    answer.reset();
    CHECK(search.solve(0).distance(0) == 0);
  });
  CHECK(calls == 1);
  CHECK(search.solve(0).distance(0) == 0);
}

TEST_CASE("paths lead along edges whose weights add up to the distance") {
  const device processors("cpu:1");
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    solver search(processors, graph);
    const solution answer = search.solve(graph.default_source());
    CHECK(answer.path(graph.default_source()) == std::vector<vertex>{graph.default_source()});
    std::vector<std::vector<std::vector<vertex>>> by_thread(2);
    {
      std::vector<std::jthread> threads;
      for (auto& mine : by_thread) {
        threads.emplace_back([&] {
          for (vertex v = 0; v < csr.vertex_count(); ++v) mine.push_back(answer.path(v));
        });
      }
    }
    CHECK(by_thread[0] == by_thread[1]);
    unsigned unreached = 0;
    for (vertex v = 0; v < csr.vertex_count(); ++v) {
      const std::vector<vertex>& path = by_thread[0][v];
      if (std::isinf(answer.distance(v))) {
        ++unreached;
        REQUIRE(path.empty());
        continue;
      }
      REQUIRE(path.front() == answer.source());
      REQUIRE(path.back() == v);
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        bool is_edge = false;
        for (std::size_t e = csr.offsets()[path[i]]; e < csr.offsets()[path[i] + std::size_t{1}]; ++e) {
          is_edge = is_edge || (csr.targets()[e] == path[i + 1] &&
                                answer.distance(path[i]) + csr.weight(e) == answer.distance(path[i + 1]));
        }
        REQUIRE(is_edge);
      }
    }
    CHECK(unreached > 0);
    CHECK_THROWS_AS(answer.path(csr.vertex_count()), input_error);
  }
}
