// SPDX-License-Identifier: Apache-2.0
// The text format of the 9th DIMACS implementation challenge.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "graph/announced_size.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"
#include "graph/number_lines.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

struct problem {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
};

problem parse_problem(std::string_view rest, const text_reader& reader) {
  const std::string_view kind = next_token(rest);
  const auto vertices = parse_count(next_token(rest));
  const auto arcs = parse_count(next_token(rest));
  if (kind != "sp" || !vertices || !arcs || !next_token(rest).empty()) {
    reader.fail("expected 'p sp VERTICES ARCS'");
  }
  if (*vertices == 0) reader.fail("the graph has no vertices");
  if (*vertices > 0xFFFFFFFEu) {
    reader.fail(fmt::format("{} vertices, expected at most {}", *vertices, 0xFFFFFFFEu));
  }
  check_announced(*vertices, *arcs, reader);
  return {.vertices = *vertices, .arcs = *arcs};
}

vertex_id parse_vertex(std::string_view token, std::uint64_t vertices, const text_reader& reader) {
  const auto number = parse_count(token);
  if (!number) {
    reader.fail(fmt::format("{} is not a vertex, expected 'a FROM TO WEIGHT'", in_quotes(token)));
  }
  if (*number == 0 || *number > vertices) {
    reader.fail(fmt::format("vertex {} is out of range, expected 1 to {}", *number, vertices));
  }
  return static_cast<vertex_id>(*number - 1);
}

}  // namespace

csr_graph read_dimacs(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  text_reader reader(file);
  std::optional<problem> header;
  edge_list edges;
  weight_column weights(options.absolute_weights, options.weight_type);
  number_lines parts(weights);
  for (std::string_view line; reader.next_line(line);) {
    std::string_view rest = line;
    const std::string_view kind = next_token(rest);
    if (kind == "a") {
      if (!header) reader.fail("an arc before the line 'p sp VERTICES ARCS'");
      if (edges.size() == header->arcs) {
        reader.fail(fmt::format("more arcs than the {} that the 'p' line declares", header->arcs));
      }
      const vertex_id u = parse_vertex(next_token(rest), header->vertices, reader);
      const vertex_id v = parse_vertex(next_token(rest), header->vertices, reader);
      const std::string_view weight = next_token(rest);
      if (weight.empty()) reader.fail("the weight is missing, expected 'a FROM TO WEIGHT'");
      if (!next_token(rest).empty()) reader.fail("text after the weight");
      edges.sources.push_back(u);
      edges.targets.push_back(v);
      if (!options.ignore_weights) weights.add(weight, reader);
      const line_form form{.prefix = "a ",
                           .fields = 3,
                           .weight = options.ignore_weights ? std::nullopt : std::optional(2),
                           .least_id = 1,
                           .largest_id = header->vertices};
      parts.read_all(reader, form, header->arcs, edges, weights);
    } else if (kind == "p") {
      if (header) reader.fail("a second 'p' line");
      header = parse_problem(rest, reader);
    } else if (!kind.empty() && kind.front() != 'c') {
      reader.fail(fmt::format("the line starts with {}, expected c, p or a", in_quotes(kind)));
    }
  }
  if (!header) reader.fail("the file ends without a line 'p sp VERTICES ARCS'");
  if (edges.size() != header->arcs) {
    reader.fail(
        fmt::format("the file ends after {} of the {} arcs that the 'p' line declares", edges.size(), header->arcs));
  }
  if (options.ignore_weights) {
    fill_seeded_weights(edges, options.weight_seed);
  } else {
    weights.finish(edges, reader);
    remarks.rounds_weights = weights.rounds();
  }
  return remarks.build(header->vertices, edges, {.symmetric = options.undirected.value_or(false)})
      .with_ids(file_ids::counted_from(1, static_cast<vertex_id>(header->vertices)))
      .with_negated_weights(weights.negated());
}

void write_dimacs(const csr_graph& graph, const std::filesystem::path& file) {
  file_writer out(file);
  if (const std::string text = renumbering(graph, 1); !text.empty()) out.write("c " + text + "\n");
  out.write(fmt::format("p sp {} {}\n", graph.vertex_count(), graph.edge_count()));
  write_edge_lines(graph, out, "a ", file_ids::counted_from(1, graph.vertex_count()));
  out.commit();
}

}  // namespace mlmq::graph
