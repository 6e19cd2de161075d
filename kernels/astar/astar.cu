// SPDX-License-Identifier: Apache-2.0
// Shortest paths between pairs of cells of a grid. Every warp repeatedly takes the next search that has not started,
// until none is left; warps share nothing else. The first search that cannot finish stops them all.
//
// Shared memory of a block: the legal steps of all cells (if stored there), the tables of all warps (if stored there),
// then the shared part of their open lists.
#include "astar/astar_abi.cuh"
#include "astar/configuration.cuh"
#include "astar/jump_search.cuh"
#include "astar/open_list.cuh"
#include "astar/paper_search.cuh"
#include "astar/path_writer.cuh"
#include "astar/search.cuh"
#include "simt/simt.cuh"

namespace path_finding {

inline constexpr u32 alignment = 16;
SIMT_DEVICE u32 aligned(u32 bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Returns the legal steps of all cells, copied to shared memory by the whole block if the variant stores them there.
SIMT_DEVICE map_view map_of(const astar_arguments& arguments) {
  if constexpr (moves_in_shared) {
    u8* const copy = simt::shared_memory();
    for (u32 i = simt::thread_in_block(); i < arguments.cells; i += simt::block_threads()) {
      simt::store(copy + i, simt::load_readonly(arguments.moves + i));
    }
    simt::sync_block();
    return {copy, arguments.column_bits};
  }
  return {arguments.moves, arguments.column_bits};
}

/// Hands out search numbers from a counter that all warps share.
class search_numbers {
 public:
  SIMT_DEVICE explicit search_numbers(astar_control* control) : control_(control) { claim(); }
  /// Returns the next search of this warp, and claims the one after it in advance to hide the latency of the claim.
  SIMT_DEVICE u32 next() {
    const u32 number = simt::shuffle(claimed_, 0);
    claim();
    return number;
  }

 private:
  SIMT_DEVICE void claim() {
    if (simt::lane() == 0) claimed_ = simt::atomic_add<simt::order::relaxed, simt::scope::device>(&control_->next, 1u);
  }

  astar_control* control_;
  u32 claimed_ = 0;
};

/// Records how a search ended; a failed search stops all others.
SIMT_DEVICE void record(const astar_arguments& arguments, u32 search, const search_end& end) {
  if (simt::lane() != 0) return;
  simt::store(arguments.lengths + search, end.length);
  if (end.status == astar_status::finished) return;
  simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(&arguments.control->status, 0u,
                                                                           static_cast<u32>(end.status));
  simt::store_atomic<simt::order::relaxed, simt::scope::device>(&arguments.control->abort, 1u);
}

/// @param search_pair callable as search_end(u32 search, const astar_pair&, stop_signal&), which runs a search and
///   writes its path
template <class SearchPair>
SIMT_DEVICE void run_searches(const astar_arguments& arguments, const SearchPair& search_pair) {
  stop_signal stop(arguments.control, arguments.limit_ns);
  search_numbers numbers(arguments.control);
  for (u32 search = numbers.next(); search < arguments.searches; search = numbers.next()) {
    const astar_pair pair{simt::load_readonly(&arguments.pairs[search].start),
                          simt::load_readonly(&arguments.pairs[search].goal)};
    const search_end end = search_pair(search, pair, stop);
    record(arguments, search, end);
    if (end.status != astar_status::finished) break;
    simt::sync_warp();  // all lanes have read the table before it is cleared
  }
}

template <class Table>
SIMT_DEVICE void run_cell_searches(const astar_arguments& arguments, const map_view& map, Table& table, open_list& open,
                                   search_counts& counts) {
  run_searches(arguments, [&](u32 search, const astar_pair& pair, stop_signal& stop) {
    search_end end;
    table.begin(arguments.first_stamp - search);
    if constexpr (exact_mode) {
      end = warp_search<Table, open_list>(map, table, open, counts).run(pair, stop);
    } else {
      end = paper_search<Table, open_list>(map, table, open, counts).run(pair, stop);
    }
    if constexpr (write_paths) {
      if (end.status == astar_status::finished && end.length != no_length) {
        path_writer path(arguments, search, end.length);
        end.status = write_path(map, table, pair.goal, path, stop);
      }
    }
    return end;
  });
}

SIMT_DEVICE void run_jump_searches(const astar_arguments& arguments, const map_view& map, u64* words, open_list& open,
                                   search_counts& counts) {
  run_searches(arguments, [&](u32 search, const astar_pair& pair, stop_signal& stop) {
    jump_map reached_cells(words, arguments.first_stamp - search);
    search_end end = jump_search<open_list>(map, arguments.jumps, reached_cells, open, counts).run(pair, stop);
    if constexpr (write_paths) {
      if (end.status == astar_status::finished && end.length != no_length) {
        path_writer path(arguments, search, end.length);
        end.status = write_jump_path(map, arguments.cells, reached_cells, pair.goal, path, stop);
      }
    }
    return end;
  });
}

}  // namespace path_finding

SIMT_KERNEL(astar, astar_arguments) {
  using namespace path_finding;
  const map_view map = map_of(arguments);
  const u32 warp = simt::warp_in_block();
  const u32 slot = simt::block_index() * (simt::block_threads() / simt::warp_size) + warp;
  const u32 table_bytes = table_in_shared ? aligned(arguments.cells * static_cast<u32>(sizeof(u32))) : 0;
  u8* const tables = simt::shared_memory() + (moves_in_shared ? aligned(arguments.cells) : 0);
  u8* const lists = tables + simt::block_threads() / simt::warp_size * table_bytes;
  u64* const words = arguments.tables + static_cast<u64>(slot) * arguments.cells;
  open_list open = open_list_of(arguments, slot, lists);
  search_counts counts(arguments.counters);
  if constexpr (jumping) {
    run_jump_searches(arguments, map, words, open, counts);
  } else if constexpr (table_in_shared) {
    shared_table table(reinterpret_cast<u32*>(tables + warp * table_bytes), arguments.cells);
    run_cell_searches(arguments, map, table, open, counts);
  } else {
    stamped_table table(words, arguments.cells);
    run_cell_searches(arguments, map, table, open, counts);
  }
  counts.store(arguments.counters);
  open.store_counts(arguments.counters);
}
