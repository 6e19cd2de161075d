// SPDX-License-Identifier: Apache-2.0
#include "graph/builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace mlmq::graph {
namespace {

/// Number of edges or rows between two checks of the stop token, which takes some milliseconds.
constexpr std::size_t stop_check_interval = std::size_t{1} << 16;

/// The rows during construction. @tparam Bits type of the weights' bit patterns
template <class Bits>
struct row_arrays {
  std::vector<edge_offset> offsets;
  std::vector<vertex_id> targets;
  std::vector<Bits> weight_bits;
};

template <class Bits>
row_arrays<Bits> distribute(std::uint64_t vertex_count, const edge_list& edges, const std::vector<Bits>& weight_bits,
                            const build_options& options) {
  std::vector<edge_offset> offsets(vertex_count + 1, 0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i % stop_check_interval == 0) throw_if_stopped();
    const vertex_id u = edges.sources[i];
    const vertex_id v = edges.targets[i];
    if (u >= vertex_count || v >= vertex_count) {
      throw input_error(
          fmt::format("edge {} leads from vertex {} to vertex {}, but there are {} vertices", i, u, v, vertex_count));
    }
    if (u == v) {
      if (!options.drop_self_loops) ++offsets[u + std::size_t{1}];
      continue;
    }
    ++offsets[u + std::size_t{1}];
    if (options.symmetric) ++offsets[v + std::size_t{1}];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) offsets[v + 1] += offsets[v];
  const edge_offset edge_count = offsets.back();
  check_memory(vertex_count, edge_count, sizeof(vertex_id) + sizeof(Bits));

  row_arrays<Bits> rows{
      .offsets = {}, .targets = std::vector<vertex_id>(edge_count), .weight_bits = std::vector<Bits>(edge_count)};
  // The start of each row serves as its write position, which advances to the start of the next row.
  const auto place = [&](vertex_id row, vertex_id target, Bits bits) {
    const edge_offset position = offsets[row]++;
    rows.targets[position] = target;
    rows.weight_bits[position] = bits;
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i % stop_check_interval == 0) throw_if_stopped();
    const vertex_id u = edges.sources[i];
    const vertex_id v = edges.targets[i];
    if (u == v && options.drop_self_loops) continue;
    place(u, v, weight_bits[i]);
    if (options.symmetric && u != v) place(v, u, weight_bits[i]);
  }
  std::move_backward(offsets.begin(), offsets.end() - 1, offsets.end());
  offsets.front() = 0;
  rows.offsets = std::move(offsets);
  return rows;
}

/// Sorts every row by (target, weight bits), and optionally keeps only the first of equal targets. The bits of
/// non-negative floats have the same order as the floats.
template <class Bits>
void sort_rows(row_arrays<Bits>& rows, bool merge) {
  std::vector<std::pair<vertex_id, Bits>> row;
  edge_offset written = 0;
  edge_offset start = 0;
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    if (v % stop_check_interval == 0) throw_if_stopped();
    const edge_offset end = rows.offsets[v + 1];
    row.clear();
    for (edge_offset i = start; i < end; ++i) {
      row.emplace_back(rows.targets[i], rows.weight_bits[i]);
    }
    std::sort(row.begin(), row.end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (merge && i > 0 && row[i].first == row[i - 1].first) continue;
      rows.targets[written] = row[i].first;
      rows.weight_bits[written] = row[i].second;
      ++written;
    }
    start = end;
    rows.offsets[v + 1] = written;
  }
  rows.targets.resize(written);
  rows.weight_bits.resize(written);
}

template <class Float, class Bits>
csr_graph::weight_array as_floats(const std::vector<Bits>& bits) {
  static_assert(sizeof(Float) == sizeof(Bits));
  std::vector<Float> floats(bits.size());
  if (!bits.empty()) std::memcpy(floats.data(), bits.data(), bits.size() * sizeof(Float));
  return floats;
}

csr_graph::weight_array as_weights(std::vector<std::uint32_t> bits, weight_type type) {
  if (type == weight_type::uint32) return bits;
  return as_floats<float>(bits);
}
csr_graph::weight_array as_weights(const std::vector<std::uint64_t>& bits, weight_type) {
  return as_floats<double>(bits);
}

template <class Bits>
csr_graph build(std::uint64_t vertex_count, const edge_list& edges, const std::vector<Bits>& weight_bits,
                const build_options& options) {
  if (edges.sources.size() != edges.targets.size() || edges.sources.size() != weight_bits.size()) {
    throw input_error(fmt::format("edge list: {} sources, {} targets and {} weights", edges.sources.size(),
                                  edges.targets.size(), weight_bits.size()));
  }
  check_memory(vertex_count, edges.size(), sizeof(vertex_id) + sizeof(Bits));
  row_arrays<Bits> rows = distribute(vertex_count, edges, weight_bits, options);
  if (options.sort_rows || options.merge_duplicates) sort_rows(rows, options.merge_duplicates);
  return {std::move(rows.offsets), std::move(rows.targets), as_weights(std::move(rows.weight_bits), edges.type)};
}

}  // namespace

void check_memory(std::uint64_t vertex_count, std::uint64_t edge_count, double bytes_per_edge) {
  // A header can announce billions of vertices in a few bytes. An error message is better than being killed for lack of
  // memory.
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return;
  const double gib = 1024.0 * 1024.0 * 1024.0;
  const double available = static_cast<double>(pages) * static_cast<double>(page_size) / gib;
  const double needed =
      (16.0 * static_cast<double>(vertex_count) + bytes_per_edge * static_cast<double>(edge_count)) / gib;
  if (needed > available) {
    throw input_error(
        fmt::format("a graph with {} vertices and {} edges needs {:.1f} GiB, but this machine has "
                    "{:.1f} GiB of memory",
                    vertex_count, edge_count, needed, available));
  }
}

csr_graph build_csr(std::uint64_t vertex_count, const edge_list& edges, const build_options& options) {
  return edges.type == weight_type::float64 ? build(vertex_count, edges, edges.wide_weight_bits, options)
                                            : build(vertex_count, edges, edges.weight_bits, options);
}

}  // namespace mlmq::graph
