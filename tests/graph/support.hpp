// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of this folder: temporary files, gzip, abbreviations.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "graph/csr.hpp"
#include "tests/support/scratch_folder.hpp"

namespace mlmq::graph::test {

using tests::scratch_folder;

inline std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (numbers.size() > 0) std::memcpy(bytes.data(), std::data(numbers), bytes.size());
  return bytes;
}

/// Returns the message of the input_error that `action` throws, or a note that none was thrown.
template <class Action>
std::string error_of(Action&& action) {
  try {
    static_cast<void>(action());
  } catch (const input_error& error) {
    return error.what();
  }
  return "(no input_error)";
}

inline std::vector<edge_offset> offsets_of(const csr_graph& graph) {
  return {graph.offsets().begin(), graph.offsets().end()};
}
inline std::vector<vertex_id> targets_of(const csr_graph& graph) {
  return {graph.targets().begin(), graph.targets().end()};
}
inline std::vector<double> weights_of(const csr_graph& graph) {
  std::vector<double> weights;
  for (edge_offset i = 0; i < graph.edge_count(); ++i) weights.push_back(graph.weight(i));
  return weights;
}
inline bool same_graph(const csr_graph& a, const csr_graph& b) {
  return offsets_of(a) == offsets_of(b) && targets_of(a) == targets_of(b) && a.weights() == b.weights() &&
         weights_of(a) == weights_of(b);
}

using offset_list = std::vector<edge_offset>;
using target_list = std::vector<vertex_id>;
using weight_list = std::vector<double>;

}  // namespace mlmq::graph::test
