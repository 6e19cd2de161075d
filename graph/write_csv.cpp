// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "base/file_writer.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"

namespace mlmq::graph {
namespace {

/// Formats a field as in RFC 4180. Blanks at its ends are significant only within quotes.
std::string field_of(const std::string& name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain =
      name.find_first_of(",\"\r\n") == std::string::npos && !is_blank(name.front()) && !is_blank(name.back());
  if (plain) return name;
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? std::string_view("\"\"") : std::string_view(&c, 1);
  return field + '"';
}

}  // namespace

void write_csv(const csr_graph& graph, const std::filesystem::path& file) {
  const std::span<const std::string> names = graph.ids().names();
  std::vector<std::string> fields;
  fields.reserve(names.size());
  for (const std::string& name : names) fields.push_back(field_of(name));
  file_writer out(file);
  out.write("source,target,weight\n");
  if (fields.empty()) {
    write_edge_lines(graph, out, "", graph.ids(), ',');
  } else {
    write_edge_lines(graph, out, "", std::span<const std::string>(fields), ',');
  }
  out.commit();
}

}  // namespace mlmq::graph
