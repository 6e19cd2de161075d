// SPDX-License-Identifier: Apache-2.0
// A figure or table of a paper that this program can draw again: what has to be measured for it, which script draws it,
// and which numbers the paper gives. Read from a file of experiments/figures/; keys: docs/guide/figures.md.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mlmq::reproduce {

/// A sweep that a figure is drawn from.
struct figure_sweep {
  std::filesystem::path file;  ///< the experiment file
  bool on_processors = false;  ///< runs on the CPU, whatever device is chosen: a competitor that has no GPU version
};

/// One number, or one name, that the paper states.
struct paper_number {
  std::string measure;          ///< what the plot script calls it
  std::string what;             ///< in words, for a table
  std::optional<double> value;  ///< a number; or else
  std::string text;             ///< a name, such as the best configuration
  std::string unit;             ///< "x", "%", or nothing
  std::string where;            ///< the device or workload it was measured on; may be empty
  bool operator==(const paper_number&) const = default;
};

struct figure {
  std::filesystem::path file;  ///< where this was read
  std::string name;            ///< "mlmq/fig8"
  std::string title;
  std::string finding;               ///< what the paper concludes from it
  std::string problem = "sssp";      ///< whose trials it shows
  std::vector<figure_sweep> sweeps;  ///< at least one
  std::filesystem::path plot;        ///< name of the script in plots/
  /// Workloads so small that a simulator can do them, or files that list such ones; at least one.
  std::vector<std::string> quick;
  bool needs_selector = false;  ///< shows what a selector picks for workloads it was not trained on
  std::vector<paper_number> paper;

  /// "mlmq_fig8": how its files are named.
  [[nodiscard]] std::string file_stem() const;
};

/// @throws input_error "FILE:LINE: …" for whatever is wrong: syntax, an unknown, repeated or missing key, a name that is
///   not PAPER/figN or PAPER/tableN, a sweep that is not there
[[nodiscard]] figure load_figure(const std::filesystem::path& file);

/// The same for a text; sweeps are relative to the folder of `file`.
[[nodiscard]] figure parse_figure(const std::string& text, const std::filesystem::path& file);

}  // namespace mlmq::reproduce
