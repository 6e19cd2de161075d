// SPDX-License-Identifier: Apache-2.0
// Graphs as sparse matrices of SciPy: ZIP archives of NumPy arrays.
#include "tests/fuzz/graph_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlmq::fuzz::fuzz_read_only(mlmq::graph::file_format::scipy, mlmq::fuzz::as_text(data, size));
  return 0;
}
