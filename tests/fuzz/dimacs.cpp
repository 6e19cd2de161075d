// SPDX-License-Identifier: Apache-2.0
// Graphs as DIMACS text.
#include "tests/fuzz/graph_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlmq::fuzz::fuzz_reader(mlmq::graph::file_format::dimacs, mlmq::fuzz::as_text(data, size));
  return 0;
}
