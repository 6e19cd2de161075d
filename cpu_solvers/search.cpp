// SPDX-License-Identifier: Apache-2.0
#include "cpu_solvers/search.hpp"

#include <algorithm>
#include <array>

#include "cpu_solvers/bfs.hpp"
#include "cpu_solvers/boost_dijkstra.hpp"
#include "cpu_solvers/delta_stepping.hpp"
#include "cpu_solvers/dijkstra.hpp"

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
  std::array<std::string_view, known_solvers.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = known_solvers[i].name;
  return all;
}();

const known_solver* find(std::string_view name) {
  const auto found = std::find_if(known_solvers.begin(), known_solvers.end(),
                                  [&](const known_solver& known) { return known.name == name; });
  return found == known_solvers.end() ? nullptr : &*found;
}

}  // namespace

std::span<const std::string_view> solver_names() { return names; }

bool needs_unit_weights(std::string_view name) {
  const known_solver* const known = find(name);
  return known != nullptr && known->unit_weights;
}

std::unique_ptr<solver> make_solver(std::string_view name) {
  const known_solver* const known = find(name);
  return known == nullptr ? nullptr : known->make();
}

std::string_view solver_source_hash() { return MLMQ_CPU_SOLVER_HASH; }

}  // namespace mlmq::cpu
