// SPDX-License-Identifier: Apache-2.0
// Edge lists in the form of SNAP, KONECT and GAPBS: one edge per line, comments, ids with gaps.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"
#include "graph/id_numbering.hpp"
#include "graph/number_lines.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

bool says_undirected(std::string_view comment) {
  constexpr std::string_view words = "undirected graph";
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  return comment.size() >= words.size() && std::equal(words.begin(), words.end(), comment.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::uint64_t id_in(std::string_view token, const text_reader& reader) {
  if (const auto id = parse_id(token)) return *id;
  if (const auto number = parse_count(token)) {
    reader.fail(fmt::format("vertex id {} is too large, expected at most {}", *number, file_ids::largest));
  }
  reader.fail(fmt::format("{} is not a vertex id, expected 'FROM TO' or 'FROM TO WEIGHT'", in_quotes(token)));
}

}  // namespace

csr_graph read_snap(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  if (!options.columns.empty()) throw input_error(columns_need_table);
  text_reader reader(file);
  uninitialized_vector<std::uint64_t> ids;  // alternately sources and targets
  weight_column weights(options.absolute_weights, options.weight_type);
  number_lines parts(weights);
  bool undirected = false;
  bool three_columns = false;
  std::uint64_t first_line = 0;
  for (std::string_view line; reader.next_line(line);) {
    const std::string_view first = next_token(line);
    if (first.empty()) continue;
    if (first.front() == '#' || first.front() == '%') {
      const std::string_view comment(first.data(), first.size() + line.size());
      if (ids.empty() && says_undirected(comment)) undirected = true;
      continue;
    }
    ids.push_back(id_in(first, reader));
    const std::string_view second = next_token(line);
    if (second.empty()) reader.fail("only one column, expected 'FROM TO' or 'FROM TO WEIGHT'");
    ids.push_back(id_in(second, reader));
    const std::string_view weight = next_token(line);
    if (weight.starts_with('{')) {
      reader.fail(
          "attributes in braces, as networkx.write_edgelist() writes them; use networkx.write_weighted_edgelist()");
    }
    if (!next_token(line).empty()) reader.fail("more than the three columns 'FROM TO WEIGHT'");
    if (first_line == 0) {
      first_line = reader.line_number();
      three_columns = !weight.empty();
    } else if (three_columns == weight.empty()) {
      reader.fail(fmt::format("{} columns, expected {} as in line {}", weight.empty() ? 2 : 3, three_columns ? 3 : 2,
                              first_line));
    }
    if (three_columns && !options.ignore_weights) weights.add(weight, reader);
    const line_form form{.fields = three_columns ? 3U : 2U,
                         .weight = three_columns && !options.ignore_weights ? std::optional(2) : std::nullopt};
    while (parts.read(reader, form, unlimited_edges, ids, weights)) {
    }
  }
  if (ids.empty()) reader.fail_file("the graph has no vertices: no line has an edge");

  remarks.lacks_weights = !three_columns;
  remarks.lacks_direction = !undirected;
  edge_list edges;
  file_ids vertices = number_ids(ids, edges, reader);
  ids = {};  // frees memory before the rows are allocated
  if (three_columns && !options.ignore_weights) {
    weights.finish(edges, reader);
    remarks.rounds_weights = weights.rounds();
  } else {
    fill_seeded_weights(edges, options.weight_seed);
  }
  return remarks.build(vertices.count(), edges, {.symmetric = options.undirected.value_or(undirected)})
      .with_ids(std::move(vertices))
      .with_negated_weights(weights.negated());
}

void write_snap(const csr_graph& graph, const std::filesystem::path& file) {
  file_writer out(file);
  write_edge_lines(graph, out, "", graph.ids());
  out.commit();
}

}  // namespace mlmq::graph
