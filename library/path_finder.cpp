// SPDX-License-Identifier: Apache-2.0
#include "mlmq/path_finder.hpp"

#include <fmt/format.h>

#include <mutex>

#include "base/error.hpp"
#include "library/grid_data.hpp"
#include "library/path_answers_data.hpp"
#include "library/workload_runner.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/astar/path_instance.hpp"

namespace mlmq {

/// A runner with the map that it runs on. What chooses and what runs takes turns.
class detail::path_finder_data {
 public:
  path_finder_data(std::shared_ptr<device_data> on, const mlmq::grid& searched, path_options usual)
      : map(searched),
        options(std::move(usual)),
        runs(std::move(on), problems::find_problem("astar"),
             std::shared_ptr<const tuner::workload>(access::share(searched), &access::get(searched).workload),
             [known = access::share(searched)](std::string_view name) { return known->feature(name); }) {}

  mlmq::grid map;
  path_options options;
  workload_runner runs;
};

namespace {

/// @throws input_error unless it is a free cell of the map
std::uint32_t number_of(const grid& on, const astar::grid& map, std::size_t pair, const char* end, const cell& where) {
  const auto refuse = [&](const std::string& why) {
    throw input_error(fmt::format("pair {}: the {} {},{} is {}", pair, end, where.x, where.y, why));
  };
  if (where.x >= map.width() || where.y >= map.height())
    refuse(fmt::format("off the map {}, which is {} x {}", on.name(), map.width(), map.height()));
  const std::uint32_t number = map.cell(where.x, where.y);
  if (!map.is_free(number)) refuse(fmt::format("on an obstacle of {}", on.name()));
  return number;
}

std::vector<astar::cell_pair> pairs_of(const grid& on, std::span<const grid_pair> asked) {
  if (asked.size() > astar::most_searches) {
    throw input_error(
        fmt::format("{} pairs: at most {} can be searched at a time", asked.size(), astar::most_searches));
  }
  const astar::grid& map = detail::access::get(on).workload.map;
  std::vector<astar::cell_pair> pairs;
  pairs.reserve(asked.size());
  for (const grid_pair& one : asked) {
    const std::uint32_t start = number_of(on, map, pairs.size(), "start", one.start);
    pairs.push_back({.start = start, .goal = number_of(on, map, pairs.size(), "goal", one.goal)});
  }
  return pairs;
}

/// Paths are a matter of the variant for kernels, and of the run for processors.
void add_paths(tuner::configuration& chosen) {
  if (chosen.find("paths") != nullptr) chosen.set("paths", true);
}

detail::run_request request_for(const path_options& options, const std::string& what) {
  detail::run_request asked{.configurations = options.configurations,
                            .chosen_by = options.model,
                            .mode = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
                            .adapt = {},
                            .what = what};
  if (options.paths) asked.adapt = add_paths;
  return asked;
}

}  // namespace

path_finder::path_finder(const device& where, const grid& map, path_options options)
    : data_(std::make_shared<detail::path_finder_data>(detail::access::share(where), map, std::move(options))) {}

double path_finder::upload() {
  const detail::device_lock lock(data_->runs.device());
  return detail::translated([&] {
    data_->runs.device().own->enter();
    return data_->runs.upload();
  });
}

bool path_finder::resident() const {
  const detail::device_lock lock(data_->runs.device());
  return data_->runs.is_resident();
}

choice path_finder::choose() const { return choose(data_->options); }

choice path_finder::choose(const path_options& options) const {
  const detail::device_lock lock(data_->runs.device());
  return detail::translated([&] { return data_->runs.choose(request_for(options, data_->map.name())); });
}

path_answers path_finder::solve(std::span<const grid_pair> pairs) { return solve(pairs, data_->options); }

path_answers path_finder::solve(std::span<const grid_pair> pairs, const path_options& options) {
  detail::require_time_limit(options.time_limit_ms);
  const auto answers = std::make_shared<detail::path_answers_data>(data_->map, pairs_of(data_->map, pairs));
  const std::string what = fmt::format("{}, {} searches", data_->map.name(), pairs.size());
  const detail::device_lock lock(data_->runs.device());
  return detail::translated([&] {
    data_->runs.device().own->enter();
    detail::run_result result =
        data_->runs.run(request_for(options, what), [&](tuner::problem_instance& ready, solve_times& times) {
          if (pairs.empty()) return tuner::run_report();
          auto& instance = dynamic_cast<astar::path_instance&>(ready);
          times.upload += milliseconds_of([&] { instance.ask(answers->asked.pairs, options.paths); });
          return instance.run_asked(options.time_limit_ms);
        });
    if (pairs.empty()) {
      answers->found.has_paths = options.paths;
    } else {
      result.times.download = milliseconds_of(
          [&] { answers->found = dynamic_cast<astar::path_instance&>(data_->runs.instance()).answers(); });
    }
    answers->chosen = std::move(result.chosen);
    answers->times = result.times;
    if (options.counters) answers->counters = std::move(result.report.counters);
    return detail::access::make<path_answers>(std::shared_ptr<const detail::path_answers_data>(answers));
  });
}

}  // namespace mlmq
