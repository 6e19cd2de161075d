// SPDX-License-Identifier: Apache-2.0
#include "mlmq/path_finder.hpp"

#include <fmt/format.h>

#include <mutex>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/grid_data.hpp"
#include "library/path_answers_data.hpp"
#include "library/workload_runner.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/astar/path_instance.hpp"

namespace mlmq {

/// A runner and its map. Callers lock the device.
class detail::path_finder_data {
 public:
  path_finder_data(const mlmq::device& device, const mlmq::grid& grid, path_options defaults)
      : map(grid),
        options(std::move(defaults)),
        runner(device, problems::find_problem("astar"),
               std::shared_ptr<const tuner::workload>(access::share(grid), &access::get(grid).workload),
               [map_data = access::share(grid)](std::string_view name) { return map_data->feature(name); }) {}

  mlmq::grid map;
  path_options options;
  workload_runner runner;
};

namespace {

/// @throws input_error unless it is a free cell of the map
std::uint32_t number_of(const grid& grid_handle, const astar::grid& map, std::size_t pair, const char* end,
                        const cell& position) {
  const auto refuse = [&](const std::string& reason) {
    throw input_error(fmt::format("pair {}: the {} {},{} is {}", pair, end, position.x, position.y, reason));
  };
  if (position.x >= map.width() || position.y >= map.height())
    refuse(fmt::format("off the map {}, which is {} x {}", grid_handle.name(), map.width(), map.height()));
  const std::uint32_t number = map.cell(position.x, position.y);
  if (!map.is_free(number)) refuse(fmt::format("on an obstacle of {}", grid_handle.name()));
  return number;
}

std::vector<astar::cell_pair> pairs_of(const grid& grid_handle, std::span<const grid_pair> requested) {
  if (requested.size() > astar::most_searches) {
    throw input_error(fmt::format("{} pairs, expected at most {} in one call", requested.size(), astar::most_searches));
  }
  const astar::grid& map = detail::access::get(grid_handle).workload.map;
  std::vector<astar::cell_pair> pairs;
  pairs.reserve(requested.size());
  for (const grid_pair& pair : requested) {
    const std::uint32_t start = number_of(grid_handle, map, pairs.size(), "start", pair.start);
    pairs.push_back({.start = start, .goal = number_of(grid_handle, map, pairs.size(), "goal", pair.goal)});
  }
  return pairs;
}

/// Enables paths. For kernels they are part of the variant, for processors an option of the run.
void add_paths(tuner::configuration& configuration) {
  if (configuration.find("paths") != nullptr) configuration.set("paths", true);
}

detail::run_request request_for(const path_options& options, const std::string& description) {
  detail::run_request request{
      .configurations = options.configurations,
      .chosen_by = options.model,
      .mode = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
      .adapt = {},
      .description = description};
  if (options.paths) request.adapt = add_paths;
  return request;
}

}  // namespace

path_finder::path_finder(const device& device, const grid& map, path_options options)
    : data_(std::make_shared<detail::path_finder_data>(device, map, std::move(options))) {}

double path_finder::upload() {
  const detail::device_lock lock(data_->runner.device());
  return detail::translated([&] {
    data_->runner.device().backend->enter();
    return data_->runner.upload();
  });
}

bool path_finder::resident() const {
  const detail::device_lock lock(data_->runner.device());
  return data_->runner.is_resident();
}

choice path_finder::choose() const { return choose(data_->options); }

choice path_finder::choose(const path_options& options) const {
  const detail::device_lock lock(data_->runner.device());
  return detail::translated([&] { return data_->runner.choose(request_for(options, data_->map.name())); });
}

path_answers path_finder::solve(std::span<const grid_pair> pairs) { return solve(pairs, data_->options); }

path_answers path_finder::solve(std::span<const grid_pair> pairs, const path_options& options) {
  detail::require_time_limit(options.time_limit_ms);
  const auto answers = std::make_shared<detail::path_answers_data>(data_->map, pairs_of(data_->map, pairs));
  const std::string description = fmt::format("{}, {} searches", data_->map.name(), pairs.size());
  const detail::device_lock lock(data_->runner.device());
  return detail::translated([&] {
    data_->runner.device().backend->enter();
    detail::run_result result =
        data_->runner.run(request_for(options, description), [&](tuner::problem_instance& loaded, solve_times& times) {
          if (pairs.empty()) return tuner::run_report();
          auto& instance = dynamic_cast<astar::path_instance&>(loaded);
          times.upload += milliseconds_of([&] { instance.upload_searches(answers->queries.pairs, options.paths); });
          return instance.run_uploaded(options.time_limit_ms);
        });
    if (pairs.empty()) {
      answers->answers.has_paths = options.paths;
    } else {
      result.times.download = milliseconds_of(
          [&] { answers->answers = dynamic_cast<astar::path_instance&>(data_->runner.instance()).answers(); });
    }
    answers->chosen = std::move(result.chosen);
    answers->times = result.times;
    if (options.counters) answers->counters = std::move(result.report.counters);
    return detail::access::make<path_answers>(std::shared_ptr<const detail::path_answers_data>(answers));
  });
}

}  // namespace mlmq
