// SPDX-License-Identifier: Apache-2.0
// A wrong distance is found at any position and by every way of comparing answers.
#include <catch2/catch.hpp>
#include <vector>

#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/reference.hpp"
#include "problems/shortest_paths/checks/answer_check.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::answer_check;

constexpr graph::vertex_id length = 3000;

/// Returns a path with an alternative route, and a vertex without incoming edges.
graph::csr_graph path() {
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v + 1 < length; ++v) edges.add(v, v + 1, 1 + v % 5);
  edges.add(length - 1, 0, 3);
  return graph::build_csr(length + 1, edges);
}

}  // namespace

TEST_CASE("a right answer is right again, and a wrong word is found at both ends and in the middle") {
  const graph::csr_graph graph = path();
  for (const auto location : {answer_check::place::host, answer_check::place::device}) {
    CAPTURE(location == answer_check::place::device);
    const auto real = open_simulator();
    tampered_device device(*real);
    const auto distances = real->allocate(graph.vertex_count() * sizeof(graph::distance_bits), "distances");
    const auto answer = [&](graph::vertex_id source) { return graph::dijkstra(graph, source); };
    const auto put = [&](const std::vector<graph::distance_bits>& values) {
      real->upload(distances, values.data(), distances.bytes());
    };
    answer_check check(device, graph, distances, location);
    put(answer(0));
    CHECK(check(0) == "");
    CHECK(device.launches == 0);
    CHECK(check(0) == "");
    CHECK(device.launches == (location == answer_check::place::device ? 1 : 0));
    for (const graph::vertex_id wrong : {graph::vertex_id{0}, graph::vertex_id{1}, length / 2, length - 1, length}) {
      CAPTURE(wrong);
      auto values = answer(0);
      values[wrong] += values[wrong] == graph::unreached ? ~0U : 1U;
      put(values);
      CHECK(check(0) != "");
      put(answer(0));
      CHECK(check(0) == "");
    }
    // The answer for one source is wrong for another.
    CHECK(check(7) != "");
    put(answer(7));
    CHECK(check(7) == "");
    CHECK(check(7) == "");
    CHECK(check(0) != "");
    const auto expected = answer(7);
    CHECK(std::get<uninitialized_vector<graph::distance_bits>>(check.download()) ==
          uninitialized_vector<graph::distance_bits>(expected.begin(), expected.end()));
  }
}

TEST_CASE("without room for a second answer answers are compared on the host") {
  const graph::csr_graph graph = path();
  const auto real = open_simulator();
  tampered_device device(*real);
  const auto distances = real->allocate(graph.vertex_count() * sizeof(graph::distance_bits), "distances");
  const auto right = graph::dijkstra(graph, 0);
  real->upload(distances, right.data(), distances.bytes());
  device.full_for = "a proven answer";
  answer_check check(device, graph, distances, answer_check::place::device);
  CHECK(check(0) == "");
  CHECK(check(0) == "");
  CHECK(device.launches == 0);
  auto wrong = right;
  ++wrong.back();
  real->upload(distances, wrong.data(), distances.bytes());
  CHECK(check(0) != "");
}
