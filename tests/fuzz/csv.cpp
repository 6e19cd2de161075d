// SPDX-License-Identifier: Apache-2.0
// Graphs as tables of edges.
#include "tests/fuzz/graph_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlmq::fuzz::fuzz_read_only(mlmq::graph::file_format::csv, mlmq::fuzz::as_text(data, size));
  return 0;
}
