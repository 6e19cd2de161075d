// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/search.hpp"

#include <algorithm>
#include <array>

#include "backends/cpu/searches/bfs.hpp"
#include "backends/cpu/searches/boost_dijkstra.hpp"
#include "backends/cpu/searches/delta_stepping.hpp"
#include "backends/cpu/searches/dijkstra.hpp"

namespace mlmq::cpu {
namespace {

template <class Solver>
std::unique_ptr<solver> make() {
  return std::make_unique<Solver>();
}

struct known_solver {
  std::string_view name;
  std::unique_ptr<solver> (*make)();
  bool unit_weights = false;
};

constexpr std::array known_solvers = {
    known_solver{"boost_dijkstra", make<boost_dijkstra>},
    known_solver{"dijkstra", make<dijkstra>},
    known_solver{"bfs", make<bfs>, true},
    known_solver{"delta_stepping", make<delta_stepping>},
};

constexpr auto names = [] {
  std::array<std::string_view, known_solvers.size()> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = known_solvers[i].name;
  return result;
}();

const known_solver* find(std::string_view name) {
  const auto match = std::find_if(known_solvers.begin(), known_solvers.end(),
                                  [&](const known_solver& candidate) { return candidate.name == name; });
  return match == known_solvers.end() ? nullptr : &*match;
}

}  // namespace

std::span<const std::string_view> solver_names() { return names; }

bool needs_unit_weights(std::string_view name) {
  const known_solver* const candidate = find(name);
  return candidate != nullptr && candidate->unit_weights;
}

std::unique_ptr<solver> make_solver(std::string_view name) {
  const known_solver* const candidate = find(name);
  return candidate == nullptr ? nullptr : candidate->make();
}

std::string_view solver_source_hash() { return MLMQ_CPU_SOLVER_HASH; }

}  // namespace mlmq::cpu
