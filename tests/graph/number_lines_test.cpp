// SPDX-License-Identifier: Apache-2.0
// Files so large that several threads read parts of them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "graph/io.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;

namespace {

constexpr std::size_t edge_count = 150'000;
constexpr std::uint64_t vertex_count = 40'000;

/// How a format writes edges, and a line that it skips or reads in another way.
struct text_format {
  std::string ending;
  std::string head;
  std::string line;          ///< of an edge, as a format string
  std::string other;         ///< a line that is not an edge; "": there is none
  std::uint64_t first_line;  ///< number of the line of the first edge
};

const std::vector<text_format>& formats() {
  static const std::vector<text_format> text_formats{
      {".gr", fmt::format("c roads\np sp {} {}\n", vertex_count, edge_count), "a {} {} {}\n", "c more\n", 3},
      {".mtx", fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", vertex_count, edge_count),
       "{} {}  {}\n", "% more\n", 3},
      {".wel", "# edges\n", "{} {}\t{}\n", "# more\n", 2},
      {".csv", "source,target,weight\n", "{},{},{}\n", "", 2},
      {".csv", "weight;note;to;from\n", "{2};some text;{1};{0}\n", "", 2}};
  return text_formats;
}

using weight_text = std::function<std::string(std::size_t edge)>;

/// Returns the edges as text.
/// @param every number of edges between lines of another form; 0: there are none
/// @param wrong the number of an edge, and the line in its place
std::string text_of(const text_format& format, const weight_text& weight, std::size_t every,
                    const std::string& line_end = "\n",
                    const std::optional<std::pair<std::size_t, std::string>>& wrong = std::nullopt) {
  mlmq::random_stream random({7});
  std::string text = format.head;
  for (std::size_t i = 0; i < edge_count; ++i) {
    const std::uint64_t u = 1 + random.below(vertex_count);
    const std::uint64_t v = 1 + random.below(vertex_count);
    if (wrong && wrong->first == i) {
      text += wrong->second;
      continue;
    }
    std::string line = fmt::format(fmt::runtime(format.line), u, v, weight(i));
    // A quoted number in a table is a line of another form.
    const bool is_quoted = every > 0 && i % every == 0 && format.other.empty();
    if (is_quoted) line = fmt::format(fmt::runtime(format.line), fmt::format("\"{}\"", u), v, weight(i));
    line.replace(line.size() - 1, 1, line_end);
    text += line;
    if (every > 0 && i % every == 0) text += format.other;
  }
  return text;
}

weight_text whole() {
  return [](std::size_t i) { return std::to_string(i % 977); };
}

}  // namespace

TEST_CASE("large text files have the same graph, whichever lines are read by one thread") {
  const scratch_folder folder;
  const std::vector<std::pair<const char*, weight_text>> weights{
      {"whole", whole()},
      {"decimal", [](std::size_t i) { return fmt::format("{}.5", i % 977); }},
      {"decimal at last", [](std::size_t i) { return i + 1 == edge_count ? "0.1" : std::to_string(i % 977); }},
      {"with an exponent", [](std::size_t i) { return i == edge_count / 2 ? "1e3" : "16777217"; }},
      {"negative", [](std::size_t i) { return std::to_string(i % 3 == 0 ? -static_cast<int>(i % 7) : 4); }}};
  for (const text_format& format : formats()) {
    for (const auto& [description, weight] : weights) {
      CAPTURE(format.head, description);
      const read_options options{.absolute_weights = true};
      const csr_graph plain = read_graph(folder.write("plain" + format.ending, text_of(format, weight, 0)), options);
      // So many that no part is without one; and few, so that only some parts have one.
      for (const std::size_t every : {std::size_t{500}, edge_count - 1}) {
        const csr_graph mixed =
            read_graph(folder.write("mixed" + format.ending, text_of(format, weight, every)), options);
        CHECK(same_graph(plain, mixed));
        CHECK(plain.ids().range_text() == mixed.ids().range_text());
        CHECK(plain.negated_weights() == mixed.negated_weights());
      }
      CHECK(plain.edge_count() == edge_count);
    }
  }
}

TEST_CASE("large text files may have carriage returns, be compressed, or end without a line end") {
  const scratch_folder folder;
  for (const text_format& format : formats()) {
    CAPTURE(format.head);
    const std::string text = text_of(format, whole(), 0);
    const csr_graph plain = read_graph(folder.write("plain" + format.ending, text));
    CHECK(same_graph(plain, read_graph(folder.write("returns" + format.ending, text_of(format, whole(), 0, "\r\n")))));
    CHECK(same_graph(plain, read_graph(folder.write("packed" + format.ending + ".gz", gzip(text)))));
    CHECK(same_graph(plain, read_graph(folder.write("open" + format.ending, text.substr(0, text.size() - 1)))));
    const read_options drawn{.ignore_weights = true};
    CHECK(same_graph(read_graph(folder.write("plain" + format.ending, text), drawn),
                     read_graph(folder.write("mixed" + format.ending, text_of(format, whole(), 500)), drawn)));
  }
}

TEST_CASE("errors of large text files name the line") {
  const scratch_folder folder;
  for (const text_format& format : formats()) {
    for (const std::size_t place : {edge_count / 2, edge_count - 2}) {
      for (const char* const weight : {"-4", "x", "1.2.3"}) {
        CAPTURE(format.head, place, weight);
        const std::string wrong = fmt::format(fmt::runtime(format.line), 5, 6, weight);
        const std::string text = text_of(format, whole(), 0, "\n", std::pair(place, wrong));
        const auto file = folder.write("wrong" + format.ending, text);
        const std::string message = error_of([&] { return read_graph(file); });
        CHECK(message.find(fmt::format(":{}: weight '{}' ", format.first_line + place, weight)) != std::string::npos);
      }
    }
  }
  const text_format& dimacs = formats().front();
  const std::string beyond = fmt::format("a 1 {} 3\n", vertex_count + 1);
  const auto file = folder.write("beyond.gr", text_of(dimacs, whole(), 0, "\n", std::pair(edge_count / 2, beyond)));
  CHECK(error_of([&] { return read_graph(file); }).find(fmt::format(":{}: ", 3 + edge_count / 2)) != std::string::npos);
  const auto more = folder.write("more.gr", text_of(dimacs, whole(), 0) + "a 1 2 3\n");
  CHECK(error_of([&] { return read_graph(more); }).find("more arcs than the 150000") != std::string::npos);
}

TEST_CASE("a large table whose last vertex has a name has only names") {
  const scratch_folder folder;
  const text_format& table = formats()[3];
  for (const char* const name : {"Porto", "007"}) {
    const auto file = folder.write(
        "named.csv", text_of(table, whole(), 0, "\n", std::pair(edge_count - 1, fmt::format("1,{},4\n", name))));
    const csr_graph graph = read_graph(file);
    CHECK(graph.edge_count() == edge_count);
    REQUIRE(graph.ids().names().size() == graph.vertex_count());
    CHECK(graph.ids().names().back() == name);
    // The first line's source is the first vertex.
    const std::string text = text_of(table, whole(), 0);
    const std::size_t begin = text.find('\n') + 1;
    CHECK(graph.ids().names().front() == text.substr(begin, text.find(',', begin) - begin));
  }
}
