// SPDX-License-Identifier: Apache-2.0
// JSON output: one document on standard output; docs/reference/json.md describes each.
#pragma once

#include <fmt/format.h>

#include <string>

#include <nlohmann/json.hpp>

#include "cli/print_text.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

using json_document = nlohmann::ordered_json;

/// Creates a document of the schema mlmq/NAME, version 1. Fields may be added to a version but not removed.
[[nodiscard]] inline json_document begin_document(const char* name) {
  json_document document;
  document["schema"] = fmt::format("mlmq/{}", name);
  document["version"] = 1;
  return document;
}

/// Returns the common fields of documents about a graph.
[[nodiscard]] inline json_document graph_document(const digraph& graph) {
  return {{"name", graph.name()}, {"vertices", graph.vertex_count()}, {"edges", graph.edge_count()}};
}

/// Returns the id of a vertex in the graph's file, or its name if the file has names.
[[nodiscard]] inline json_document vertex_document(const digraph& graph, vertex v) {
  return graph.has_names() ? json_document(graph.name_of(v)) : json_document(graph.id_of(v));
}

/// Prints a document. Invalid UTF-8 in names is replaced, and the control characters U+007F to U+009F are escaped.
inline void print_document(const json_document& document) {
  std::string text;
  for (const char character : document.dump(2, ' ', false, json_document::error_handler_t::replace)) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_control = text.ends_with('\xC2') && byte < 0xA0;
    if (is_control) text.pop_back();
    text += is_control || byte == 0x7F ? fmt::format("\\u{:04x}", byte) : std::string(1, character);
  }
  print_data(text + "\n");
}

}  // namespace mlmq::cli
