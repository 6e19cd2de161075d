// SPDX-License-Identifier: Apache-2.0
// Weights of 8 bytes: read, converted, written, hashed, checked.
#include <catch2/catch.hpp>
#include <fstream>
#include <limits>

#include "graph/builder.hpp"
#include "graph/check.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "graph/reference.hpp"
#include "graph/weight_traits.hpp"
#include "support.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Contains;

/// A number with more digits than a float32 holds.
constexpr double fine = 0.1234567890123;

std::filesystem::path write(const scratch_folder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path file = folder.path() / name;
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("every text format can be read as float64") {
  const scratch_folder folder;
  const std::vector<std::filesystem::path> files = {
      write(folder, "a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.1234567890123\n2 3 7\n"),
      write(folder, "a.gr", "p sp 3 2\na 1 2 0.1234567890123\na 2 3 7\n"),
      write(folder, "a.el", "1 2 0.1234567890123\n2 3 7\n")};
  for (const auto& file : files) {
    CAPTURE(file.string());
    const csr_graph wide = read_graph(file, {.weight_type = weight_type::float64});
    CHECK(wide.weights() == weight_type::float64);
    CHECK(weights_of(wide) == weight_list{fine, 7});
    const csr_graph narrow = read_graph(file);
    CHECK(narrow.weights() == weight_type::float32);
    CHECK(narrow.weight(0) != fine);
    CHECK(narrow.weight(0) == static_cast<double>(static_cast<float>(fine)));
    CHECK(graph_hash(wide) != graph_hash(narrow));
    CHECK(same_graph(narrow, read_graph(file, {.weight_type = weight_type::float32})));
    CHECK_THAT(error_of([&] { return read_graph(file, {.weight_type = weight_type::uint32}); }),
               Contains(file.filename().string()) && Contains("is not a whole number"));
  }
  // Whole numbers, drawn weights, and numbers that neither float32 nor uint32 can hold.
  const auto whole = write(folder, "w.el", "1 2 5000000001\n2 3 3\n");
  CHECK(weights_of(read_graph(whole, {.weight_type = weight_type::float64})) == weight_list{5000000001.0, 3});
  CHECK(read_graph(whole, {.weight_type = weight_type::float32}).weights() == weight_type::float32);
  CHECK_THAT(error_of([&] { return read_graph(whole, {.weight_type = weight_type::uint32}); }), Contains("too large"));
  const auto none = write(folder, "n.el", "1 2\n2 3\n");
  CHECK(weights_of(read_graph(none, {.weight_type = weight_type::float64})) == weights_of(read_graph(none)));
  const auto large = write(folder, "l.el", "1 2 1e300\n2 3 1e-320\n3 4 1e-400\n");
  CHECK(weights_of(read_graph(large, {.weight_type = weight_type::float64})) == weight_list{1e300, 1e-320, 0});
  CHECK_THAT(error_of([&] { return read_graph(large); }), Contains("too large for a 32-bit float"));
  const auto larger = write(folder, "m.el", "1 2 1e309\n");
  CHECK_THAT(error_of([&] { return read_graph(larger, {.weight_type = weight_type::float64}); }),
             Contains("too large for a 64-bit float"));
  const auto negative = write(folder, "s.el", "1 2 -0.5\n2 3 -0.0\n");
  CHECK_THAT(error_of([&] { return read_graph(negative, {.weight_type = weight_type::float64}); }),
             Contains("negative"));
  const csr_graph absolute = read_graph(negative, {.absolute_weights = true, .weight_type = weight_type::float64});
  CHECK(weights_of(absolute) == weight_list{0.5, 0});
  CHECK(absolute.negated_weights() == 1);
}

TEST_CASE("float64 weights survive writing and reading bit for bit") {
  const scratch_folder folder;
  const csr_graph graph({0, 3, 3}, {1, 1, 0}, std::vector<double>{fine, 5e-324, 1e300});
  for (const char* const name : {"a.mtx", "a.el", "b.gr"}) {
    const auto file = folder.path() / name;
    const std::string note = write_graph(graph, file, name[0] == 'b' ? file_format::dimacs : file_format::automatic);
    CHECK_THAT(note, Contains("--weights float64"));
    CHECK(weights_of(read_graph(file, {.weight_type = weight_type::float64})) == weights_of(graph));
  }
  CHECK_THAT(error_of([&] { return write_graph(graph, folder.path() / "c.gr", file_format::galois); }),
             Contains("integer weights only"));
}

TEST_CASE("weights change their type where nothing is lost that was there to keep") {
  const csr_graph whole = generate_named("road6").graph;
  const csr_graph wide = with_weight_type(whole, weight_type::float64);
  CHECK(weights_of(wide) == weights_of(whole));
  CHECK(targets_of(wide) == targets_of(whole));
  CHECK(same_graph(with_weight_type(wide, weight_type::float64), wide));
  CHECK(same_graph(with_weight_type(wide, weight_type::float32), with_weight_type(whole, weight_type::float32)));
  CHECK_THAT(error_of([&] { return with_weight_type(wide, weight_type::uint32); }), Contains("whole numbers"));
  const csr_graph huge({0, 1, 1}, {1}, std::vector<double>{1e300});
  CHECK_THAT(error_of([&] { return with_weight_type(huge, weight_type::float32); }), Contains("too large for float32"));
  CHECK_THROWS(wide.weight_bits());
  CHECK_THROWS(whole.wide_weight_bits());
  CHECK(weight_type_from("float64") == weight_type::float64);
  CHECK_THAT(error_of([] { return weight_type_from("float46"); }), Contains("float64"));
  // Rows are sorted and merged by weight.
  edge_list edges;
  edges.type = weight_type::float64;
  for (const double weight : {2.0, fine, 1.0}) {
    edges.sources.push_back(0);
    edges.targets.push_back(1);
    edges.wide_weight_bits.push_back(std::bit_cast<std::uint64_t>(weight));
  }
  CHECK(weights_of(build_csr(2, edges, {.symmetric = true, .merge_duplicates = true})) == weight_list{fine, fine});
}

TEST_CASE("the features of float64 are those of the same numbers as float32") {
  const csr_graph floats = with_weight_type(generate_named("road10").graph, weight_type::float32);
  const feature_values right = all_features(floats);
  const feature_values values = all_features(with_weight_type(floats, weight_type::float64));
  REQUIRE(values.size() == right.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == right[i]);
  const csr_graph huge({0, 1, 1}, {1}, std::vector<double>{1e300});
  CHECK(pass_features(run_feature_pass(huge)).at(7) == 1e300);
}

TEST_CASE("the check of distances of 8 bytes finds an error in the last bit") {
  const csr_graph graph({0, 2, 3, 3}, {1, 2, 2}, std::vector<double>{fine, 1, 0.25});
  std::vector<wide_distance_bits> distances = wide_dijkstra(graph, 0);
  CHECK(distance_value(distances[2]) == fine + 0.25);
  CHECK(check_distances(graph, 0, distances).ok);
  for (const wide_distance_bits change : {wide_distance_bits{1}, ~wide_distance_bits{0}}) {
    std::vector<wide_distance_bits> wrong = distances;
    wrong[2] += change;  // changes the distance by one unit in the last place
    CHECK_FALSE(check_distances(graph, 0, wrong).ok);
  }
  const std::vector<distance_bits> narrow(3, 0);
  CHECK_FALSE(check_distances(graph, 0, narrow).ok);
  CHECK_FALSE(has_saturated(distances));
  distances[1] = std::bit_cast<wide_distance_bits>(std::numeric_limits<double>::infinity());
  CHECK(has_saturated(distances));
}
