// SPDX-License-Identifier: Apache-2.0
// What a plot script is asked to draw: a JSON file beside the figure, so that the figure can be drawn again without
// this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/figure.hpp"

namespace mlmq::reproduce {

/// Where the results come from.
enum class data_origin {
  measured,  ///< by this command, now or earlier
  recorded,  ///< somewhere else: the data that comes with the program, or a database that was named
};

struct plot_request {
  std::filesystem::path database;
  data_origin origin = data_origin::measured;
  std::string device;      ///< content hash of the GPU, or of what simulates one
  std::string processors;  ///< content hash of the processors that competitors ran on; "" when there are none
  std::vector<std::string> experiments;  ///< names; the figure shows their trials only, if the database has any
  std::vector<std::string> workloads;    ///< content hashes; empty: all of these experiments
  std::filesystem::path picks;           ///< of the selector; empty when the figure needs none
  bool incomplete = false;               ///< not all of it was measured
};

/// The files of a figure.
struct figure_files {
  std::filesystem::path request;  ///< .json
  std::filesystem::path svg;
  std::filesystem::path png;
  std::filesystem::path csv;    ///< the paper's numbers beside ours
  std::filesystem::path picks;  ///< of the selector, .picks.csv
};
[[nodiscard]] figure_files files_of(const figure& what, const std::filesystem::path& folder);

/// The request as the scripts of plots/ read it (plots/reproduction.py).
[[nodiscard]] std::string to_json(const figure& what, const plot_request& request);

}  // namespace mlmq::reproduce
