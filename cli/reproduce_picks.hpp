// SPDX-License-Identifier: Apache-2.0
// What selectors choose for the workloads of a figure.
#pragma once

#include <filesystem>
#include <string>

#include "report/reproduce/figure.hpp"
#include "report/reproduce/plotting.hpp"

namespace mlmq::cli {

/// Writes what selectors choose for all graphs of the figure's experiments, among the queues that were tried on all of
/// them, each learned from other graphs: the shipped selector's method, judged on kinds of graphs that it has not seen
/// (column pick) and on other graphs of all kinds (same_split), and the method of MLMQ, a random forest of eight
/// features that learns from 70 % of the graphs (forest); and the best fixed configuration (fixed).
void write_picks(const std::filesystem::path& path, const reproduce::figure& figure,
                 const reproduce::plot_request& request, const std::string& device_name);

}  // namespace mlmq::cli
