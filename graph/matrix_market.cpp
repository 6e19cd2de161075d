// SPDX-License-Identifier: Apache-2.0
// The Matrix Market exchange format, coordinate part.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_writer.hpp"
#include "graph/announced_size.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"
#include "graph/number_lines.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

struct banner {
  bool pattern = false;
  bool real = false;
  bool symmetric = false;  ///< symmetric or skew-symmetric: one triangle represents both
  bool skew = false;
};

struct size_line {
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

std::string lower_case(std::string_view token) {
  std::string text(token);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

banner parse_banner(std::string_view rest, const text_reader& reader) {
  const std::string magic = lower_case(next_token(rest));
  const std::string object = lower_case(next_token(rest));
  const std::string layout = lower_case(next_token(rest));
  const std::string field = lower_case(next_token(rest));
  const std::string symmetry = lower_case(next_token(rest));
  if (magic != "%%matrixmarket" || symmetry.empty()) {
    reader.fail("expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  }
  if (object != "matrix") reader.fail(fmt::format("object {} is not supported, expected 'matrix'", in_quotes(object)));
  if (layout != "coordinate") {
    reader.fail(fmt::format("layout {} is not supported, expected 'coordinate'", in_quotes(layout)));
  }
  if (field != "pattern" && field != "integer" && field != "real") {
    reader.fail(fmt::format("field {} is not supported, expected pattern, integer or real", in_quotes(field)));
  }
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    reader.fail(fmt::format("symmetry {} is not supported, expected general, symmetric or skew-symmetric",
                            in_quotes(symmetry)));
  }
  return {.pattern = field == "pattern",
          .real = field == "real",
          .symmetric = symmetry != "general",
          .skew = symmetry == "skew-symmetric"};
}

size_line parse_size(std::string_view rest, const text_reader& reader) {
  const auto rows = parse_count(next_token(rest));
  const auto columns = parse_count(next_token(rest));
  const auto entries = parse_count(next_token(rest));
  if (!rows || !columns || !entries || !next_token(rest).empty()) {
    reader.fail("expected 'ROWS COLUMNS ENTRIES'");
  }
  if (*rows != *columns) {
    reader.fail(fmt::format("the matrix is {} x {}, expected a square matrix", *rows, *columns));
  }
  if (*rows == 0) reader.fail("the graph has no vertices");
  if (*rows > 0xFFFFFFFEu) {
    reader.fail(fmt::format("{} vertices, expected at most {}", *rows, 0xFFFFFFFEu));
  }
  check_announced(*rows, *entries, reader);
  return {.vertices = *rows, .entries = *entries};
}

vertex_id parse_index(std::string_view token, std::uint64_t vertices, const text_reader& reader) {
  const auto number = parse_count(token);
  if (!number) reader.fail(fmt::format("{} is not a row or column number", in_quotes(token)));
  if (*number == 0 || *number > vertices) {
    reader.fail(fmt::format("index {} is out of range, expected 1 to {}", *number, vertices));
  }
  return static_cast<vertex_id>(*number - 1);
}

/// Reads the next line that is neither blank nor a comment. Returns false at the end of the file.
bool next_content(text_reader& reader, std::string_view& line) {
  while (reader.next_line(line)) {
    std::string_view rest = line;
    const std::string_view first = next_token(rest);
    if (!first.empty() && first.front() != '%') return true;
  }
  return false;
}

/// Notes entries of a symmetric matrix that are in both triangles. Such a matrix stores one triangle, so mirroring
/// creates two edges from each of these entries.
void note_doubled_edges(const edge_list& edges, std::vector<std::string>& notes) {
  using place = std::pair<vertex_id, vertex_id>;
  std::vector<place> below;
  std::vector<place> above;  // entries above the diagonal, mirrored
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const vertex_id row = edges.sources[i];
    const vertex_id column = edges.targets[i];
    if (row > column) below.emplace_back(row, column);
    if (row < column) above.emplace_back(column, row);
  }
  if (below.empty() || above.empty()) return;
  std::sort(below.begin(), below.end());
  const auto doubled = std::count_if(above.begin(), above.end(), [&](const place& entry) {
    return std::binary_search(below.begin(), below.end(), entry);
  });
  if (doubled == 0) return;
  notes.push_back(
      fmt::format("doubled edges: {}; the matrix is declared symmetric, yet stores both triangles (--directed takes "
                  "entries as they are)",
                  doubled));
}

}  // namespace

csr_graph read_matrix_market(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  text_reader reader(file);
  std::string_view line;
  if (!reader.next_line(line)) reader.fail_file("is empty, expected a Matrix Market file");
  const banner kind = parse_banner(line, reader);
  if (!next_content(reader, line)) {
    reader.fail("the file ends before the line 'ROWS COLUMNS ENTRIES'");
  }
  const size_line size = parse_size(line, reader);
  remarks.lacks_weights = kind.pattern;

  edge_list edges;
  weight_column weights(options.absolute_weights, options.weight_type, kind.real);
  number_lines parts(weights);
  const bool mirrored = options.undirected.value_or(kind.symmetric);
  const bool seeded = kind.pattern || options.ignore_weights;
  while (next_content(reader, line)) {
    if (edges.size() == size.entries) {
      reader.fail(fmt::format("more entries than the {} that the size line declares", size.entries));
    }
    edges.sources.push_back(parse_index(next_token(line), size.vertices, reader));
    edges.targets.push_back(parse_index(next_token(line), size.vertices, reader));
    if (!kind.pattern) {
      const std::string_view weight = next_token(line);
      if (weight.empty()) reader.fail("the value is missing, expected 'ROW COLUMN VALUE'");
      if (!seeded) {
        const bool is_zero = weights.add(weight, reader);
        if (kind.skew && mirrored && !is_zero && edges.sources.back() != edges.targets.back()) {
          weights.add_opposite(weight, reader);
        }
      }
    }
    if (!next_token(line).empty()) {
      reader.fail(kind.pattern ? "text after the column number of a pattern entry" : "text after the value");
    }
    const line_form form{.fields = kind.pattern ? 2U : 3U,
                         .weight = seeded ? std::nullopt : std::optional(2),
                         .least_id = 1,
                         .largest_id = size.vertices};
    if (!kind.skew) parts.read_all(reader, form, size.entries, edges, weights);
  }
  if (edges.size() != size.entries) {
    reader.fail(fmt::format("the file ends after {} of the {} declared entries", edges.size(), size.entries));
  }
  if (seeded) {
    fill_seeded_weights(edges, options.weight_seed);
  } else {
    weights.finish(edges, reader);
    remarks.rounds_weights = weights.rounds();
  }
  if (kind.symmetric && mirrored) note_doubled_edges(edges, remarks.notes);
  return remarks.build(size.vertices, edges, {.symmetric = mirrored})
      .with_ids(file_ids::counted_from(1, static_cast<vertex_id>(size.vertices)))
      .with_negated_weights(weights.negated());
}

void write_matrix_market(const csr_graph& graph, const std::filesystem::path& file) {
  file_writer out(file);
  out.write(fmt::format("%%MatrixMarket matrix coordinate {} general\n",
                        graph.weights() == weight_type::uint32 ? "integer" : "real"));
  if (const std::string text = renumbering(graph, 1); !text.empty()) out.write("% " + text + "\n");
  out.write(fmt::format("{} {} {}\n", graph.vertex_count(), graph.vertex_count(), graph.edge_count()));
  write_edge_lines(graph, out, "", file_ids::counted_from(1, graph.vertex_count()));
  out.commit();
}

}  // namespace mlmq::graph
