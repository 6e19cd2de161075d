// SPDX-License-Identifier: Apache-2.0
// Results for programs: one JSON document on standard output. docs/reference/json.md describes each.
#pragma once

#include <fmt/format.h>

#include <string>

#include <nlohmann/json.hpp>

#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

using json_document = nlohmann::ordered_json;

/// A document of the schema mlmq/NAME, version 1. A version gets new fields, and loses none.
[[nodiscard]] inline json_document begin_document(const char* name) {
  json_document document;
  document["schema"] = fmt::format("mlmq/{}", name);
  document["version"] = 1;
  return document;
}

/// What each document about a graph says of it.
[[nodiscard]] inline json_document graph_document(const digraph& graph) {
  return {{"name", graph.name()}, {"vertices", graph.vertex_count()}, {"edges", graph.edge_count()}};
}

/// What is no UTF-8 in names of files is replaced: JSON cannot hold it.
inline void print_document(const json_document& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, json_document::error_handler_t::replace));
}

}  // namespace mlmq::cli
