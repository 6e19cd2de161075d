// SPDX-License-Identifier: Apache-2.0
// The page: one HTML file with its data, its scripts and the chart library inside. It needs no network.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mlmq::report {

/// The chart library, Apache ECharts, as it was fetched: installed with the program, or in the folder of its build.
/// @param named by the user; empty: one of these
/// @throws input_error when it is not there, saying how to get it, and when the file is another one
[[nodiscard]] std::string read_charts(const std::filesystem::path& named);

/// The whole file. @param charts the text of the chart library
[[nodiscard]] std::string make_page(const nlohmann::json& data, std::string_view title, std::string_view charts);

}  // namespace mlmq::report
