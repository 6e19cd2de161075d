// SPDX-License-Identifier: Apache-2.0
// Writes the ELL rows (edges.cuh) of a graph on the device: the same words that the host writes for the same graph.
#include "edges.cuh"
#include "ell_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

/// Returns the number of overflow rows of a row with `degree` edges.
SIMT_DEVICE u32 overflow_rows(u64 degree, u32 width) {
  if (degree <= width || degree > max_ell_rows * width) return 0;
  return (static_cast<u32>(degree) - 2) / (width - 1);
}

SIMT_DEVICE u32 order_of(u64 edge) { return weighted_edges::weight(edge); }
SIMT_DEVICE u32 order_of(u32) { return 0; }

/// Reads the edges of a row in order of their value, lightest first; among equal ones the first.
template <class Word>
class row_reader {
 public:
  SIMT_DEVICE row_reader(const Word* edges, u32 degree, bool sorts) : edges_(edges), degree_(degree), sorts_(sorts) {}

  SIMT_DEVICE Word next() {
    if (!sorts_) return load_readonly(edges_ + taken_++);
    // Rows that need sorting are short.
    u32 best = degree_;
    u32 best_order = 0;
    for (u32 i = 0; i < degree_; ++i) {
      const u32 order = order_of(load_readonly(edges_ + i));
      const bool is_left = taken_ == 0 || order > last_order_ || (order == last_order_ && i > last_);
      if (is_left && (best == degree_ || order < best_order)) {
        best = i;
        best_order = order;
      }
    }
    ++taken_;
    last_ = best;
    last_order_ = best_order;
    return load_readonly(edges_ + best);
  }

 private:
  const Word* edges_;
  u32 degree_;
  bool sorts_;
  u32 taken_ = 0;
  u32 last_ = 0;
  u32 last_order_ = 0;
};

template <class Word>
SIMT_DEVICE void write_rows(Word* rows, u32 width, u32 vertex, u32 next_row, const Word* edges, u64 degree) {
  Word* row = rows + static_cast<u64>(vertex) * width;
  u32 filled = 0;
  if (degree > max_ell_rows * width) {
    store(row, Word{long_row});
    filled = 1;
  } else {
    u32 remaining = static_cast<u32>(degree);
    row_reader<Word> reader(edges, remaining, remaining > width);
    while (remaining > width) {
      for (u32 i = 0; i + 1 < width; ++i) store(row + i, reader.next());
      remaining -= width - 1;
      store(row + width - 1, Word{continuation | next_row});
      row = rows + static_cast<u64>(next_row++) * width;
    }
    for (; filled < remaining; ++filled) store(row + filled, reader.next());
  }
  for (; filled < width; ++filled) store(row + filled, Word{no_edge});
}

template <class Offset, class Word>
SIMT_DEVICE void write_all_rows(const ell_rows_arguments& arguments) {
  const auto* const offsets = static_cast<const Offset*>(arguments.offsets);
  const auto* const edges = static_cast<const Word*>(arguments.edges);
  const u32 warps = block_threads() / warp_size * grid_blocks();
  const u32 groups = arguments.vertices / warp_size + (arguments.vertices % warp_size != 0 ? 1u : 0u);
  for (u32 group = block_index() * (block_threads() / warp_size) + warp_in_block(); group < groups; group += warps) {
    const u32 vertex = group * warp_size + lane();
    const bool exists = vertex < arguments.vertices;
    const u64 begin = exists ? load_readonly(offsets + vertex) : 0;
    const u64 degree = exists ? load_readonly(offsets + vertex + 1) - begin : 0;
    const u32 more = overflow_rows(degree, arguments.width);
    const u32 before = inclusive_scan(more) - more;
    if (arguments.rows == nullptr) {
      if (lane() == warp_size - 1) store(arguments.overflow + group, before + more);
    } else if (exists) {
      write_rows(static_cast<Word*>(arguments.rows), arguments.width, vertex, load(arguments.overflow + group) + before,
                 edges + begin, degree);
    }
  }
}

}  // namespace

SIMT_KERNEL(ell_rows, mlmq::ell_rows_arguments) {
  if (arguments.unit_weights != 0) {
    if (arguments.wide_offsets != 0) {
      write_all_rows<u64, u32>(arguments);
    } else {
      write_all_rows<u32, u32>(arguments);
    }
  } else if (arguments.wide_offsets != 0) {
    write_all_rows<u64, u64>(arguments);
  } else {
    write_all_rows<u32, u64>(arguments);
  }
}
