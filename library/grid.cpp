// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "library/access.hpp"
#include "library/grid_data.hpp"
#include "problems/astar/grid_features.hpp"
#include "problems/astar/map_file.hpp"
#include "problems/astar/pairs.hpp"

namespace mlmq {
namespace {

namespace fs = std::filesystem;

astar::corner_rule rule_of(corner_rule rule) {
  return rule == corner_rule::cut ? astar::corner_rule::cut : astar::corner_rule::none;
}

tuner::workload_input named(const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored))
    return {.name = "", .file = fs::absolute(name).lexically_normal().string(), .generated = ""};
  if (astar::grid_kind().is_generated_by(name)) return {.name = "", .file = "", .generated = name};
  throw input_error(fmt::format(
      "{}: there is no such file, and it is not the name of a generated map, such as grid512:density=0.2", name));
}

}  // namespace

double detail::grid_data::feature(std::string_view name) const {
  std::call_once(computed_, [&] {
    features_ = workload.record.features.empty() ? astar::features_of(workload.map) : workload.record.features;
  });
  for (const auto& [feature_name, value] : features_) {
    if (feature_name == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

grid grid::open(const std::string& name, std::optional<corner_rule> corners) {
  tuner::workload_input input = named(name);
  std::vector<tuner::setting> settings;
  if (corners)
    settings.push_back({.name = "corners", .values = {std::string(name_of(rule_of(*corners)))}, .place = {}});
  astar::grid_kind().describe(input, settings);
  const auto loaded = astar::grid_kind().load(input);
  return detail::access::make<grid>(
      std::shared_ptr<const detail::grid_data>(std::make_shared<detail::grid_data>(astar::grid_of(*loaded))));
}

grid grid::from_cells(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> free,
                      corner_rule corners, std::string name) {
  if (width < 1 || height < 1 || width > astar::longest_side || height > astar::longest_side) {
    throw input_error(
        fmt::format("{}: {} x {} cells, expected sides of 1 to {} cells", name, width, height, astar::longest_side));
  }
  if (free.size() != std::size_t{width} * height) {
    throw input_error(
        fmt::format("{}: {} cells are given for a map of {} x {} cells", name, free.size(), width, height));
  }
  astar::grid_workload workload(
      astar::grid(width, height, std::vector<bool>(free.begin(), free.end()), rule_of(corners)));
  workload.record.kind = astar::grid_kind().name();
  workload.record.name = std::move(name);
  return detail::access::make<grid>(
      std::shared_ptr<const detail::grid_data>(std::make_shared<detail::grid_data>(std::move(workload))));
}

const std::string& grid::name() const noexcept { return data_->workload.record.name; }
std::uint32_t grid::width() const noexcept { return data_->workload.map.width(); }
std::uint32_t grid::height() const noexcept { return data_->workload.map.height(); }
std::size_t grid::free_cells() const noexcept { return data_->workload.map.free_cells(); }

corner_rule grid::corners() const noexcept {
  return data_->workload.map.corners() == astar::corner_rule::cut ? corner_rule::cut : corner_rule::none;
}

bool grid::is_free(std::uint32_t x, std::uint32_t y) const noexcept {
  const astar::grid& map = data_->workload.map;
  return x < map.width() && y < map.height() && map.is_free(map.cell(x, y));
}

std::vector<scenario> grid::scenarios(const std::string& file) const {
  const astar::grid_workload& workload = data_->workload;
  if (file.empty() && workload.record.origin.empty()) {
    throw input_error(fmt::format("{}: the map was not read from a file, so a scenario file must be given", name()));
  }
  const std::string map_name = workload.record.origin.empty() ? name() : astar::map_name_of(workload);
  const astar::scenario_file file_content =
      file.empty() ? astar::scenarios_of(workload, "own") : astar::read_scenarios(file, workload.map, map_name);
  std::vector<scenario> result;
  result.reserve(file_content.scenarios.size());
  for (const astar::scenario& entry : file_content.scenarios) {
    result.push_back({.pair = {.start = detail::cell_of(workload.map, entry.start),
                               .goal = detail::cell_of(workload.map, entry.goal)},
                      .length = entry.length});
  }
  return result;
}

std::vector<grid_pair> grid::random_pairs(std::size_t count, std::uint64_t seed) const {
  const astar::grid& map = data_->workload.map;
  if (map.free_cells() == 0) throw input_error(name() + ": no free cell to start a search from");
  std::vector<grid_pair> result;
  result.reserve(count);
  for (const astar::cell_pair& pair : astar::drawn_pairs(map, count, seed))
    result.push_back({.start = detail::cell_of(map, pair.start), .goal = detail::cell_of(map, pair.goal)});
  return result;
}

}  // namespace mlmq
