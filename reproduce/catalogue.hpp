// SPDX-License-Identifier: Apache-2.0
// All figures that this program can draw again.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reproduce/figure.hpp"

namespace mlmq::reproduce {

/// The figures of a folder: by paper, figures before tables, by number.
/// @throws input_error when the folder has none, two have one name, or one cannot be read
[[nodiscard]] std::vector<figure> load_catalogue(const std::filesystem::path& folder);

/// Those with the given names, each once, in the order of the catalogue. A name is a figure's ("mlmq/fig8"), that of a
/// paper ("mlmq"), or "all". @throws input_error for another one, saying what was probably meant
[[nodiscard]] std::vector<figure> select_figures(std::span<const figure> catalogue, std::span<const std::string> names);

}  // namespace mlmq::reproduce
