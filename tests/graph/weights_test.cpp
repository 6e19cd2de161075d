// SPDX-License-Identifier: Apache-2.0
// The weights that a graph may have in each format: negative weights and the largest.
#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "graph/check.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "graph/reference.hpp"
#include "graph/weight_rule.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

struct text_format {
  std::string name;
  std::string before;  ///< text before the weight of the edge from the first to the second of three vertices
  std::string after;   ///< text after the weight; the second edge has weight 7
};

const std::vector<text_format> text_formats = {
    {"a.gr", "p sp 3 2\na 1 2 ", "\na 2 3 7\n"},
    {"a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 ", "\n2 3 7\n"},
    {"r.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 ", "\n2 3 7\n"},
    {"a.wel", "# three\n0 1 ", "\n1 2 7\n"},
};

std::string galois(std::initializer_list<std::int32_t> weights) {
  return bytes_of<std::uint64_t>({1, 4, 3, 2, 1, 2, 2}) + bytes_of<std::uint32_t>({1, 2}) +
         bytes_of<std::int32_t>(weights);
}

std::string text_with(const text_format& format, std::string_view weight) {
  return std::string(format.before).append(weight).append(format.after);
}

std::string line_of_weight(const text_format& format) {
  const auto lines = std::count(format.before.begin(), format.before.end(), '\n');
  return std::string(":").append(std::to_string(lines + 1)).append(": ");
}

}  // namespace

TEST_CASE("a negative weight is refused in every format, with its place and the option that takes it") {
  const scratch_folder folder;
  for (const text_format& format : text_formats) {
    for (const char* const weight : {"-5", "-0.5", "-1e3", "-4294967295"}) {
      const auto file = folder.write(format.name, text_with(format, weight));
      INFO(file << " " << weight);
      CHECK_THAT(error_of([&] { return read_graph(file); }),
                 Contains(format.name + line_of_weight(format) + "weight '" + weight + "' is negative") &&
                     Contains("--negative-weights absolute"));
      CHECK_NOTHROW(read_graph(file, {.ignore_weights = true}));
    }
    for (const char* const zero : {"-0", "-0.0", "0"}) {
      const csr_graph graph = read_graph(folder.write(format.name, text_with(format, zero)));
      CHECK((graph.weight(0) == 0 && graph.negated_weights() == 0));
    }
  }
  const auto file = folder.write("b.gr", galois({7, -5}));
  CHECK_THAT(
      error_of([&] { return read_graph(file); }),
      Contains("b.gr: byte 68: edge 1 has weight -5, which is negative") && Contains("--negative-weights absolute"));
  CHECK_NOTHROW(read_graph(file, {.ignore_weights = true}));
}

TEST_CASE("absolute values of negative weights are an option, are counted, and make another graph") {
  const scratch_folder folder;
  const auto check = [&](const std::filesystem::path& negative, const std::filesystem::path& positive) {
    INFO(negative);
    std::vector<std::string> notes;
    const csr_graph graph = read_graph(negative, {.absolute_weights = true, .undirected = false}, &notes);
    const csr_graph other = read_graph(positive, {.absolute_weights = true, .undirected = false});
    CHECK(graph.negated_weights() == 1);
    CHECK(notes ==
          std::vector<std::string>{negative.string() + ": negative weights: 1, taken as their absolute values"});
    CHECK(same_graph(graph, other));
    CHECK(graph_hash(graph) != graph_hash(other));
    CHECK(graph_hash(other) == graph_hash(read_graph(positive)));
    CHECK(graph_hash(with_weight_type(graph, weight_type::float32)) !=
          graph_hash(with_weight_type(other, weight_type::float32)));
    // Drawn weights do not come from the file.
    const weight_rule drawn{.distribution = weight_distribution::uniform, .seed = 1};
    CHECK(graph_hash(with_drawn_weights(graph, drawn)) == graph_hash(with_drawn_weights(other, drawn)));
  };
  for (const text_format& format : text_formats) {
    for (const auto& [negative, positive] : {std::pair("-5", "5"), std::pair("-0.5", "0.5")}) {
      check(folder.write(std::string("negative-").append(format.name), text_with(format, negative)),
            folder.write(format.name, text_with(format, positive)));
    }
  }
  check(folder.write("nb.gr", galois({7, -5})), folder.write("b.gr", galois({7, 5})));
}

TEST_CASE("a skew-symmetric matrix has a negative weight for each edge") {
  const scratch_folder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 0\n";
  const auto file = folder.write("a.mtx", banner + "3 1 4\n3 2 -5\n");
  CHECK_THAT(error_of([&] { return read_graph(file); }), Contains("a.mtx:4: the opposite of '4' is negative"));
  CHECK(read_graph(file, {.absolute_weights = true}).negated_weights() == 2);
  const auto positive = folder.write("b.mtx", banner + "3 1 4\n3 2 5\n");
  CHECK(weights_of(read_graph(positive, {.undirected = false})) == weight_list{0, 4, 5});
}

TEST_CASE("an edge of the largest weight alone has an exact distance, and one more is refused") {
  const scratch_folder folder;
  for (const text_format& format : text_formats) {
    INFO(format.name);
    const csr_graph graph = read_graph(folder.write(format.name, text_with(format, "4294967293")));
    if (graph.weights() == weight_type::float32) continue;  // any finite float is valid
    const auto distance = dijkstra(graph, 0);
    CHECK(distance == std::vector<distance_bits>{0, 4294967293u, saturated_distance});
    CHECK_FALSE(has_saturated(weight_type::uint32, std::span(distance).first(2)));
    CHECK_THAT(error_of([&] { return read_graph(folder.write(format.name, text_with(format, "4294967294"))); }),
               Contains(format.name + line_of_weight(format) +
                        "integer weight '4294967294' is too large, expected at most 4294967293"));
  }
  // A Galois file has a smaller largest weight.
  const auto most = std::numeric_limits<std::int32_t>::max();
  CHECK(dijkstra(read_graph(folder.write("b.gr", galois({most, 0}))), 0)[2] == 2147483647u);

  using integers = std::vector<std::uint32_t>;
  CHECK(csr_graph({0, 1, 1}, {1}, integers{largest_weight}).weight(0) == 4294967293.0);
  CHECK_THAT(error_of([] {
               return csr_graph({0, 1, 1}, {1}, integers{largest_weight + 1});
             }),
             Contains("edge 0 has weight 4294967294, expected at most 4294967293"));
  CHECK_THAT(error_of([] { return generate_path(2, largest_weight + 1); }), Contains("at most 4294967293"));
}

TEST_CASE("a symmetric matrix that stores both triangles has its edges twice, and that is said") {
  const scratch_folder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 ";
  const auto notes_of = [&](const std::string& text, const read_options& options = {}) {
    std::vector<std::string> notes;
    (void)read_graph(folder.write("a.mtx", text), options, &notes);
    return notes;
  };
  const std::string text = banner + "4\n1 1 3\n2 1 4\n1 2 4\n1 3 9\n";
  REQUIRE(notes_of(text).size() == 1);
  CHECK_THAT(notes_of(text)[0], Contains("a.mtx: doubled edges: 1; the matrix is declared symmetric"));
  CHECK(read_graph(folder.path() / "a.mtx").edge_count() == 7);
  CHECK(notes_of(text, {.undirected = false}).empty());
  CHECK(notes_of(banner + "3\n1 1 3\n2 1 4\n3 1 9\n").empty());
  CHECK(notes_of(banner + "2\n2 1 4\n1 3 9\n").empty());
  CHECK(notes_of("%%MatrixMarket matrix coordinate integer general\n2 2 2\n2 1 4\n1 2 4\n").empty());
}
