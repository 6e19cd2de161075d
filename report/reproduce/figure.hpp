// SPDX-License-Identifier: Apache-2.0
// A figure or table of a paper that this program can reproduce: the sweeps it needs, the script that draws it, and the
// numbers that the paper gives. Read from a file of experiments/figures/; docs/guide/figures.md describes the keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mlmq::reproduce {

/// Where a sweep of a figure runs.
enum class sweep_place {
  device,      ///< on the selected device; the figure is not drawn without it
  gpu,         ///< on the selected device unless that is a simulator: hardware counters, energy, and series that the
               ///< figure can be drawn without
  processors,  ///< on the CPU regardless of the selected device: competitors without a GPU version
};

/// A sweep whose results a figure shows.
struct figure_sweep {
  std::filesystem::path file;  ///< the experiment file
  sweep_place place = sweep_place::device;
};

/// A number or name that the paper states.
struct paper_number {
  std::string measure;          ///< identifier of the measure in the plot script
  std::string description;      ///< description, for a table
  std::optional<double> value;  ///< the number; if unset, `text` is set
  std::string text;             ///< a name, such as the best configuration
  std::string unit;             ///< "x", "%" or empty
  std::string measured_on;      ///< the device or workload it was measured on; may be empty
  bool operator==(const paper_number&) const = default;
};

struct figure {
  std::filesystem::path file;  ///< file that describes the figure
  std::string name;            ///< "mlmq/fig8"
  std::string title;
  std::string finding;               ///< the paper's conclusion
  std::string problem = "sssp";      ///< problem whose trials it shows
  std::vector<figure_sweep> sweeps;  ///< at least one
  /// Names of experiments whose trials are drawn if a record has none of `sweeps`; may be empty.
  std::vector<std::string> recorded;
  std::filesystem::path plot;  ///< name of the script, in the folder of `file` or in plots/
  /// Workloads that are small enough for the simulator, or files that list such workloads; at least one.
  std::vector<std::string> quick;
  bool needs_selector = false;  ///< whether it shows a selector's choices for workloads that it was not trained on
  std::vector<paper_number> paper;

  /// Returns the base name of the figure's files: "mlmq_fig8".
  [[nodiscard]] std::string file_stem() const;
};

/// Loads a figure.
/// @throws input_error "FILE:LINE: …" for invalid syntax, an unknown, repeated or missing key, a name that is not
///   PAPER/figN or PAPER/tableN, or a missing sweep file
[[nodiscard]] figure load_figure(const std::filesystem::path& file);

/// Parses the text of a figure file. Paths of sweeps are relative to the folder of `file`.
[[nodiscard]] figure parse_figure(const std::string& text, const std::filesystem::path& file);

}  // namespace mlmq::reproduce
