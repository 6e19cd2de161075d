// SPDX-License-Identifier: Apache-2.0
// The searches of a sweep whose strategy learns: one for each graph and device, run by the supervisor while its workers
// measure what they decide on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "db/store.hpp"
#include "tuner/graph_search.hpp"
#include "tuner/search_space.hpp"
#include "tuner/space_file.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

/// What a strategy that learns may use on a graph; needed for the strategy `model` and for warm starts.
using guide_maker = std::function<search_guide(const db::graph_record&)>;

/// As many searches of a device are open as it has workers, in the order of the graphs, so that a worker can stay with
/// its graph. What is claimed, and by whom, is for the database to say; a search looks at nothing but what is recorded.
class sweep_searches {
 public:
  /// @param plan, experiment, what, store must outlive the searches
  /// @param guide empty: none
  sweep_searches(const sweep_plan& plan, const experiment_file& experiment, const problem& what, db::store& store,
                 guide_maker guide);

  /// Wherever all that was decided on is measured, decides what to measure next; the finals of a graph are planned when
  /// its search is at its end. @return whether anything was planned
  /// @throws input_error when a graph's record lacks what the guide needs
  bool advance();

  /// Whether a search is not at its end.
  [[nodiscard]] bool unfinished() const;

 private:
  struct open_search {
    const planned_search* what;
    graph_search search;
  };
  struct device {
    std::int64_t row = 0;
    std::size_t next = 0;  ///< of the plan's searches: not yet open
    std::vector<std::optional<open_search>> open;
  };
  bool advance(device& on, std::optional<open_search>& slot);
  [[nodiscard]] open_search begin(const device& on, const planned_search& what) const;
  bool add_finals(const device& on, const planned_search& of);

  const sweep_plan& plan_;
  const experiment_file& experiment_;
  const problem& problem_;
  db::store& store_;
  guide_maker guide_;
  const search_space space_;
  std::vector<device> devices_;
};

}  // namespace mlmq::tuner
