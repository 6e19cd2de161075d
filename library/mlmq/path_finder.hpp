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
  /// Configurations to try, such as "algorithm=jump,cells=4" (docs/reference/parameters.md, astar); "" means all
  /// defaults. The first that the device can run is used. Empty: the configurations that the model ranks. Paths are
  /// shortest unless a configuration sets mode=paper.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;                ///< for all searches together, above 0
  bool counters = false;                        ///< count work, which makes the searches slower
  bool paths = false;                           ///< return the cells of each path, not only its length
};

/// The answer for one pair.
struct path_answer {
  bool reached = false;                                     ///< whether a path exists
  double length = std::numeric_limits<double>::infinity();  ///< straight + diagonal · √2; infinity without a path
  std::uint32_t straight = 0;                               ///< number of straight steps
  std::uint32_t diagonal = 0;
};

/// The answers for all pairs, in their order.
class MLMQ_API path_answers {
 public:
  /// Returns the number of pairs.
  [[nodiscard]] std::size_t size() const noexcept;
  /// @throws input_error if there is no pair `i`
  [[nodiscard]] path_answer operator[](std::size_t i) const;

  /// Returns whether paths were computed, because the options or a configuration requested them.
  [[nodiscard]] bool has_paths() const noexcept;
  /// Returns the cells of a shortest path including start and goal: one cell if they are the same, none without a path.
  /// Which of several shortest paths is returned is unspecified.
  /// @throws input_error if there is no pair `i`, or if has_paths() is false
  [[nodiscard]] std::vector<cell> path(std::size_t i) const;

  /// Returns whether all paths are shortest: always, except with mode=paper.
  [[nodiscard]] bool shortest() const noexcept;

  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  /// `solve` is the time of all searches together.
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Returns work by counter name ("expansions", "inserted"; `mlmq problems astar`); empty unless counters were
  /// requested.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// Repeats the searches on processors with another algorithm and follows every path. If shortest() is false, longer
  /// paths are accepted.
  /// @param threads 0: one per processor
  /// @return "", or a readable error message
  [[nodiscard]] std::string check(unsigned threads = 0) const;

 private:
  friend struct detail::access;
  explicit path_answers(std::shared_ptr<const detail::path_answers_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::path_answers_data> data_;
};

/// A map on a device, for any number of searches.
class MLMQ_API path_finder {
 public:
  /// Cheap: the map is uploaded by the first search or by upload().
  /// @param options default options of the calls
  explicit path_finder(const device& device, const grid& map, path_options options = {});

  /// Uploads the map unless it is already on the device. @return milliseconds @throws memory_error, device_error
  double upload();
  /// Returns whether the map is on the device.
  [[nodiscard]] bool resident() const;

  /// Returns the configuration that solve() would try first, without compiling it. solve() may skip it if the device
  /// turns out to be unable to run it. @throws input_error
  [[nodiscard]] mlmq::choice choose() const;
  [[nodiscard]] mlmq::choice choose(const path_options& options) const;

  /// Searches for all pairs, 0 to 16,777,213. Calls share the map, the compiled kernels and the memory of the searches.
  /// @throws input_error for a start or goal that is off the map or blocked, naming the pair; for an invalid
  ///   configuration, a time limit that is not above 0, or a model of another problem
  /// @throws unsuitable_error if the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] path_answers solve(std::span<const grid_pair> pairs);
  [[nodiscard]] path_answers solve(std::span<const grid_pair> pairs, const path_options& options);

 private:
  std::shared_ptr<detail::path_finder_data> data_;
};

}  // namespace mlmq
