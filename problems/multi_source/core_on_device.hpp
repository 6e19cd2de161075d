// SPDX-License-Identifier: Apache-2.0
// The core of a reduced graph on a device, and where the searches of a request begin in it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "fill_in_abi.cuh"
#include "graph/reduced_graph.hpp"
#include "multi_source/multi_source_abi.cuh"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/packed_rows.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/device_reduction.hpp"

namespace mlmq::multi_source {

class core_on_device {
 public:
  /// @param input must outlive the object
  /// @throws backends::launch_error, backends::out_of_device_memory like problems::reduce()
  core_on_device(const solver_input& input, graph::reduction_extent extent);

  [[nodiscard]] std::size_t vertex_count() const { return steps_.back().core.vertex_count(); }
  /// Returns the number of vertices of the core that a first reduction left; 0 if there is only one.
  [[nodiscard]] std::size_t outer_size() const { return steps_.size() > 1 ? steps_.front().core.vertex_count() : 0; }
  [[nodiscard]] const problems::resident_graph& on_device() const { return on_device_; }
  [[nodiscard]] problems::resident_ell& ell_rows() { return ell_rows_; }
  [[nodiscard]] resident_packed_rows& packed_rows() { return packed_rows_; }

  /// Finds where the searches of a request begin in the core, and where they may end, with the threads of the host.
  void place(const search_request& request);
  /// Returns the arguments of a kernel for the searches of the last place().
  /// @param outer_distances  memory of the slots
  [[nodiscard]] core_search_arguments arguments(const multi_source_arguments& general, u32* marks,
                                                u32* outer_distances) const;

 private:
  using numbered_vertex = std::pair<graph::vertex_id, u32>;
  /// Where a range of searches begins in the core.
  struct found_starts {
    std::vector<core_search> searches;
    std::vector<search_seed> seeds;
    std::vector<inside_length> inside;
  };

  /// @param targets  in ascending order, with their numbers; empty: all vertices are asked for
  /// @param is_target  by vertex; empty without targets
  static void find_starts(std::span<graph::start_finder<graph::distance_bits>> finders,
                          std::span<const graph::vertex_id> sources, std::span<const numbered_vertex> targets,
                          std::span<const std::uint8_t> is_target, found_starts& result);
  void place_starts(std::span<const graph::vertex_id> sources, std::span<const numbered_vertex> targets);
  void place_ends(std::span<const numbered_vertex> targets);
  template <class T>
  void upload(problems::growing_memory& memory, const std::vector<T>& values, const char* name);

  const solver_input& input_;
  std::vector<problems::reduced_rows> steps_;  ///< one or two
  problems::resident_graph on_device_;
  problems::resident_ell ell_rows_;
  resident_packed_rows packed_rows_;
  std::vector<std::vector<graph::start_finder<graph::distance_bits>>> finders_;  ///< for each thread, one per step
  std::unique_ptr<thread_team> team_;                                            ///< once many starts are to be found
  std::vector<std::vector<fill_row>> fill_rows_;  ///< of each step, if there have been targets
  problems::growing_memory starts_;
  problems::growing_memory seeds_;
  problems::growing_memory inside_;
  problems::growing_memory end_targets_;
  u32 end_target_count_ = 0;
};

}  // namespace mlmq::multi_source
