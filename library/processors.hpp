// SPDX-License-Identifier: Apache-2.0
// This machine's processors, as an alternative to a GPU.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "problems/recommendation.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::detail {

/// Factor by which the first search of a graph takes longer on processors than a recorded search, which was preceded
/// by an identical one: 1.2 to 3.3 on 16 processors (docs/notebook/selector.md). Presumably the graph is not in a cache
/// and the queues have not been allocated.
inline constexpr double first_search_slowdown = 2;

/// The opened processors, and measurements of their speed.
class processors {
 public:
  processors();

  [[nodiscard]] backends::backend& backend() const { return *backend_; }
  /// Leaks the backend, for use in a forked process in which the backend's threads do not exist.
  void abandon() noexcept { static_cast<void>(backend_.release()); }
  [[nodiscard]] const problems::transfer_cost& transfer() const { return transfer_; }

  /// Returns measured / expected time of searches on these processors: the geometric mean over two small generated
  /// graphs, with a search of one thread, because the threads of parallel searches of small graphs mostly wait for each
  /// other, with random results. The first call of a day for a problem takes some milliseconds.
  /// @param recommends recommends configurations of the problem on these processors
  [[nodiscard]] double slowdown(const problems::search& search, problems::recommender& recommends);

 private:
  [[nodiscard]] double measure_slowdown(const problems::search& search, problems::recommender& recommends);

  std::unique_ptr<backends::backend> backend_;
  problems::transfer_cost transfer_;
  std::map<std::string, double> slowdowns_;  ///< by problem
};

}  // namespace mlmq::detail
