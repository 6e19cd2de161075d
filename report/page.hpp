// SPDX-License-Identifier: Apache-2.0
// Builds the page: one HTML file that contains its data, its scripts and the chart library. It needs no network.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mlmq::report {

/// Reads the chart library, Apache ECharts: the copy installed with the program, or the one in the folder of its build.
/// @param named file given by the user; empty: one of these copies
/// @throws input_error if the library is missing, explaining how to get it, or the file is not the library
[[nodiscard]] std::string read_charts(const std::filesystem::path& named);

/// Returns the HTML file. @param charts the text of the chart library
/// @param is_live the page may ask its server for new contents
[[nodiscard]] std::string make_page(const nlohmann::json& data, std::string_view title, std::string_view charts,
                                    bool is_live = false);

}  // namespace mlmq::report
