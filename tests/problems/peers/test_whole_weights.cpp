// SPDX-License-Identifier: Apache-2.0
// Decimal weights as integers: the chosen factor, and the results of peers that read integers only.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/peers/peer.hpp"
#include "problems/peers/peer_task.hpp"
#include "problems/peers/whole_weights.hpp"

using namespace mlmq;
using namespace mlmq::peers;
using Catch::Matchers::Contains;

namespace {

/// Returns 0 -> 1 -> 2 -> … with these weights.
template <class Weight>
graph::csr_graph path_with(const std::vector<Weight>& weights) {
  std::vector<graph::edge_offset> offsets;
  std::vector<graph::vertex_id> targets;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    offsets.push_back(v);
    targets.push_back(static_cast<graph::vertex_id>(v + 1));
  }
  offsets.insert(offsets.end(), 2, weights.size());
  return {offsets, targets, weights};
}

/// Returns the factor, followed by the scaled weights; empty if there is no factor.
template <class Weight>
std::vector<std::uint32_t> scaled(const std::vector<Weight>& weights) {
  const std::optional<scaled_graph> result = with_whole_weights(path_with(weights));
  if (!result) return {};
  std::vector<std::uint32_t> numbers = {result->factor};
  for (graph::edge_offset edge = 0; edge < result->graph.edge_count(); ++edge) {
    numbers.push_back(static_cast<std::uint32_t>(result->graph.weight(edge)));
  }
  return numbers;
}

using numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("the smallest factor without a loss is taken") {
  CHECK(scaled<float>({3, 0, 7}) == numbers{1, 3, 0, 7});
  CHECK(scaled<float>({0.5F, 2, 1.5F}) == numbers{2, 1, 4, 3});
  CHECK(scaled<float>({0.1F, 2.3F, 0.5F}) == numbers{10, 1, 23, 5});
  CHECK(scaled<float>({0.25F, 1.75F}) == numbers{4, 1, 7});
  CHECK(scaled<float>({0.125F, 12.34F}) == numbers{1000, 125, 12340});
  CHECK(scaled<double>({0.1, 1234567.89}) == numbers{100, 10, 123456789});
  CHECK(scaled<float>({1.0F / (1 << 20)}) == numbers{1 << 20, 1});
  CHECK(scaled<std::uint32_t>({7, 0xFFFFFFFDU}) == numbers{1, 7, 0xFFFFFFFDU});
}

TEST_CASE("without such a factor there is none") {
  CHECK(scaled<float>({1.0F / 3}).empty());          // more digits than float32 can represent reliably
  CHECK(scaled<float>({0.1F, 123456.7F}).empty());   // 7 digits
  CHECK(scaled<double>({0.1, 1e9 + 0.1}).empty());   // above 2^31 after the multiplication
  CHECK(scaled<float>({1.0F / (1 << 21)}).empty());  // a smaller power of two than the smallest that is tried
  CHECK(scaled<float>({4294967296.0F}).empty());     // too large for 31 bits
}

TEST_CASE("a peer that reads whole weights gets decimal ones times a factor") {
  const temporary_folder folder("peers");
  const std::string copy = (folder.path() / "read.gr").string();
  // The script keeps the file that it reads, and prints the sum and the largest of the distances, times 100.
  const std::string text =
      "peers:\n"
      "  - name: galois\n    device: cpu\n    program: sh\n    format: galois\n    warmup: 0\n    delta: [2]\n"
      "    command: ['{program}', -c, 'cp \"$0\" " +
      copy +
      "; echo time 1 delta $1; echo sum 212; echo max 187', "
      "'{graph}', '{delta}']\n"
      "    time: {pattern: 'time ([0-9.]+)', unit: ms}\n    work: 'delta ([0-9]+)'\n"
      "    answer: {sum: 'sum ([0-9]+)', largest: 'max ([0-9]+)'}\n"
      "  - name: dimacs\n    device: cpu\n    program: sh\n    format: dimacs\n    warmup: 0\n"
      "    command: ['{program}', -c, 'exit 9', '{graph}']\n"
      "    time: {pattern: 'time ([0-9.]+)', unit: ms}\n    answer: {sum: 'sum ([0-9]+)'}\n";
  std::vector<peer> programs = parse_peers(text, "fake.yaml");
  for (peer& program : programs) REQUIRE(locate(program).empty());
  const auto run = [&](const graph::csr_graph& searched, const std::string& name) {
    problems::graph_workload workload;
    workload.graph = searched;
    workload.record = problems::record_of(searched, "decimals", "");
    const auto program = std::ranges::find(programs, name, &peer::name);
    return run_peer(*program, *search_task(workload, {{"source", "0"}}, false), {},
                    name == "galois" ? parameters_with(2) : tuner::configuration());
  };
  for (const graph::csr_graph& searched :
       {path_with<float>({0.25F, 1.62F}), path_with<double>({0.25, 1.62}), path_with<std::uint32_t>({25, 162})}) {
    CAPTURE(graph::name_of(searched.weights()));
    const db::trial_result result = run(searched, "galois");
    CHECK(result.message.empty());
    CHECK(result.result == db::outcome::ok);
    // Δ is also in units of the scaled weights: 2 * 93.5.
    CHECK(result.counters == std::vector<std::pair<std::string, double>>{{"pops", 187}});
    const graph::csr_graph read = graph::read_graph(copy);
    CHECK(read.weight(0) == 25);
    CHECK(read.weight(1) == 162);
  }
  const db::trial_result refused = run(path_with<float>({1.0F / 3, 1}), "galois");
  CHECK(refused.result == db::outcome::constraint);
  CHECK_THAT(refused.message, Contains("no factor turns these into whole numbers"));
  const db::trial_result wide = run(path_with<double>({0.25, 1.62}), "dimacs");
  CHECK(wide.result == db::outcome::constraint);
  CHECK_THAT(wide.message, Contains("not with float64"));
  CHECK(run(path_with<std::uint32_t>({25, 162}), "dimacs").result == db::outcome::crashed);
}
