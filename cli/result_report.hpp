// SPDX-License-Identifier: Apache-2.0
// The results of a command: lines of text, printed as they become known, or one JSON document at the end.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json_output.hpp"
#include "cli/result_options.hpp"
#include "db/statistics.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

class result_report {
 public:
  /// @param schema name of the document, mlmq/NAME
  /// @param output file that the command writes; "-": it goes to standard output, and lines are not printed
  /// @throws input_error if both output and document need standard output
  result_report(const result_options& options, const char* schema, const std::string& output = "")
      : options_(options), print_(options.make_printer(output)), document_(begin_document(schema)) {}

  /// Prints a line of the text.
  template <typename... Values>
  void line(std::string_view name, fmt::format_string<Values...> text, Values&&... values) const {
    print_("{:<15}{}\n", name, fmt::format(text, std::forward<Values>(values)...));
  }
  /// Returns a field of the document.
  [[nodiscard]] json_document& operator[](const char* key) { return document_[key]; }

  /// Reports the graph. @param details of the line
  void graph(const digraph& searched, const std::string& details = "") {
    line("graph", "{}, {} vertices, {} edges{}", searched.name(), searched.vertex_count(), searched.edge_count(),
         details);
    document_["graph"] = graph_document(searched);
  }
  /// Reports the configuration. @param reason text of the line after it
  void configuration(const std::string& label, const std::string& reason) {
    line("configuration", "{}{}", options_.shown(label), reason);
    document_["configuration"] = label;
  }
  void device(const std::string& name, const std::string& selector, bool modelled) {
    line("device", "{} ({})", name, selector);
    document_["device"] = {{"name", name}, {"selector", selector}};
    document_["modelled"] = modelled;
  }
  /// Reports a time. @param details of the line
  void time(double milliseconds, bool modelled, const std::string& details = "") {
    line("time", "{:.4f} ms{}{}", milliseconds, modelled ? " modelled, not measured" : "", details);
    document_["time_ms"] = milliseconds;
  }
  /// Reports the median of the times of repeated runs.
  void times(const std::vector<double>& milliseconds, bool modelled) {
    const std::size_t runs = milliseconds.size();
    time(db::median(milliseconds), modelled, runs > 1 ? fmt::format(", median of {}", runs) : "");
    document_["times_ms"] = milliseconds;
  }
  /// Reports how long a kernel took to compile or load. @param compiled_in it is part of the program
  void kernel(const solve_times& times, bool compiled_in) {
    line("kernel", "{}",
         compiled_in
             ? "compiled in"
             : fmt::format("{:.0f} ms to {}", times.compile, times.compiled ? "compile" : "load from the cache"));
    document_["compile_ms"] = compiled_in ? 0.0 : times.compile;
  }

  /// Reports counters, in a field of their own. @param counters pairs of name and number
  template <typename Counters>
  void counters(const Counters& counters) {
    document_["counters"] = json_document::object();
    for (const auto& [name, value] : counters) {
      line(name, "{:.0f}", value);
      document_["counters"][name] = value;
    }
  }

  /// Prints the document, if it is wanted.
  void end() const {
    if (options_.as_json()) print_document(document_);
  }

 private:
  const result_options& options_;
  printer print_;
  json_document document_;
};

}  // namespace mlmq::cli
