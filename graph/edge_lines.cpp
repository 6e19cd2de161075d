// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_lines.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <string>

namespace mlmq::graph {
namespace {

template <class Number>
void append(std::string& line, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

/// @param append_name appends the name of vertex v to a line
template <class AppendName>
void write_lines(const csr_graph& graph, file_writer& out, std::string_view start, const AppendName& append_name,
                 char separator) {
  std::string line;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + std::size_t{1}]; ++i) {
      line = start;
      append_name(line, u);
      line += separator;
      append_name(line, graph.targets()[i]);
      line += separator;
      const std::size_t begin = line.size();
      switch (graph.weights()) {
        case weight_type::uint32:
          append(line, graph.weight_bits()[i]);
          break;
        case weight_type::float32:
          append(line, std::bit_cast<float>(graph.weight_bits()[i]));
          break;
        case weight_type::float64:
          append(line, std::bit_cast<double>(graph.wide_weight_bits()[i]));
          break;
      }
      // A whole number gets a decimal point, because readers would otherwise treat it as an integer weight.
      const bool looks_whole = line.find_first_of(".e", begin) == std::string::npos;
      if (graph.weights() != weight_type::uint32 && looks_whole) line += ".0";
      line += '\n';
      out.write(line);
    }
  }
}

}  // namespace

void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start, const file_ids& ids,
                      char separator) {
  write_lines(
      graph, out, start, [&](std::string& line, vertex_id v) { append(line, ids.id_of(v)); }, separator);
}

void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start,
                      std::span<const std::string> called, char separator) {
  write_lines(
      graph, out, start, [&](std::string& line, vertex_id v) { line += called[v]; }, separator);
}

}  // namespace mlmq::graph
