// SPDX-License-Identifier: Apache-2.0
// One function per format and direction, for io.cpp. The file is known to exist and to be no
// folder.
#pragma once

#include <filesystem>

#include "graph/csr.hpp"
#include "graph/io.hpp"

namespace mlmq::graph {

[[nodiscard]] csr_graph read_dimacs(const std::filesystem::path& file, const read_options& options);
[[nodiscard]] csr_graph read_galois(const std::filesystem::path& file, const read_options& options);
[[nodiscard]] csr_graph read_matrix_market(const std::filesystem::path& file, const read_options& options);
[[nodiscard]] csr_graph read_snap(const std::filesystem::path& file, const read_options& options);

void write_dimacs(const csr_graph& graph, const std::filesystem::path& file);
void write_galois(const csr_graph& graph, const std::filesystem::path& file);
void write_matrix_market(const csr_graph& graph, const std::filesystem::path& file);
void write_snap(const csr_graph& graph, const std::filesystem::path& file);

}  // namespace mlmq::graph
