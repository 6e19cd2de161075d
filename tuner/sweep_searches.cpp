// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_searches.hpp"

#include <algorithm>
#include <utility>

#include "db/finals.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

sweep_searches::sweep_searches(const sweep_plan& plan, const experiment_file& experiment, const problem& what,
                               db::store& store, guide_maker guide)
    : plan_(plan),
      experiment_(experiment),
      problem_(what),
      store_(store),
      guide_(std::move(guide)),
      space_(experiment.space, what.declarations()) {
  for (const std::int64_t row : plan.devices) {
    auto known = std::ranges::find(devices_, row, &device::row);
    if (known == devices_.end()) {
      devices_.emplace_back().row = row;
      known = std::prev(devices_.end());
    }
    known->open.emplace_back();
  }
}

bool sweep_searches::unfinished() const {
  return std::ranges::any_of(devices_, [&](const device& on) {
    return on.next < plan_.searches.size() ||
           std::ranges::any_of(on.open, [](const auto& slot) { return slot.has_value(); });
  });
}

bool sweep_searches::advance() {
  bool planned = false;
  for (device& on : devices_) {
    for (auto& slot : on.open) planned |= advance(on, slot);
  }
  return planned;
}

bool sweep_searches::advance(device& on, std::optional<open_search>& slot) {
  bool planned = false;
  for (;;) {
    if (!slot) {
      if (on.next == plan_.searches.size()) return planned;
      slot.emplace(begin(on, plan_.searches[on.next++]));
    }
    const std::vector<std::int64_t> before(slot->search.trials().begin(), slot->search.trials().end());
    if (slot->search.advance()) return planned || !std::ranges::equal(before, slot->search.trials());
    planned |= add_finals(on, *slot->what);
    slot.reset();
  }
}

sweep_searches::open_search sweep_searches::begin(const device& on, const planned_search& what) const {
  const strategy_settings& settings = experiment_.strategy;
  return {&what, graph_search(store_, problem_,
                              {.experiment = plan_.experiment,
                               .device = on.row,
                               .graph = what.graph,
                               .sources = what.sources,
                               .measurements = measurements_of(experiment_.measurement),
                               .batch = settings.batch.value_or(1)},
                              make_strategy(settings, space_, guide_ ? guide_(what.record) : search_guide{}))};
}

bool sweep_searches::add_finals(const device& on, const planned_search& of) {
  if (experiment_.measurement.finalists == 0) return false;
  std::vector<db::final_key> keys;
  for (const std::uint64_t source : of.sources) keys.push_back({of.graph, source, on.row});
  return db::plan_finals(store_, plan_.experiment, keys) > 0;
}

}  // namespace mlmq::tuner
