// SPDX-License-Identifier: Apache-2.0
// Solvers with several devices: each request is answered as by one device.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "library/device_shares.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

constexpr const char* several = "cpu:1,simt:1x8,simt:1x9";

std::vector<vertex> all_vertices(const digraph& graph) {
  std::vector<vertex> vertices(graph.vertex_count());
  std::iota(vertices.begin(), vertices.end(), vertex{0});
  return vertices;
}

std::vector<double> matrix_of(solver& searches, std::span<const vertex> sources, const batch_options& options = {}) {
  std::vector<double> values(sources.size() * searches.solve(0).distances_uint32().size());
  std::set<std::size_t> rows;
  (void)searches.solve_many(sources, options, [&](const distance_rows& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      CHECK(rows.insert(block.first + i).second);
      for (std::size_t j = 0; j < block.columns; ++j) values[(block.first + i) * block.columns + j] = block.at(i, j);
    }
  });
  CHECK(rows.size() == sources.size());
  return values;
}

}  // namespace

TEST_CASE("several devices answer every request as one does") {
  const digraph graph = digraph::open("road8");
  const std::vector<vertex> vertices = all_vertices(graph);
  solver shared(device(several), graph);
  solver alone(device("cpu:1"), graph);
  const batch_summary summary = shared.solve_many(vertices);
  CHECK(summary.digest == alone.solve_many(vertices).digest);
  CHECK(summary.searches == vertices.size());
  REQUIRE(summary.devices.size() == 3);
  std::size_t searches = 0;
  for (const device_share& share : summary.devices) searches += share.searches;
  CHECK(searches == vertices.size());
  CHECK(matrix_of(shared, vertices) == matrix_of(alone, vertices));
  CHECK(matrix_of(shared, std::vector<vertex>{5, 5, 3}) == matrix_of(alone, std::vector<vertex>{5, 5, 3}));
  (void)shared.upload();
  CHECK(shared.resident());
  for (const bool has_few_sources : {false, true}) {
    betweenness_options options{.normalized = true, .check = true};
    if (has_few_sources) options.samples = 2;
    std::size_t progress = 0;
    const betweenness_scores scores = shared.betweenness(options, [&](const betweenness_progress& now) {
      progress = now.sources_done;
      return true;
    });
    CHECK(progress == scores.sources);
    const betweenness_scores right = alone.betweenness(options);
    // Solvers round differently, and the shares vary.
    for (std::size_t v = 0; v < scores.values.size(); ++v) CHECK(scores.values[v] == Approx(right.values[v]));
    CHECK(scores.times.solve > 0);
  }

  const std::vector<reduction> reductions{reduction::closeness(), reduction::nearest({7, 9}, 2)};
  const reduced_searches reduced = shared.reduce(vertices, reductions, {.check = true});
  const reduced_searches expected = alone.reduce(vertices, reductions);
  for (std::size_t i = 0; i < reductions.size(); ++i) CHECK(reduced.tables[i].values == expected.tables[i].values);

  std::vector<vertex> sources;
  std::vector<vertex> targets;
  for (std::size_t i = 0; i < 500; ++i) {
    sources.push_back(vertices[i * 37 % vertices.size()]);
    targets.push_back(vertices[i * i % vertices.size()]);
  }
  const pair_distances pairs = shared.solve_pairs(sources, targets);
  CHECK(pairs.distances == alone.solve_pairs(sources, targets).distances);
  CHECK(pairs.summary.searches == std::set(sources.begin(), sources.end()).size());
  std::vector<std::uint32_t> quantities(graph.edge_count());
  std::iota(quantities.begin(), quantities.end(), 1U);
  const path_sums sums = shared.sum_pair_paths(sources, targets, quantities);
  CHECK(sums.distances == pairs.distances);
  CHECK(sums.sums == alone.sum_pair_paths(sources, targets, quantities).sums);
  CHECK(shared.sum_matrix_paths(std::span(sources).first(20), std::span(targets).first(9), quantities).sums ==
        alone.sum_matrix_paths(std::span(sources).first(20), std::span(targets).first(9), quantities).sums);

  std::vector<std::uint32_t> weights(graph.edge_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::uint32_t>(1 + i * 7 % 13);
  shared.update_weights(weights);
  alone.update_weights(weights);
  CHECK(matrix_of(shared, vertices) == matrix_of(alone, vertices));
  CHECK(shared.solve(3).check().empty());
  CHECK(shared.betweenness().sources == alone.betweenness().sources);
}

TEST_CASE("the handle of several devices lists them, and what runs on one device refuses it") {
  const device group(several);
  CHECK(group.facts().selector == several);
  CHECK(group.facts().modelled);
  std::vector<std::string> selectors;
  for (const device& member : group.members()) selectors.push_back(member.facts().selector);
  CHECK(selectors == std::vector<std::string>{"cpu:1", "simt:1x8", "simt:1x9"});
  CHECK(device("cpu:1").members().size() == 1);
  CHECK_THROWS_WITH(group.allocate(8), Contains("one device"));
  CHECK_THROWS_WITH(phold_simulator(group, {.entities = 64}), Contains("phold runs on one device"));
  const digraph graph = digraph::open("road6");
  solver shared(group, graph);
  const std::vector<vertex> sources = all_vertices(graph);
  CHECK_THROWS_WITH(shared.solve_many(sources, {.keep_on_device = true}), Contains("several devices"));
  CHECK_THROWS_WITH(shared.solve_many(sources, {.searches_together = 0}), Contains("at least 1"));
}

TEST_CASE("the weights of several devices change on all of them or on none") {
  const digraph graph = digraph::open("road8");
  const std::vector<vertex> vertices = all_vertices(graph);
  const std::vector<std::uint32_t> weights(graph.edge_count(), 7);
  solver shared(device(several), graph);
  const std::vector<double> former = matrix_of(shared, vertices);
  for (int round = 0; round < 5; ++round) {
    std::size_t calls = 0;
    (void)shared.solve_many(std::vector<vertex>{0, 1, 2}, {}, [&](const distance_rows&) {
      // Meanwhile other devices take the other searches, and the device of the previous call finishes.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (++calls < 2) return;
      CHECK_THROWS_WITH(shared.update_weights(weights), Contains("weights cannot change"));
    });
  }
  CHECK(matrix_of(shared, vertices) == former);

  detail::shared_requests requests;
  std::promise<void> begun;
  std::atomic<bool> has_ended = false;
  const std::jthread other([&] {
    const detail::shared_requests::request request(requests, false);
    begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    has_ended = true;
  });
  begun.get_future().wait();
  const detail::shared_requests::change change(requests);
  CHECK(has_ended);
  std::stop_source stop;
  stop.request_stop();
  const stop_scope scope(stop.get_token());
  CHECK_THROWS_AS(detail::shared_requests::request(requests, true), stopped_error);
}

TEST_CASE("a failure of one device ends the searches of all, and the solver stays usable") {
  const digraph graph = digraph::open("road8");
  const std::vector<vertex> vertices = all_vertices(graph);
  solver shared(device(several), graph);
  const auto fail = [](const distance_rows&) { throw std::runtime_error("the disk is full"); };
  CHECK_THROWS_WITH(shared.solve_many(vertices, {}, fail), "the disk is full");
  std::stop_source stop;
  stop.request_stop();
  {
    const stop_scope scope(stop.get_token());
    CHECK_THROWS_AS(shared.solve_many(vertices), stopped_error);
  }
  CHECK(shared.solve_many(vertices).digest == solver(device("cpu:1"), graph).solve_many(vertices).digest);
}

TEST_CASE("shares consist of whole units and cover all searches once") {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"a", "a", "a"}, std::vector<std::string>{"a", "b"}}) {
    for (const std::size_t searches : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{12'345}}) {
      for (const std::size_t unit : {std::size_t{1}, std::size_t{7}, std::size_t{20'000}}) {
        CAPTURE(names, searches, unit);
        std::mutex mutex;
        std::vector<int> covered(searches, 0);
        detail::share_searches(names, searches, unit, [&](std::size_t device, const detail::search_range& part) {
          const std::lock_guard lock(mutex);
          CHECK(device < names.size());
          CHECK(part.first % unit == 0);
          CHECK((part.count % unit == 0 || part.first + part.count == searches));
          for (std::size_t i = 0; i < part.count; ++i) ++covered.at(part.first + i);
        });
        CHECK(covered == std::vector<int>(searches, 1));
      }
    }
  }
}
