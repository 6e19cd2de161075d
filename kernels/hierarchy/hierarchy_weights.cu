// SPDX-License-Identifier: Apache-2.0
// Gives the arcs of an elimination hierarchy their weights, and finds those that searches need (Dibbelt, Strasser and
// Wagner 2016, perfect customization).
//
// The arcs of a panel are a dense matrix of lengths, with a column per vertex and a row per other ancestor. As in the
// factorization of a sparse matrix, but with minimum and sum, all columns of a panel are eliminated together, and
// panels of one level do not depend on each other: the levels are visited from the leaves to the roots, then back, with
// barriers of the grid. Arcs between rows belong to other panels. They are found once per panel, not once per column.
#include "block_barrier.cuh"
#include "hierarchy/customization_abi.cuh"
#include "hierarchy/extrema.cuh"
#include "hierarchy/lengths.cuh"
#include "run_watch.cuh"
#include "simt/simt.cuh"

namespace mlmq::hierarchy {

class weight_finder {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE weight_finder(const customization_arguments& arguments, u32* shared)
      : arguments_(arguments),
        matrix_(shared + customization_barrier_words + simt::warp_in_block() * most_panel_columns * most_panel_columns),
        barrier_(
            {&arguments.control->status, &arguments.control->host_abort, simt::clock_ns() + arguments.time_limit_ns},
            &arguments.control->arrived, nullptr, simt::grid_blocks(), simt::block_index() == 0, shared) {}

  SIMT_DEVICE void run() {
    if (!set_edges() || !find_within() || !find_shortest()) return;
#if MLMQ_NEEDED_ARCS
    find_needed();
#endif
  }

 private:
  static constexpr barrier_periods periods = {
      .leader = 64, .abort = 64, .clock = 1024, .pause = 16, .polls_arrivals = true};
  static constexpr u32 upward = 0;
  static constexpr u32 downward = 1;

  SIMT_DEVICE static u32 thread() { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  SIMT_DEVICE static u32 threads() { return simt::grid_blocks() * simt::block_threads(); }
  /// Warps of different blocks have adjacent numbers, so that few tasks are spread over all multiprocessors.
  SIMT_DEVICE static u32 warp() { return simt::warp_in_block() * simt::grid_blocks() + simt::block_index(); }
  SIMT_DEVICE static u32 warps() { return threads() / simt::warp_size; }

  SIMT_DEVICE static void lower(u32* word, u32 length) {
    if (length < simt::load_atomic<order::relaxed, scope::device>(word))
      simt::atomic_min<order::relaxed, scope::device>(word, length);
  }

  /// Returns the length of two paths, or something not less than no_path if one of them does not exist.
  SIMT_DEVICE static u32 sum(u32 a, u32 b) {
    if constexpr (MLMQ_LONG_PATHS != 0) return joined_length(a, b);
    return path_length(a, b);
  }

  /// Returns the lengths in one direction as `upward`.
  SIMT_DEVICE static arc_lengths towards(u32 direction, const arc_lengths& lengths) {
    return direction == upward ? lengths : arc_lengths{lengths.downward, lengths.upward};
  }

  SIMT_DEVICE elimination_panel panel_at(u32 number) const { return simt::load(arguments_.panels + number); }
  SIMT_DEVICE u32 first_arc(const elimination_panel& panel, u32 column) const {
    return simt::load_readonly(arguments_.columns + panel.first_column + column);
  }

  /// Grid collective: visits all `parts` of elements first … end - 1, each with one warp.
  template <u32 parts = 1, class T, class Visit>
  SIMT_DEVICE static void for_each(const T* elements, u32 first, u32 end, const Visit& visit) {
    for (u32 i = parts * first + warp(); i < parts * end; i += warps())
      visit(simt::load(elements + i / parts), i % parts);
  }
  /// Like for_each(), of a level; also a barrier. @return false if the run is over
  template <u32 parts = 1, class T, class Visit>
  SIMT_DEVICE bool for_each_in_level(const T* elements, const u32* level_offsets, u32 level, const Visit& visit) {
    const u32 first = simt::load_readonly(level_offsets + level);
    const u32 end = simt::load_readonly(level_offsets + level + 1);
    if (first == end) return true;
    for_each<parts>(elements, first, end, visit);
    return barrier_.wait();
  }
  template <class Visit>
  SIMT_DEVICE bool for_each_tile(u32 level, const Visit& visit) {
    return for_each_in_level(arguments_.tiles, arguments_.level_tiles, level,
                             [&visit](const panel_tile& tile, u32 /*part*/) { visit(tile); });
  }
  /// Visits each strip with two warps, one for each direction.
  template <class Visit>
  SIMT_DEVICE bool for_each_strip_and_direction(u32 level, const Visit& visit) {
    return for_each_in_level<2>(arguments_.strips, arguments_.level_strips, level, visit);
  }

  SIMT_DEVICE bool set_edges() {
    for (u32 arc = thread(); arc < arguments_.arcs; arc += threads()) {
      simt::store(arguments_.within.upward + arc, no_path);
      simt::store(arguments_.within.downward + arc, no_path);
    }
    if (!barrier_.wait()) return false;
    for (u32 edge = thread(); edge < arguments_.edges; edge += threads()) {
      const u32 place = simt::load_readonly(arguments_.edge_arcs + edge);
      if (place == no_arc) continue;
      const arc_lengths within = towards(place % 2, arguments_.within);
      lower(within.upward + place / 2, simt::load(arguments_.edge_weights + edge));
    }
    return barrier_.wait();
  }

  SIMT_DEVICE bool find_within() {
    for (u32 level = 0; level < arguments_.levels; ++level) {
      const bool is_running =
          for_each_strip_and_direction(
              level, [this](const panel_strip& strip, u32 direction) { eliminate_columns(strip, direction); }) &&
          for_each_tile(level, [this](const panel_tile& tile) { relax_over_columns(tile); });
      if (!is_running) return false;
    }
    return true;
  }

  SIMT_DEVICE bool find_shortest() {
    for (u32 arc = thread(); arc < arguments_.arcs; arc += threads()) {
      const u32 up = simt::load(arguments_.within.upward + arc);
      const u32 down = simt::load(arguments_.within.downward + arc);
      simt::store(arguments_.shortest.upward + arc, up);
      simt::store(arguments_.shortest.downward + arc, down);
#if MLMQ_NEEDED_ARCS
      simt::store(arguments_.needed.upward + arc, up);
      simt::store(arguments_.needed.downward + arc, down);
#endif
    }
    if (!barrier_.wait()) return false;
    for (u32 level = arguments_.levels; level-- > 0;) {
      const bool is_running =
          for_each_tile(level, [this](const panel_tile& tile) { relax_over_rows(tile); }) &&
          for_each_strip_and_direction(
              level, [this](const panel_strip& strip, u32 direction) { substitute_columns(strip, direction); }) &&
          for_each_in_level(arguments_.strips, arguments_.level_strips, level,
                            [this](const panel_strip& strip, u32 /*part*/) {
                              if (strip.first_row == 0) close_columns(panel_at(strip.panel));
                            });
      if (!is_running) return false;
    }
    return true;
  }

  /// Returns the arc between two columns, from the lower one, which has the larger number.
  SIMT_DEVICE u32 arc_between(const elimination_panel& panel, u32 a, u32 b) const {
    return a > b ? first_arc(panel, a) + panel.rows + b : first_arc(panel, b) + panel.rows + a;
  }
  SIMT_DEVICE u32* between(u32 tail, u32 head) const { return matrix_ + tail * most_panel_columns + head; }
  /// Returns the `i`-th column from which this lane has lengths, all to the same column.
  SIMT_DEVICE static u32 tail_of_lane(u32 i) {
    return simt::lane() / most_panel_columns + i * (simt::warp_size / most_panel_columns);
  }
  SIMT_DEVICE static u32 head_of_lane() { return simt::lane() % most_panel_columns; }
  static constexpr u32 tails_of_lane = most_panel_columns * most_panel_columns / simt::warp_size;

  SIMT_DEVICE static bool is_pair(const elimination_panel& panel, u32 tail, u32 head) {
    return tail < panel.columns && head < panel.columns && tail != head;
  }
  SIMT_DEVICE u32* word_of(const elimination_panel& panel, const arc_lengths& lengths, u32 tail, u32 head) const {
    return (tail > head ? lengths.upward : lengths.downward) + arc_between(panel, tail, head);
  }
  /// Warp collective: loads the lengths between columns. Other warps may lower them.
  SIMT_DEVICE void load_matrix(const elimination_panel& panel, const arc_lengths& lengths) const {
    const u32 head = head_of_lane();
    u32 loaded[tails_of_lane];
#pragma unroll
    for (u32 i = 0; i < tails_of_lane; ++i) {
      loaded[i] = no_path;
      if (is_pair(panel, tail_of_lane(i), head))
        loaded[i] = simt::load_atomic<order::relaxed, scope::device>(word_of(panel, lengths, tail_of_lane(i), head));
    }
    simt::sync_warp();  // other lanes may still read the matrix of the previous panel
#pragma unroll
    for (u32 i = 0; i < tails_of_lane; ++i) simt::store(between(tail_of_lane(i), head), loaded[i]);
    simt::sync_warp();
  }
  /// Warp collective: stores the lengths between columns. Other warps may load them.
  SIMT_DEVICE void store_matrix(const elimination_panel& panel, const arc_lengths& lengths) const {
    const u32 head = head_of_lane();
#pragma unroll
    for (u32 i = 0; i < tails_of_lane; ++i) {
      if (!is_pair(panel, tail_of_lane(i), head)) continue;
      simt::store_atomic<order::relaxed, scope::device>(word_of(panel, lengths, tail_of_lane(i), head),
                                                        simt::load(between(tail_of_lane(i), head)));
    }
  }
  /// Warp collective: shortens the lengths between columns less than `end` by the paths over a column.
  SIMT_DEVICE void relax_over(u32 column, u32 end) const {
    const u32 head = head_of_lane();
    const u32 onward = simt::load(between(column, head));
    u32 lengths[tails_of_lane];
    u32 over_column[tails_of_lane];
#pragma unroll
    for (u32 i = 0; i < tails_of_lane; ++i) {
      lengths[i] = simt::load(between(tail_of_lane(i), head));
      over_column[i] = sum(simt::load(between(tail_of_lane(i), column)), onward);
    }
#pragma unroll
    for (u32 i = 0; i < tails_of_lane; ++i) {
      if (over_column[i] < lengths[i] && head < end && tail_of_lane(i) < end)
        simt::store(between(tail_of_lane(i), head), over_column[i]);
    }
    simt::sync_warp();
  }

  /// Loads the lengths of the arcs of all columns to a row. Those that do not exist are no_path.
  SIMT_DEVICE void load_row(u32* lengths, const u32* words, const elimination_panel& panel, u32 row) const {
#pragma unroll
    for (u32 column = 0; column < most_panel_columns; ++column) {
      lengths[column] = no_path;
      if (column < panel.columns && row < panel.rows)
        lengths[column] = simt::load(words + first_arc(panel, column) + row);
    }
  }
  SIMT_DEVICE void store_row(const u32* lengths, u32* words, const elimination_panel& panel, u32 row) const {
#pragma unroll
    for (u32 column = 0; column < most_panel_columns; ++column) {
      if (column < panel.columns && row < panel.rows)
        simt::store(words + first_arc(panel, column) + row, lengths[column]);
    }
  }

  /// Warp collective: shortens the arcs from columns to rows by the paths over lower columns, in one direction. The
  /// lengths between columns are found for this by all warps of a panel. One of them writes them, while others may
  /// still load them: they find the same, whether they load new lengths or old ones.
  SIMT_DEVICE void eliminate_columns(const panel_strip& strip, u32 direction) const {
    const elimination_panel panel = panel_at(strip.panel);
    const bool writes_matrix = strip.first_row == 0 && direction == upward;
    if (strip.first_row >= panel.rows && !writes_matrix) return;
    const arc_lengths within = towards(direction, arguments_.within);
    const u32 row = strip.first_row + simt::lane();
    u32 lengths[most_panel_columns];
    load_row(lengths, within.upward, panel, row);
    load_matrix(panel, within);
    for (u32 column = panel.columns - 1; column > 0; --column) relax_over(column, column);
    if (writes_matrix) store_matrix(panel, within);
#pragma unroll
    for (u32 lower = most_panel_columns - 1; lower > 0; --lower) {
      if (lower >= panel.columns) continue;
#pragma unroll
      for (u32 column = 0; column < lower; ++column)
        lengths[column] = smaller(lengths[column], sum(simt::load(between(column, lower)), lengths[lower]));
    }
    store_row(lengths, within.upward, panel, row);
  }

  /// What a lane has of a tile: a far row, and the same near rows as all lanes. Rows are clamped.
  struct tile_rows {
    elimination_panel panel;
    u32 far;
    u32 near[tile_near_rows];
    bool is_pair[tile_near_rows];
  };
  SIMT_DEVICE tile_rows rows_of(const panel_tile& tile) const {
    tile_rows rows;
    rows.panel = panel_at(tile.panel);
    const u32 far = (tile.first_rows >> 16) + simt::lane();
    rows.far = smaller(far, rows.panel.rows - 1);
#pragma unroll
    for (u32 i = 0; i < tile_near_rows; ++i) {
      const u32 near = (tile.first_rows & 0xFFFFu) + i;
      rows.near[i] = smaller(near, rows.panel.rows - 1);
      rows.is_pair[i] = far < near && near < rows.panel.rows;
    }
    return rows;
  }
  /// Returns the arc from a near row to the far row of this lane.
  SIMT_DEVICE u32 arc_of_pair(const tile_rows& rows, u32 i) const {
    const panel_row near = simt::load(arguments_.rows + rows.panel.first_row + rows.near[i]);
    return near.first_arc + simt::load_readonly(arguments_.places + near.first_place + rows.far);
  }

  /// Warp collective: shortens the arcs between rows by the paths over all columns.
  SIMT_DEVICE void relax_over_columns(const panel_tile& tile) const {
    const arc_lengths& within = arguments_.within;
    const tile_rows rows = rows_of(tile);
    u32 arcs[tile_near_rows];
    u32 up[tile_near_rows];
    u32 down[tile_near_rows];
#pragma unroll
    for (u32 i = 0; i < tile_near_rows; ++i) {
      arcs[i] = rows.is_pair[i] ? arc_of_pair(rows, i) : no_arc;
      up[i] = no_path;
      down[i] = no_path;
    }
#pragma unroll 4
    for (u32 column = 0; column < rows.panel.columns; ++column) {
      const u32 first = first_arc(rows.panel, column);
      const u32 far_up = simt::load(within.upward + first + rows.far);
      const u32 far_down = simt::load(within.downward + first + rows.far);
#pragma unroll
      for (u32 i = 0; i < tile_near_rows; ++i) {
        up[i] = smaller(up[i], sum(simt::load(within.downward + first + rows.near[i]), far_up));
        down[i] = smaller(down[i], sum(far_down, simt::load(within.upward + first + rows.near[i])));
      }
    }
#pragma unroll
    for (u32 i = 0; i < tile_near_rows; ++i) {
      if (!rows.is_pair[i]) continue;
      lower(within.upward + arcs[i], up[i]);
      lower(within.downward + arcs[i], down[i]);
    }
  }

  /// Warp collective: shortens the arcs from all columns to rows by the paths over other rows.
  SIMT_DEVICE void relax_over_rows(const panel_tile& tile) const {
    const arc_lengths& within = arguments_.within;
    const arc_lengths& shortest = arguments_.shortest;
    const tile_rows rows = rows_of(tile);
    u32 up[tile_near_rows];
    u32 down[tile_near_rows];
#pragma unroll
    for (u32 i = 0; i < tile_near_rows; ++i) {
      up[i] = no_path;
      down[i] = no_path;
      if (!rows.is_pair[i]) continue;
      const u32 arc = arc_of_pair(rows, i);
      up[i] = simt::load(shortest.upward + arc);
      down[i] = simt::load(shortest.downward + arc);
    }
    for (u32 column = 0; column < rows.panel.columns; ++column) {
      const u32 first = first_arc(rows.panel, column);
      const u32 far_up = simt::load(within.upward + first + rows.far);
      const u32 far_down = simt::load(within.downward + first + rows.far);
      u32 to_far = no_path;
      u32 from_far = no_path;
      u32 near_length = no_path;  // to a near row, or from one, in different lanes
#pragma unroll
      for (u32 i = 0; i < tile_near_rows; ++i) {
        to_far = smaller(to_far, sum(simt::load(within.upward + first + rows.near[i]), up[i]));
        from_far = smaller(from_far, sum(down[i], simt::load(within.downward + first + rows.near[i])));
        const u32 to_near = simt::warp_min(sum(far_up, down[i]));
        const u32 from_near = simt::warp_min(sum(up[i], far_down));
        if (simt::lane() == i) near_length = to_near;
        if (simt::lane() == tile_near_rows + i) near_length = from_near;
      }
      lower(shortest.upward + first + rows.far, to_far);
      lower(shortest.downward + first + rows.far, from_far);
      if (simt::lane() < 2 * tile_near_rows) {
        u32* const words = simt::lane() < tile_near_rows ? shortest.upward : shortest.downward;
        const u32 near = (tile.first_rows & 0xFFFFu) + simt::lane() % tile_near_rows;
        lower(words + first + smaller(near, rows.panel.rows - 1), near_length);
      }
    }
  }

  /// Warp collective: finds the shortest lengths from columns to rows in one direction, given those over rows, by
  /// paths over higher columns. Then shortens the arcs between columns in the other direction by the paths over rows.
  SIMT_DEVICE void substitute_columns(const panel_strip& strip, u32 direction) const {
    const elimination_panel panel = panel_at(strip.panel);
    if (strip.first_row >= panel.rows) return;
    const arc_lengths within = towards(direction, arguments_.within);
    const arc_lengths shortest = towards(direction, arguments_.shortest);
    const u32 row = strip.first_row + simt::lane();
    u32 lengths[most_panel_columns];
    load_row(lengths, shortest.upward, panel, row);
    load_matrix(panel, within);
#pragma unroll
    for (u32 column = 1; column < most_panel_columns; ++column) {
      if (column >= panel.columns) break;
#pragma unroll
      for (u32 higher = 0; higher < column; ++higher)
        lengths[column] = smaller(lengths[column], sum(simt::load(between(column, higher)), lengths[higher]));
    }
    store_row(lengths, shortest.upward, panel, row);
    u32 back[most_panel_columns];
    load_row(back, within.downward, panel, row);
#pragma unroll
    for (u32 column = 1; column < most_panel_columns; ++column) {
      if (column >= panel.columns) break;
      u32 length = no_path;  // from the column whose number is that of the lane
#pragma unroll
      for (u32 higher = 0; higher < column; ++higher) {
        const u32 over_rows = simt::warp_min(sum(lengths[higher], back[column]));
        if (simt::lane() == higher) length = over_rows;
      }
      if (simt::lane() < column)
        lower(shortest.downward + first_arc(panel, column) + panel.rows + simt::lane(), length);
    }
  }

  /// Warp collective: finds the shortest lengths between columns, given those over rows.
  SIMT_DEVICE void close_columns(const elimination_panel& panel) const {
    load_matrix(panel, arguments_.shortest);
    for (u32 column = 0; column < panel.columns; ++column) relax_over(column, panel.columns);
    store_matrix(panel, arguments_.shortest);
  }

#if MLMQ_NEEDED_ARCS
  /// An arc is not needed if a path as short only ascends, or only descends: over a nearer ancestor, by an arc of the
  /// length `within` between it and the tail, and an arc of the shortest length between it and the head.
  SIMT_DEVICE void find_needed() {
    for_each(arguments_.tiles, 0, simt::load_readonly(arguments_.level_tiles + arguments_.levels),
             [this](const panel_tile& tile, u32 /*part*/) { drop_replaced_over_rows(tile); });
    for_each(arguments_.strips, 0, simt::load_readonly(arguments_.level_strips + arguments_.levels),
             [this](const panel_strip& strip, u32 /*part*/) { drop_replaced_over_columns(strip); });
    if (!barrier_.wait()) return;
    for (u32 vertex = warp(); vertex < arguments_.vertex_count; vertex += warps()) write_needed_arcs(vertex);
  }

  /// Returns the length of an arc if no path is shorter, and otherwise no_path.
  SIMT_DEVICE static u32 shortest_arc(u32 within, u32 shortest) { return within == shortest ? within : no_path; }
  /// Returns the lengths of an arc in both directions, or no_path where another path is shorter.
  SIMT_DEVICE void load_shortest_arc(u32 arc, u32& up, u32& down) const {
    up = shortest_arc(simt::load(arguments_.within.upward + arc), simt::load(arguments_.shortest.upward + arc));
    down = shortest_arc(simt::load(arguments_.within.downward + arc), simt::load(arguments_.shortest.downward + arc));
  }
  SIMT_DEVICE static void drop(u32* needed) { simt::store_atomic<order::relaxed, scope::device>(needed, no_path); }

  /// Warp collective: drops arcs to far rows that paths over near rows replace.
  SIMT_DEVICE void drop_replaced_over_rows(const panel_tile& tile) const {
    const arc_lengths& within = arguments_.within;
    const tile_rows rows = rows_of(tile);
    u32 up[tile_near_rows];
    u32 down[tile_near_rows];
#pragma unroll
    for (u32 i = 0; i < tile_near_rows; ++i) {
      up[i] = no_path;
      down[i] = no_path;
      if (rows.is_pair[i]) load_shortest_arc(arc_of_pair(rows, i), up[i], down[i]);
    }
#pragma unroll 4
    for (u32 column = 0; column < rows.panel.columns; ++column) {
      const u32 first = first_arc(rows.panel, column);
      u32 to_far = no_path;
      u32 from_far = no_path;
#pragma unroll
      for (u32 i = 0; i < tile_near_rows; ++i) {
        to_far = smaller(to_far, sum(simt::load(within.upward + first + rows.near[i]), up[i]));
        from_far = smaller(from_far, sum(down[i], simt::load(within.downward + first + rows.near[i])));
      }
      if (to_far <= simt::load(within.upward + first + rows.far)) drop(arguments_.needed.upward + first + rows.far);
      if (from_far <= simt::load(within.downward + first + rows.far))
        drop(arguments_.needed.downward + first + rows.far);
    }
  }

  /// Warp collective: drops arcs to rows and columns that paths over columns replace.
  SIMT_DEVICE void drop_replaced_over_columns(const panel_strip& strip) const {
    const arc_lengths& within = arguments_.within;
    const elimination_panel panel = panel_at(strip.panel);
    const u32 row = strip.first_row + simt::lane();
    for (u32 middle = 0; middle + 1 < panel.columns; ++middle) {
      if (row >= panel.rows + middle) continue;
      u32 up;
      u32 down;
      load_shortest_arc(first_arc(panel, middle) + row, up, down);
      for (u32 column = middle + 1; column < panel.columns; ++column) {
        const u32 first = first_arc(panel, column);
        const u32 to_middle = first + panel.rows + middle;
        if (sum(simt::load(within.upward + to_middle), up) <= simt::load(within.upward + first + row))
          drop(arguments_.needed.upward + first + row);
        if (sum(down, simt::load(within.downward + to_middle)) <= simt::load(within.downward + first + row))
          drop(arguments_.needed.downward + first + row);
      }
    }
  }

  /// Returns the weight of an arc for searches. Saturated arcs are needed: which of two saturated paths is shorter is
  /// not known. @param needed `within`, or no_path if a path replaces it
  SIMT_DEVICE static u32 needed_weight(u32 within, u32 shortest, u32 needed) {
    if (is_saturated(within)) return within;
    return within <= shortest ? needed : no_path;
  }

  /// Warp collective: finds the arcs of a vertex that are needed, and writes those that upward searches need.
  SIMT_DEVICE void write_needed_arcs(u32 vertex) const {
    const u32 begin = simt::load_readonly(arguments_.first_arcs + vertex);
    const u32 end = simt::load_readonly(arguments_.first_arcs + vertex + 1);
    u32 written = 0;
    for (u32 first = begin; first < end; first += simt::warp_size) {
      const u32 arc = first + simt::lane();
      u32 weight = no_path;
      if (arc < end) {
        weight = needed_weight(simt::load(arguments_.within.upward + arc), simt::load(arguments_.shortest.upward + arc),
                               simt::load(arguments_.needed.upward + arc));
        u32* const down = arguments_.needed.downward + arc;
        simt::store(down, needed_weight(simt::load(arguments_.within.downward + arc),
                                        simt::load(arguments_.shortest.downward + arc), simt::load(down)));
      }
      const u32 needed_lanes = simt::ballot(weight != no_path);
      if (weight != no_path) {
        const u32 place = begin + written + simt::popcount(needed_lanes & simt::lanes_below());
        const u32 head = simt::load_readonly(arguments_.heads + arc);
        simt::store(arguments_.ascent_arcs + place,
                    hierarchy_item{simt::load(&arguments_.vertices[head].depth), weight});
      }
      written += simt::popcount(needed_lanes);
    }
    if (simt::lane() == 0) simt::store(&arguments_.vertices[vertex].arcs, written);
  }
#endif

  const customization_arguments& arguments_;
  u32* matrix_;  ///< of this warp: most_panel_columns by most_panel_columns lengths, from column to column
  block_barrier<periods, run_status> barrier_;
};

}  // namespace mlmq::hierarchy

SIMT_KERNEL(hierarchy_weights, mlmq::customization_arguments) {
  using namespace mlmq;
  hierarchy::weight_finder(arguments, reinterpret_cast<u32*>(simt::shared_memory())).run();
}
