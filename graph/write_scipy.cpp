// SPDX-License-Identifier: Apache-2.0
// Writes a csr matrix for scipy.sparse.load_npz: NumPy arrays in a ZIP archive.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/zip_archive.hpp"
#include "graph/formats.hpp"

namespace mlmq::graph {
namespace {

/// Returns the header of an array in NumPy's format, version 1.0. The data starts at a multiple of 64 bytes.
std::string array_header(const std::string& type, const std::string& shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  constexpr std::size_t before = 10;
  dictionary.resize((before + dictionary.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  dictionary += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

template <class Number>
void add_numbers(zip_writer& archive, const std::string& name, const char* type, std::span<const Number> numbers) {
  archive.add(name + ".npy", array_header(type, fmt::format("({},)", numbers.size())), std::as_bytes(numbers));
}

/// Converts numbers of arrays to the type that SciPy uses for them.
template <class Index, class Number>
void add_indices(zip_writer& archive, const std::string& name, std::span<const Number> numbers) {
  const std::vector<Index> converted(numbers.begin(), numbers.end());
  add_numbers<Index>(archive, name, sizeof(Index) == 4 ? "<i4" : "<i8", converted);
}

}  // namespace

void write_scipy(const csr_graph& graph, const std::filesystem::path& file) {
  if (file.extension() == ".gz") {
    throw input_error(fmt::format("{}: SciPy cannot read compressed archives; leave .gz out", file.string()));
  }
  zip_writer archive(file);
  const std::uint64_t largest = std::max<std::uint64_t>(graph.vertex_count(), graph.edge_count());
  if (largest <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    add_indices<std::int32_t>(archive, "indices", graph.targets());
    add_indices<std::int32_t>(archive, "indptr", graph.offsets());
  } else {
    add_indices<std::int64_t>(archive, "indices", graph.targets());
    add_indices<std::int64_t>(archive, "indptr", graph.offsets());
  }
  const std::string format = "csr";
  archive.add("format.npy", array_header("|S3", "()"), std::as_bytes(std::span(format)));
  const std::array<std::int64_t, 2> shape{graph.vertex_count(), graph.vertex_count()};
  add_numbers<std::int64_t>(archive, "shape", "<i8", shape);
  switch (graph.weights()) {
    case weight_type::uint32:
      add_numbers(archive, "data", "<u4", graph.weight_bits());
      break;
    case weight_type::float32:
      add_numbers(archive, "data", "<f4", graph.weight_bits());
      break;
    case weight_type::float64:
      add_numbers(archive, "data", "<f8", graph.wide_weight_bits());
      break;
  }
  archive.commit();
}

}  // namespace mlmq::graph
