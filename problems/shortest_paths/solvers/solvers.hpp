// SPDX-License-Identifier: Apache-2.0
// The table of solvers. Everything that other code must know about a solver is in its row, in solvers.cpp; a new solver
// is a new row, and files of its own.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {

class solver;
struct search_input;
struct variant_traits;

/// A row of the table. All solvers support searches with weights and by levels, and weights of 4 bytes, unless the row
/// says otherwise. The defaults are those of a kernel in kernels/baselines/.
struct solver_traits {
  std::string_view name = {};  ///< value of the parameter `solver`

  bool on_grid = true;            ///< a kernel for GPUs and the simulator; otherwise a search of backends/cpu/searches/
  bool uses_all_threads = false;  ///< on processors: uses all threads of the device, not only one
  bool only_levels = false;       ///< ignores weights, and only supports breadth-first search
  /// Supports weights of 8 bytes. Their distances do not fit into the elements of queues that several blocks write
  /// concurrently.
  bool wide_distances = true;
  bool reads_reverse_edges = false;  ///< searches for a level from its undiscovered vertices
  bool combines_queues = false;      ///< has the queues that l0, l1 and l2 name
  bool splits_graph = false;         ///< splits the graph into parts before the first search
  bool several_seeds = false;        ///< begins at several vertices if necessary, as in the core of a reduced graph

  std::string_view folder = "baselines/";  ///< of the kernel's file, in kernels/
  /// Each problem has a kernel, sssp or bfs. Otherwise the only kernel has the solver's name.
  bool kernel_per_problem = false;

  // Parameters that several solvers share. Configurations of other solvers do not have them.
  bool row_parameters = true;          ///< heavy_degree and blocks_per_multiprocessor: reads rows in device memory
  bool relaxation_parameters = false;  ///< ell_width and read_first
  bool relaxation_macros = false;      ///< the kernel reads the macros of ell_width and read_first
  bool frontier_parameters = false;    ///< one_block
  bool delta_rule = false;             ///< delta_rule, delta_c and delta_fixed
  bool piece_parameters = false;       ///< piece_edges, long_row and pull_share

  /// Declares the parameters that no earlier row declares; null: none.
  std::vector<tuner::parameter_declaration> (*declare)() = nullptr;
  /// Makes the solver.
  std::unique_ptr<solver> (*make)(const search_input& input) = nullptr;
  /// Sets the traits of a variant that depend on the graph; null: none. @throws backends::launch_error
  void (*set_graph_traits)(const tuner::configuration& chosen, const search_input& input,
                           variant_traits& traits) = nullptr;
  /// Adds the macros that depend on the traits of a variant; null: none.
  void (*add_macros)(const variant_traits& traits, std::map<std::string, std::string>& macros) = nullptr;
  /// Checks whether the blocks of a configuration fit a device, before the kernel is compiled; null: no requirement in
  /// addition to the threads of a block. @throws backends::launch_error
  void (*require_grid)(const tuner::configuration& chosen, const backends::device_info& device) = nullptr;
};

/// The solver of configurations that name none.
inline constexpr std::string_view default_solver = "mlmq";

/// Returns the table. A new row is the last one: the order of parameters and conditions follows from it.
[[nodiscard]] std::span<const solver_traits> all_solvers();

/// Returns the row of a solver. For an unknown name, which a recorded configuration may have, returns a row with
/// default values, without a name.
[[nodiscard]] const solver_traits& solver_named(std::string_view name);

/// Returns the row of the solver that a label of a whole configuration ("delta_c=1,solver=adds") names.
[[nodiscard]] const solver_traits& solver_in_label(std::string_view label);

/// Returns the names of the solvers with a property.
[[nodiscard]] std::vector<std::string> solvers_with(bool solver_traits::*property);

/// Returns the condition "solver == A or solver == B" of the solvers with a property.
[[nodiscard]] std::string any_solver_with(bool solver_traits::*property);

/// Returns the condition "solver != A and solver != B" of the solvers without a property.
[[nodiscard]] std::string no_solver_without(bool solver_traits::*property);

/// Declares the queues, and the parameters of rows and blocks that most kernels have.
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_mlmq();
/// Declares the parameters of frontiers, and the rule for Δ.
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_frontier();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_adds();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_delta_stepping();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_processor_bfs();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_push_pull();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_partitioned();
[[nodiscard]] std::vector<tuner::parameter_declaration> declare_near_pull();

}  // namespace mlmq::problems
