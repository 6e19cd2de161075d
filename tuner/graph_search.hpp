// SPDX-License-Identifier: Apache-2.0
// A search of one graph whose evaluations are trials in the database. It has no device and waits for nothing: whoever has
// devices runs the trials, in this process or in others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// What is recorded is not measured again: a search that was stopped is continued by running it from its start, which
/// repeats it up to where it was.
class graph_search {
 public:
  struct scope {
    std::int64_t experiment = 0;
    std::int64_t device = 0;
    std::int64_t graph = 0;
    std::vector<std::uint64_t> sources;
    std::vector<std::string> measurements = {"time"};  ///< of each configuration: as measurements_of() gives them
    std::uint64_t batch = 1;                           ///< how many configurations to decide on at once
  };

  /// @param store, what must outlive the search
  graph_search(db::store& store, const problem& what, scope where, std::unique_ptr<strategy> chosen);

  /// When all trials() are done, tells the strategy and plans the next batch, until one has trials that are not done.
  /// The configurations of a batch are reported in the order proposed, so it does not matter which is finished first.
  /// @return whether there are trials to wait for; false: the search is at its end
  bool advance();

  /// Of the present batch, in the order proposed; some may be done.
  [[nodiscard]] std::span<const std::int64_t> trials() const { return trials_; }

 private:
  struct attempt {
    configuration proposed;
    std::vector<std::int64_t> timed;   // one for each source
    std::vector<std::int64_t> others;  // that count or record, or none
  };
  void propose();
  [[nodiscard]] std::optional<evaluation> result(const attempt& one) const;

  db::store& store_;
  const problem& problem_;
  scope where_;
  std::unique_ptr<strategy> strategy_;
  std::vector<attempt> batch_;
  std::vector<std::int64_t> trials_;
};

}  // namespace mlmq::tuner
