// SPDX-License-Identifier: Apache-2.0
// The figures that this program can reproduce.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/reproduce/figure.hpp"

namespace mlmq::reproduce {

/// Returns the databases of a folder like experiments/recorded/ that may have the trials of a figure, the one to prefer
/// first: `figures.sqlite.gz`, then `PROBLEM.trials`, or else `results.trials`. At least one.
/// @throws input_error if none exists, with alternatives
[[nodiscard]] std::vector<std::filesystem::path> recorded_databases(const std::filesystem::path& folder,
                                                                    const std::string& problem);

/// Loads the figures of a folder, ordered by paper, figures before tables, then by number.
/// @throws input_error if the folder has no figures, two have the same name, or a file cannot be read
[[nodiscard]] std::vector<figure> load_catalogue(const std::filesystem::path& folder);

/// Returns the figures with the given names, each once, in the order of the catalogue.
/// @param names  names of figures ("mlmq/fig8") or papers ("mlmq"), or "all"
/// @throws input_error for an unknown name, with a suggestion
[[nodiscard]] std::vector<figure> select_figures(std::span<const figure> catalogue, std::span<const std::string> names);

}  // namespace mlmq::reproduce
