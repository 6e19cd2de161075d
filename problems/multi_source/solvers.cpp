// SPDX-License-Identifier: Apache-2.0
// The table of solvers, and the parameters of all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::multi_source {

extern const solver_traits block_row;
extern const solver_traits group_row;
extern const solver_traits hierarchy_row;
extern const solver_traits supernode_row;
extern const solver_traits cpu_dijkstra_row;
extern const solver_traits cpu_hierarchy_row;

namespace {

using tuner::parameter_declaration;
using tuner::value_type;

/// A new row is the last one: the order of parameters follows from it.
constexpr std::array solver_table{&block_row,     &group_row,        &hierarchy_row,
                                  &supernode_row, &cpu_dijkstra_row, &cpu_hierarchy_row};

/// Returns text about each solver on one kind of device.
template <class Text>
std::string join_solvers(bool on_grid, std::string_view separator, const Text& text) {
  std::vector<std::string> texts;
  for (const solver_traits* const row : solver_table) {
    if (row->on_grid == on_grid) texts.push_back(text(*row));
  }
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string any_kernel() {
  return join_solvers(true, " or ", [](const solver_traits& row) { return fmt::format("solver == {}", row.name); });
}

std::vector<parameter_declaration> all_declarations() {
  const auto meaning_of = [](const char* form) {
    return [form](const solver_traits& row) { return fmt::format(fmt::runtime(form), row.name, row.meaning); };
  };
  std::vector<parameter_declaration> declared{
      {.name = "solver",
       .type = value_type::text,
       .default_value = std::string(block_row.name),
       .description = fmt::format("{}; on processors: {}", join_solvers(true, "; ", meaning_of("{}: {}")),
                                  join_solvers(false, "; ", meaning_of("{}, {}")))},
      {.name = "threads",
       .default_value = 256,
       .description = "threads per block, a multiple of 32",
       .when = any_kernel(),
       .minimum = 32,
       .maximum = 1024,
       .limits = {tuner::whole_warps()}},
      {.name = "blocks",
       .default_value = 4,
       .description = "resident blocks per multiprocessor; more blocks leave fewer registers per thread",
       .when = any_kernel(),
       .minimum = 1,
       .maximum = 24,
       .macro = {.name = "MLMQ_BLOCKS"}},
      problems::declared_reduction(fmt::format("solver == {} or solver == {}", block_row.name, cpu_dijkstra_row.name))};
  for (const solver_traits* const row : solver_table) {
    declared.front().allowed.emplace_back(row->name);
    if (row->declare != nullptr) std::ranges::move(row->declare(), std::back_inserter(declared));
  }
  return declared;
}

tuner::parameter_values values_of(const tuner::configuration& chosen) {
  return tuner::parameter_values(declared_parameters(), chosen);
}

}  // namespace

const solver_traits& solver_named(std::string_view name) {
  const auto row = std::ranges::find(solver_table, name, [](const solver_traits* each) { return each->name; });
  if (row == solver_table.end()) throw std::logic_error(fmt::format("no solver '{}' of many searches", name));
  return **row;
}

std::span<const parameter_declaration> declared_parameters() {
  static const std::vector<parameter_declaration> declarations = all_declarations();
  return declarations;
}

std::string solver_of(const tuner::configuration& chosen) { return values_of(chosen).text("solver"); }

std::vector<problems::checked_configuration> checked_configurations() {
  std::vector<problems::checked_configuration> checked;
  for (const solver_traits* const row : solver_table) {
    if (row->checks != nullptr) std::ranges::move(row->checks(), std::back_inserter(checked));
  }
  return checked;
}

std::string kernel_file(const solver_traits& solver) {
  return fmt::format("{}{}_search.cu", solver.folder, solver.name);
}

host_parameters::host_parameters(const tuner::configuration& chosen)
    : solver(solver_of(chosen)),
      threads(values_of(chosen).whole("threads")),
      blocks(values_of(chosen).whole("blocks")),
      delta(values_of(chosen).real("delta")),
      near_items(values_of(chosen).whole("near_items")),
      ell_width(values_of(chosen).whole("ell_width")),
      packed_rows(values_of(chosen).flag("packed_rows")),
      by_place(values_of(chosen).text("order") == "place"),
      parts(values_of(chosen).whole("parts")),
      concurrent(values_of(chosen).whole("concurrent")),
      reduction(problems::reduction_of(chosen)) {}

backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                       graph::weight_type weights, bool count, bool has_long_paths) {
  const host_parameters numbers(chosen);
  const solver_traits& traits = solver_named(numbers.solver);
  if (numbers.packed_rows && weights == graph::weight_type::float64) {
    throw backends::launch_error("packed_rows: only whole weights can be packed");
  }
  if (numbers.packed_rows && kind == problems::search_kind::bfs) {
    throw backends::launch_error("packed_rows: without weights an edge takes 32 bits anyway");
  }
  backends::kernel_source source{.file = kernel_file(traits),
                                 .entry = numbers.solver + "_search",
                                 .block_threads = numbers.threads,
                                 .defines = values_of(chosen).macros(numbers.solver),
                                 .folder = {}};
  source.defines.emplace("MLMQ_COUNTERS", count ? "1" : "0");
  if (traits.has_hierarchy) {
    source.defines.emplace("MLMQ_LONG_PATHS", has_long_paths ? "1" : "0");
    return source;
  }
  source.defines.emplace("MLMQ_DISTANCE", problems::distance_class(weights));
  source.defines.emplace("MLMQ_EDGES", problems::edge_class(kind, weights));
  if (numbers.reduction) source.defines.emplace("MLMQ_REDUCED", "1");
  return source;
}

}  // namespace mlmq::multi_source
