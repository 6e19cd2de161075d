// SPDX-License-Identifier: Apache-2.0
// Shortest paths between pairs of cells of a grid map, thousands of searches at a time.
//
//   mlmq::grid room = mlmq::grid::open("room.map");
//   mlmq::path_finder finder(mlmq::device("cuda:0"), room);
//   std::vector<mlmq::grid_pair> pairs = {{{3, 4}, {70, 12}}, {{0, 0}, {5, 5}}};
//   mlmq::path_answers answers = finder.solve(pairs);
//   double length = answers[0].length;
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "mlmq/error.hpp"
#include "mlmq/grid.hpp"

namespace mlmq {

namespace detail {
struct access;
class path_finder_data;
struct path_answers_data;
}  // namespace detail

struct path_options {
  /// Empty: what the model ranks first among what the device can run. Otherwise the first of these that the device can run,
  /// such as "algorithm=jump,cells=4" (docs/reference/parameters.md, astar); "" is all defaults. Paths are the shortest
  /// unless a text says mode=paper.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;               ///< for all searches together, above 0
  bool counters = false;                       ///< count work, which makes the searches slower
  bool paths = false;                          ///< the cells of each path too, not its length alone
};

/// What was found for one pair.
struct path_answer {
  bool reached = false;                                     ///< whether there is a path
  double length = std::numeric_limits<double>::infinity();  ///< straight + diagonal · √2; infinity without a path
  std::uint32_t straight = 0;                               ///< steps of the path
  std::uint32_t diagonal = 0;
};

/// The answers for all pairs, in their order.
class MLMQ_API path_answers {
 public:
  /// How many pairs.
  [[nodiscard]] std::size_t size() const noexcept;
  /// @throws input_error when there is no pair `i`
  [[nodiscard]] path_answer operator[](std::size_t i) const;

  /// Whether paths were written, because options or a configuration asked for them.
  [[nodiscard]] bool has_paths() const noexcept;
  /// The cells of the path from start to goal, both included: one cell where they are the same, none without a path.
  /// Among several shortest paths any may be found.
  /// @throws input_error when there is no pair `i`, and without has_paths()
  [[nodiscard]] std::vector<cell> path(std::size_t i) const;

  /// Whether no path is longer than it has to be: always, except in mode=paper.
  [[nodiscard]] bool shortest() const noexcept;

  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  /// `solve` is of all searches together.
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Work by name ("expansions", "inserted"; `mlmq problems astar`); empty unless it was asked for.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// Searches once more on processors, another way, and walks every path: "", or what is wrong, for a person. Where
  /// shortest() is false, longer paths are right, too.
  /// @param threads 0: one for each processor
  [[nodiscard]] std::string check(unsigned threads = 0) const;

 private:
  friend struct detail::access;
  explicit path_answers(std::shared_ptr<const detail::path_answers_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::path_answers_data> data_;
};

/// A map on a device, for any number of searches.
class MLMQ_API path_finder {
 public:
  /// Cheap: the map is brought to the device by the first searches, or by upload().
  /// @param options for calls that are given none
  explicit path_finder(const device& where, const grid& map, path_options options = {});

  /// Brings the map to the device now, unless it is there. @return milliseconds. @throws memory_error, device_error
  double upload();
  /// Whether the map is on the device.
  [[nodiscard]] bool resident() const;

  /// What solve() would choose now, without anything being compiled: a configuration that the device turns out not to be
  /// able to run is passed over only by solve(). @throws input_error
  [[nodiscard]] mlmq::choice choose() const;
  [[nodiscard]] mlmq::choice choose(const path_options& options) const;

  /// Searches for all pairs, of which there may be none, and 16,777,213 at most. Calls share the map, the compiled kernels
  /// and the memory of the searches.
  /// @throws input_error for a start or a goal that is off the map or on an obstacle, saying which pair; for a
  ///   configuration that there is not, a time limit that is not above 0, or a model of another problem
  /// @throws unsuitable_error when the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] path_answers solve(std::span<const grid_pair> pairs);
  [[nodiscard]] path_answers solve(std::span<const grid_pair> pairs, const path_options& options);

 private:
  std::shared_ptr<detail::path_finder_data> data_;
};

}  // namespace mlmq
