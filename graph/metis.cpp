// SPDX-License-Identifier: Apache-2.0
// The text format of METIS, and of the 10th DIMACS implementation challenge: line i lists the neighbours of vertex i,
// and every edge is in the lines of both its ends.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/text.hpp"
#include "graph/announced_size.hpp"
#include "graph/formats.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

struct header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< number of edges, each counted once
  bool sizes = false;       ///< each line starts with the size of its vertex, before the weights
  bool edge_weights = false;
  std::uint64_t vertex_weights = 0;  ///< number of weights per vertex
};

header parse_header(std::string_view rest, const text_reader& reader) {
  constexpr std::string_view expected = "expected 'VERTICES EDGES [FORMAT [WEIGHTS]]'";
  const auto vertices = parse_count(next_token(rest));
  const auto edges = parse_count(next_token(rest));
  if (!vertices || !edges) reader.fail(expected);
  header head{.vertices = *vertices, .edges = *edges};
  if (const std::string_view digits = next_token(rest); !digits.empty()) {
    const bool binary = digits.size() <= 3 && digits.find_first_not_of("01") == std::string_view::npos;
    if (!binary) {
      reader.fail(fmt::format("format {} is not supported, expected up to three digits 0 or 1", in_quotes(digits)));
    }
    const auto digit = [&](std::size_t from_right) {
      return digits.size() > from_right && digits[digits.size() - 1 - from_right] == '1';
    };
    head.edge_weights = digit(0);
    head.vertex_weights = digit(1) ? 1 : 0;
    head.sizes = digit(2);
  }
  if (const std::string_view count = next_token(rest); !count.empty()) {
    const auto weights = parse_count(count);
    if (!weights || *weights == 0 || *weights > 1000 || head.vertex_weights == 0) reader.fail(expected);
    head.vertex_weights = *weights;
  }
  if (!next_token(rest).empty()) reader.fail(expected);
  if (head.vertices == 0) reader.fail("the graph has no vertices");
  if (head.vertices > 0xFFFFFFFEu) {
    reader.fail(fmt::format("{} vertices, expected at most {}", head.vertices, 0xFFFFFFFEu));
  }
  check_announced(head.vertices, head.edges, reader);
  return head;
}

bool is_comment(std::string_view line) {
  const std::string_view first = next_token(line);
  return !first.empty() && first.front() == '%';
}

vertex_id parse_neighbour(std::string_view token, vertex_id vertex, const header& head, const text_reader& reader) {
  const auto number = parse_count(token);
  if (!number) reader.fail(fmt::format("{} is not a vertex", in_quotes(token)));
  if (*number == 0 || *number > head.vertices) {
    reader.fail(fmt::format("vertex {} is out of range, expected 1 to {}", *number, head.vertices));
  }
  if (*number - 1 == vertex) reader.fail(fmt::format("vertex {} is its own neighbour", *number));
  return static_cast<vertex_id>(*number - 1);
}

void skip_vertex_data(std::string_view& line, const header& head, const text_reader& reader) {
  for (std::uint64_t i = 0; i < head.vertex_weights + (head.sizes ? 1 : 0); ++i) {
    const std::string_view token = next_token(line);
    if (token.empty()) reader.fail("the size or a weight of the vertex is missing");
    if (!parse_count(token)) reader.fail(fmt::format("{} is not the size or weight of a vertex", in_quotes(token)));
  }
}

using directed_edge = std::tuple<vertex_id, vertex_id, std::uint64_t>;

/// Checks that each edge is in the lines of both its ends with the same weight, and reports the first edge that is not.
/// A sum of hashes detects such an edge without sorting all edges.
void require_both_ends(const edge_list& edges, const text_reader& reader) {
  const auto weight_of = [&](std::size_t i) {
    if (!edges.wide_weight_bits.empty()) return edges.wide_weight_bits[i];
    return edges.weight_bits.empty() ? std::uint64_t{0} : std::uint64_t{edges.weight_bits[i]};
  };
  const auto mix = [](std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
  };
  std::uint64_t balance = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const bool up = edges.sources[i] < edges.targets[i];
    const std::uint64_t low = up ? edges.sources[i] : edges.targets[i];
    const std::uint64_t high = up ? edges.targets[i] : edges.sources[i];
    const std::uint64_t hash = mix(mix((low << 32) ^ high) + weight_of(i));
    balance += up ? hash : std::uint64_t{0} - hash;
  }
  if (balance == 0) return;
  std::vector<directed_edge> forward;
  std::vector<directed_edge> backward;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    forward.emplace_back(edges.sources[i], edges.targets[i], weight_of(i));
    backward.emplace_back(edges.targets[i], edges.sources[i], weight_of(i));
  }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  const auto [mine, other] = std::mismatch(forward.begin(), forward.end(), backward.begin());
  // Where the two sorted lists differ, the smaller element is missing in the other list.
  const auto& [from, to, weight] = *mine < *other ? *mine : *other;
  const bool forward_lacks = *other < *mine;
  reader.fail_file(fmt::format(
      "the edge between {} and {} is on the line of vertex {}, but not with the same weight on that of vertex {}; "
      "--directed takes the entries as they are",
      from + 1, to + 1, (forward_lacks ? to : from) + 1, (forward_lacks ? from : to) + 1));
}

}  // namespace

csr_graph read_metis(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  text_reader reader(file);
  std::string_view line;
  bool more = reader.next_line(line);
  while (more && (is_comment(line) || line.find_first_not_of(" \t") == std::string_view::npos)) {
    more = reader.next_line(line);
  }
  if (!more) reader.fail_file("the file ends before the line 'VERTICES EDGES'");
  const header head = parse_header(line, reader);
  remarks.lacks_weights = !head.edge_weights;
  const bool directed = options.undirected.has_value() && !*options.undirected;
  edge_list edges;
  weight_column weights(options.absolute_weights, options.weight_type);
  const bool weighted = head.edge_weights && !options.ignore_weights;
  std::uint64_t vertex = 0;
  while (reader.next_line(line)) {
    if (is_comment(line)) continue;
    if (vertex == head.vertices) {
      // Blank lines may follow the last vertex. The line of a vertex may also be blank.
      if (!next_token(line).empty()) reader.fail(fmt::format("more lines than the {} vertices", head.vertices));
      continue;
    }
    const auto source = static_cast<vertex_id>(vertex++);
    skip_vertex_data(line, head, reader);
    for (std::string_view token = next_token(line); !token.empty(); token = next_token(line)) {
      if (edges.sources.size() == 2 * head.edges) {
        reader.fail(fmt::format("more neighbours than the {} edges that the first line declares", head.edges));
      }
      edges.sources.push_back(source);
      edges.targets.push_back(parse_neighbour(token, source, head, reader));
      if (!head.edge_weights) continue;
      const std::string_view weight = next_token(line);
      if (weight.empty()) reader.fail("the weight of the last edge is missing");
      if (weighted) weights.add(weight, reader);
    }
  }
  if (vertex != head.vertices) {
    reader.fail_file(fmt::format("the file ends after the lines of {} of {} vertices", vertex, head.vertices));
  }
  const bool counted = edges.size() == 2 * head.edges || (directed && edges.size() == head.edges);
  if (!counted) {
    reader.fail_file(fmt::format("{} neighbours in all lines, expected {}, two for each of the {} edges", edges.size(),
                                 2 * head.edges, head.edges));
  }
  if (weighted) weights.finish(edges, reader);
  remarks.rounds_weights = weights.rounds();
  if (!directed) require_both_ends(edges, reader);
  if (!weighted) fill_seeded_weights(edges, options.weight_seed);
  // The file already contains both directions.
  return remarks.build(head.vertices, edges, {})
      .with_ids(file_ids::counted_from(1, static_cast<vertex_id>(head.vertices)))
      .with_negated_weights(weights.negated());
}

}  // namespace mlmq::graph
