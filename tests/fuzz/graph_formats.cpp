// SPDX-License-Identifier: Apache-2.0
// Graph files in every format.
#include "tests/fuzz/graph_reader.hpp"
#include "tests/fuzz/targets.hpp"

namespace mlmq::fuzz {

using graph::file_format;

void csv(std::string_view content) { fuzz_read_only(file_format::csv, content); }
void dimacs(std::string_view content) { fuzz_reader(file_format::dimacs, content); }
void edge_list(std::string_view content) { fuzz_reader(file_format::snap, content); }
void galois(std::string_view content) { fuzz_reader(file_format::galois, content); }
void matrix_market(std::string_view content) { fuzz_reader(file_format::matrix_market, content); }
/// METIS: every edge must be in the lines of both its ends, which few mutated files satisfy.
void metis(std::string_view content) { fuzz_read_only(file_format::metis, content); }
void scipy(std::string_view content) { fuzz_read_only(file_format::scipy, content); }

}  // namespace mlmq::fuzz
