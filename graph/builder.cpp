// SPDX-License-Identifier: Apache-2.0
#include "graph/builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/thread_team.hpp"

namespace mlmq::graph {
namespace {

/// Number of edges that one thread distributes, or rows that it sorts, between two checks of the stop token.
constexpr std::size_t edges_per_block = std::size_t{1} << 18;
constexpr std::size_t rows_per_block = std::size_t{1} << 12;

/// The rows during construction. @tparam Bits type of the weights' bit patterns
template <class Bits>
struct row_arrays {
  uninitialized_vector<edge_offset> offsets;
  uninitialized_vector<vertex_id> targets;
  uninitialized_vector<Bits> weight_bits;
};

/// An edge on its way to its row.
template <class Bits>
struct row_entry {
  vertex_id row;
  vertex_id target;
  Bits weight_bits;
};

/// Distributes the edges of a list to their rows, in two steps by all cores: first to ranges of rows, then within each
/// range, which fits into a cache. The order of the list is kept, whatever the number of threads.
template <class Bits>
class edge_distribution {
 public:
  edge_distribution(std::uint64_t vertex_count, const edge_list& edges, std::span<const Bits> weight_bits,
                    const build_options& options)
      : vertex_count_(vertex_count), edges_(edges), weight_bits_(weight_bits), options_(options) {
    // A range has enough edges to be worth a thread.
    const std::uint64_t range_count = std::clamp<std::uint64_t>(edges.size() / edges_per_range, 1, most_ranges);
    while ((vertex_count >> shift_) >= range_count) ++shift_;
    ranges_ = (vertex_count >> shift_) + 1;
    blocks_ = (edges.size() + edges_per_block - 1) / edges_per_block;
  }

  row_arrays<Bits> distribute() {
    std::vector<edge_offset> starts = range_starts();
    check_memory(vertex_count_, starts.back(), sizeof(row_entry<Bits>) + sizeof(vertex_id) + sizeof(Bits));
    uninitialized_vector<row_entry<Bits>> entries(starts.back());
    for_each_block(edges_.size(), edges_per_block, [&](std::size_t block, std::size_t first, std::size_t last) {
      throw_if_stopped();
      const std::span places = std::span(places_).subspan(block * ranges_, ranges_);
      for_each_entry(first, last,
                     [&](const row_entry<Bits>& entry) { entries[places[entry.row >> shift_]++] = entry; });
    });
    row_arrays<Bits> rows{.offsets = uninitialized_vector<edge_offset>(vertex_count_ + 1),
                          .targets = uninitialized_vector<vertex_id>(entries.size()),
                          .weight_bits = uninitialized_vector<Bits>(entries.size())};
    for_each_block(ranges_, 1, [&](std::size_t range, std::size_t, std::size_t) {
      throw_if_stopped();
      place(range, std::span(entries).subspan(starts[range], starts[range + 1] - starts[range]), starts[range], rows);
    });
    rows.offsets.back() = entries.size();
    return rows;
  }

 private:
  static constexpr std::uint64_t most_ranges = 2048;
  static constexpr std::uint64_t edges_per_range = std::uint64_t{1} << 14;

  /// Counts the entries of each block and range. @return the first entry of each range, and the number of entries
  std::vector<edge_offset> range_starts() {
    places_.assign(blocks_ * ranges_, 0);
    for_each_block(edges_.size(), edges_per_block, [&](std::size_t block, std::size_t first, std::size_t last) {
      throw_if_stopped();
      const std::span counts = std::span(places_).subspan(block * ranges_, ranges_);
      for (std::size_t i = first; i < last; ++i) require_ends(i);
      for_each_entry(first, last, [&](const row_entry<Bits>& entry) { ++counts[entry.row >> shift_]; });
    });
    std::vector<edge_offset> starts(ranges_ + 1);
    edge_offset sum = 0;
    for (std::size_t range = 0; range < ranges_; ++range) {
      starts[range] = sum;
      for (std::size_t block = 0; block < blocks_; ++block) sum += std::exchange(places_[block * ranges_ + range], sum);
    }
    starts[ranges_] = sum;
    return starts;
  }

  void require_ends(std::size_t i) const {
    const vertex_id u = edges_.sources[i];
    const vertex_id v = edges_.targets[i];
    if (u < vertex_count_ && v < vertex_count_) return;
    throw input_error(
        fmt::format("edge {} leads from vertex {} to vertex {}, but there are {} vertices", i, u, v, vertex_count_));
  }

  template <class Use>
  void for_each_entry(std::size_t first, std::size_t last, const Use& use) const {
    for (std::size_t i = first; i < last; ++i) {
      const vertex_id u = edges_.sources[i];
      const vertex_id v = edges_.targets[i];
      if (u == v && options_.drop_self_loops) continue;
      use(row_entry<Bits>{.row = u, .target = v, .weight_bits = weight_bits_[i]});
      if (options_.symmetric && u != v) use(row_entry<Bits>{.row = v, .target = u, .weight_bits = weight_bits_[i]});
    }
  }

  /// Places the entries of a range, the first one at position `start`.
  void place(std::size_t range, std::span<const row_entry<Bits>> entries, edge_offset start,
             row_arrays<Bits>& rows) const {
    const std::uint64_t first_row = std::uint64_t{range} << shift_;
    const std::uint64_t last_row = std::min(vertex_count_, (std::uint64_t{range} + 1) << shift_);
    if (first_row >= last_row) return;
    std::vector<edge_offset> positions(last_row - first_row, 0);
    for (const row_entry<Bits>& entry : entries) ++positions[entry.row - first_row];
    for (std::size_t i = 0; i < positions.size(); ++i) {
      rows.offsets[first_row + i] = start;
      start += std::exchange(positions[i], start);
    }
    for (const row_entry<Bits>& entry : entries) {
      const edge_offset position = positions[entry.row - first_row]++;
      rows.targets[position] = entry.target;
      rows.weight_bits[position] = entry.weight_bits;
    }
  }

  std::uint64_t vertex_count_;
  const edge_list& edges_;
  std::span<const Bits> weight_bits_;
  const build_options& options_;
  unsigned shift_ = 0;  ///< a range has 2^shift_ rows
  std::size_t ranges_ = 0;
  std::size_t blocks_ = 0;
  std::vector<edge_offset> places_;  ///< by block and range: number of entries, then the position of the next one
};

template <class Bits>
constexpr unsigned bit_count = 8 * sizeof(Bits);
__extension__ using wide_sort_key = unsigned __int128;
/// A target above the bits of a weight: numbers are compared faster than pairs.
template <class Bits>
using sort_key = std::conditional_t<sizeof(Bits) == 4, std::uint64_t, wide_sort_key>;

/// Sorts every row by (target, weight bits). The bits of non-negative floats have the same order as the floats.
template <class Bits>
void sort_rows(row_arrays<Bits>& rows) {
  for_each_block(rows.offsets.size() - 1, rows_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
    throw_if_stopped();
    std::vector<sort_key<Bits>> row;
    for (std::size_t v = first; v < last; ++v) {
      const edge_offset start = rows.offsets[v];
      row.clear();
      for (edge_offset i = start; i < rows.offsets[v + 1]; ++i)
        row.push_back(static_cast<sort_key<Bits>>(rows.targets[i]) << bit_count<Bits> | rows.weight_bits[i]);
      if constexpr (sizeof(Bits) == 4) {
        boost::sort::spreadsort::integer_sort(row.begin(), row.end());
      } else {
        std::sort(row.begin(), row.end());
      }
      for (std::size_t i = 0; i < row.size(); ++i) {
        rows.targets[start + i] = static_cast<vertex_id>(row[i] >> bit_count<Bits>);
        rows.weight_bits[start + i] = static_cast<Bits>(row[i]);
      }
    }
  });
}

/// Keeps only the first of equal targets in sorted rows.
template <class Bits>
void merge_duplicates(row_arrays<Bits>& rows) {
  edge_offset written = 0;
  edge_offset start = 0;
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    const edge_offset end = rows.offsets[v + 1];
    for (edge_offset i = start; i < end; ++i) {
      if (i > start && rows.targets[i] == rows.targets[i - 1]) continue;
      rows.targets[written] = rows.targets[i];
      rows.weight_bits[written] = rows.weight_bits[i];
      ++written;
    }
    start = end;
    rows.offsets[v + 1] = written;
  }
  rows.targets.resize(written);
  rows.weight_bits.resize(written);
}

csr_graph graph_of(row_arrays<std::uint32_t> rows, weight_type type) {
  const auto arrays = std::make_shared<row_arrays<std::uint32_t>>(std::move(rows));
  if (type == weight_type::float32) {
    constexpr std::uint32_t negative_zero = 0x80000000u;
    std::ranges::replace(arrays->weight_bits, negative_zero, 0u);
  }
  return {arrays->offsets, arrays->targets, arrays->weight_bits, type, arrays};
}

csr_graph graph_of(row_arrays<std::uint64_t> rows, weight_type) {
  std::vector<double> weights(rows.weight_bits.size());
  if (!weights.empty()) std::memcpy(weights.data(), rows.weight_bits.data(), weights.size() * sizeof(double));
  return {{rows.offsets.begin(), rows.offsets.end()}, {rows.targets.begin(), rows.targets.end()}, std::move(weights)};
}

template <class Bits>
csr_graph build(std::uint64_t vertex_count, const edge_list& edges, std::span<const Bits> weight_bits,
                const build_options& options) {
  if (edges.sources.size() != edges.targets.size() || edges.sources.size() != weight_bits.size()) {
    throw input_error(fmt::format("edge list: {} sources, {} targets and {} weights", edges.sources.size(),
                                  edges.targets.size(), weight_bits.size()));
  }
  check_memory(vertex_count, edges.size(), sizeof(vertex_id) + sizeof(Bits));
  row_arrays<Bits> rows = edge_distribution<Bits>(vertex_count, edges, weight_bits, options).distribute();
  if (options.sort_rows || options.merge_duplicates) sort_rows(rows);
  if (options.merge_duplicates) merge_duplicates(rows);
  return graph_of(std::move(rows), edges.type);
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
  return edges.type == weight_type::float64
             ? build(vertex_count, edges, std::span<const std::uint64_t>(edges.wide_weight_bits), options)
             : build(vertex_count, edges, std::span<const std::uint32_t>(edges.weight_bits), options);
}

}  // namespace mlmq::graph
