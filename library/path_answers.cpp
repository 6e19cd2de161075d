// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "library/access.hpp"
#include "library/grid_data.hpp"
#include "library/path_answers_data.hpp"
#include "problems/astar/answer_check.hpp"
#include "problems/astar/length.hpp"
#include "problems/astar/parameters.hpp"

namespace mlmq {

std::size_t path_answers::size() const noexcept { return data_->queries.pairs.size(); }

path_answer path_answers::operator[](std::size_t i) const {
  if (i >= size()) throw input_error(fmt::format("pair {}: index out of range, expected less than {}", i, size()));
  const std::uint32_t length = data_->answers.lengths[i];
  if (length == no_length) return {};
  const astar::step_counts steps = astar::counts_of_units(length);
  return {.reached = true, .length = steps.length(), .straight = steps.straight, .diagonal = steps.diagonal};
}

bool path_answers::has_paths() const noexcept { return data_->answers.has_paths; }

std::vector<cell> path_answers::path(std::size_t i) const {
  const path_answer answer = (*this)[i];
  if (!has_paths()) throw input_error("the paths were not requested: set path_options::paths");
  if (!answer.reached) return {};
  const astar::grid& map = detail::access::get(data_->map).workload.map;
  const std::size_t steps = std::size_t{answer.straight} + answer.diagonal;
  std::vector<cell> cells;
  cells.reserve(steps + 1);
  std::uint32_t position = data_->queries.pairs[i].start;
  cells.push_back(detail::cell_of(map, position));
  for (std::size_t step = 0; step < steps; ++step) {
    position = map.after_step(position, data_->answers.paths[data_->answers.path_begins[i] + step]);
    cells.push_back(detail::cell_of(map, position));
  }
  return cells;
}

bool path_answers::shortest() const noexcept { return data_->answers.shortest; }
const choice& path_answers::choice() const noexcept { return data_->chosen; }
const solve_times& path_answers::times() const noexcept { return data_->times; }
const std::vector<std::pair<std::string, double>>& path_answers::counters() const noexcept { return data_->counters; }

std::string path_answers::check(unsigned threads) const {
  const astar::grid& map = detail::access::get(data_->map).workload.map;
  astar::reference reference{.searches = data_->queries};
  const auto chosen =
      tuner::parameter_set::from_declarations(astar::declared_parameters()).parse_label(data_->chosen.configuration);
  reference.compute(map, astar::solver_of(chosen), threads);
  const astar::search_answers& answers = data_->answers;
  return astar::find_error(map, reference,
                           {.lengths = answers.lengths,
                            .path_begins = answers.path_begins,
                            .paths = answers.paths,
                            .shortest = answers.shortest});
}

}  // namespace mlmq
