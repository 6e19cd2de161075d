// SPDX-License-Identifier: Apache-2.0
// Output of results: text, one JSON document, or nothing.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <utility>

#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/usage.hpp"
#include "mlmq/configuration.hpp"

namespace mlmq::cli {

/// Returns the differences of a complete label from the defaults, which --config accepts in its place. Returns the
/// label itself if this program does not know it.
/// @param varied  parameters that a sweep varies, which are shown even at their defaults
[[nodiscard]] std::string short_label(const std::string& label, std::span<const std::string> varied = {});

/// Returns the origin of a choice, such as " (chosen by the selector)", or "" if the user chose the configuration.
[[nodiscard]] std::string chosen_by(const choice& decision);

/// Printer to standard output that may be silent. Used like fmt::print.
class printer {
 public:
  explicit printer(bool is_enabled = true) : is_enabled_(is_enabled) {}

  template <typename... Values>
  void operator()(fmt::format_string<Values...> text, Values&&... values) const {
    if (is_enabled_) print_text(text, std::forward<Values>(values)...);
  }
  [[nodiscard]] bool is_enabled() const { return is_enabled_; }

 private:
  bool is_enabled_;
};

/// Common options of commands with results. Each command adds those that it supports.
struct result_options {
  std::string format = "text";  ///< or "json"
  bool quiet = false;
  bool verbose = false;

  void add_format(CLI::App& command) {
    command.add_option("--format", format, "json: one document (docs/reference/json.md)")
        ->check(one_of({"text", "json"}))
        ->capture_default_str();
  }
  void add_quiet(CLI::App& command) {
    command.add_flag("--quiet", quiet, "print no report and no progress, only errors and notes");
  }
  void add_verbose(CLI::App& command) {
    command.add_flag("--verbose", verbose, "print configurations in full, including default values");
  }

  [[nodiscard]] bool as_json() const { return format == "json"; }
  /// Returns a configuration for display: the full label with --verbose, or else short_label().
  [[nodiscard]] std::string shown(const std::string& configuration, std::span<const std::string> varied = {}) const {
    return verbose ? configuration : short_label(configuration, varied);
  }
  /// Returns the printer for the report of a command that writes to `output` ("": none). It is silent if the output
  /// goes to standard output. @throws input_error if both output and JSON document need standard output
  [[nodiscard]] printer make_printer(const std::string& output = "") const {
    if (as_json() && is_standard_output(output)) {
      throw input_error("--format json and --output - both write to standard output");
    }
    return printer(!as_json() && !quiet && !is_standard_output(output));
  }
};

}  // namespace mlmq::cli
