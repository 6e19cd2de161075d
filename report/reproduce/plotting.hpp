// SPDX-License-Identifier: Apache-2.0
// Runs the Python scripts that draw figures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/reproduce/figure.hpp"

namespace mlmq::reproduce {

/// Origin of the results.
enum class data_origin {
  measured,  ///< by this command, now or in an earlier run
  recorded,  ///< elsewhere: shipped with the program, or in a database given by the user
};

struct plot_request {
  std::filesystem::path database;
  data_origin origin = data_origin::measured;
  std::string device;                    ///< content hash of the GPU, or of the device that simulates one
  std::string processors;                ///< content hash of the processors that ran competitors; empty if none did
  std::vector<std::string> experiments;  ///< names; if the database has trials of them, the figure shows only those
  std::vector<std::string> workloads;    ///< content hashes; empty: all workloads of these experiments
  std::filesystem::path picks;           ///< the selector's choices; empty if the figure needs none
  bool incomplete = false;               ///< whether some measurements are missing
  std::string width = "page";            ///< "page", or "column" of a two-column paper
  bool stamp = true;                     ///< whether the figure names its source
};

/// Paths of a figure's files.
struct figure_files {
  std::filesystem::path request;  ///< .json
  std::filesystem::path svg;
  std::filesystem::path png;
  std::filesystem::path csv;    ///< the paper's numbers next to ours
  std::filesystem::path picks;  ///< the selector's choices, .picks.csv
};
[[nodiscard]] figure_files files_of(const figure& figure, const std::filesystem::path& folder);

/// Formats the request for the scripts in plots/ (plots/reproduction.py): a JSON file next to the figure, so that the
/// figure can be redrawn without this program.
[[nodiscard]] std::string to_json(const figure& figure, const plot_request& request);

/// The data that a script draws has not been measured.
class not_on_record : public work_error {
 public:
  using work_error::work_error;
};

/// Finds a Python with numpy and matplotlib: $MLMQ_PYTHON if set, else Debian's, else the first in PATH.
/// @throws input_error if none is found, naming the packages to install
[[nodiscard]] std::string find_python();

/// Runs a plot script on a request. @param modules folder of the modules that scripts share @return its output
/// @throws work_error with the script's output if it fails, not_on_record if its data has not been measured
[[nodiscard]] std::string run_script(const std::string& python, const std::filesystem::path& script,
                                     const std::filesystem::path& request, const std::filesystem::path& modules);

}  // namespace mlmq::reproduce
