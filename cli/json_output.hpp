// SPDX-License-Identifier: Apache-2.0
// Results for programs: one JSON document on standard output. docs/reference/json.md describes each.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace mlmq::cli {

using json_document = nlohmann::ordered_json;

/// A document of the schema mlmq/NAME, version 1. A version gets new fields, and loses none.
[[nodiscard]] inline json_document begin_document(const char* name) {
  json_document document;
  document["schema"] = fmt::format("mlmq/{}", name);
  document["version"] = 1;
  return document;
}

/// What is no UTF-8 in names of files is replaced: JSON cannot hold it.
inline void print_document(const json_document& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, json_document::error_handler_t::replace));
}

/// The option --format, text or json.
inline void add_output_format(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "text, or json: one document (docs/reference/json.md)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

}  // namespace mlmq::cli
