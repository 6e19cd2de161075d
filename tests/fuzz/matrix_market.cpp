// SPDX-License-Identifier: Apache-2.0
// Graphs as Matrix Market files.
#include "tests/fuzz/graph_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlmq::fuzz::fuzz_reader(mlmq::graph::file_format::matrix_market, mlmq::fuzz::as_text(data, size));
  return 0;
}
