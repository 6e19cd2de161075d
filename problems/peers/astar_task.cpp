// SPDX-License-Identifier: Apache-2.0
// Path finding as a task of peers: a map and searches in files. Lengths need not be shortest and may be in half
// precision, as in mode=paper.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "problems/astar/answer_check.hpp"
#include "problems/astar/grid_workload.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/peers/peer_task.hpp"

namespace mlmq::peers {
namespace {

namespace fs = std::filesystem;

class search_set_task final : public peer_task {
 public:
  search_set_task(const tuner::workload& workload, const tuner::query& query)
      : map_(astar::grid_of(workload).map), right_{.searches = astar::searches_of(astar::grid_of(workload), query)} {}

  void require_fit(const peer& program) override {
    if (!program.corners.empty() && program.corners != astar::name_of(map_.corners()))
      throw input_error(fmt::format("it only searches maps with corners={}", program.corners));
  }

  [[nodiscard]] placeholder_values write_input(const peer&, const tuner::configuration&) override {
    if (!folder_) write_map();
    std::error_code ignored;
    fs::remove(file("lengths"), ignored);  // so that an old answer is not taken for a new one
    return {{"map", file("map")}, {"pairs", file("pairs")}, {"lengths", file("lengths")}};
  }

  [[nodiscard]] std::string find_error(const peer&, const peer_output&) override {
    std::error_code ignored;
    if (!fs::exists(file("lengths"), ignored)) return "it did not write its lengths";
    right_.compute(map_, "");
    const std::string text = read_file(file("lengths"));
    std::size_t number = 0;
    std::size_t compared = 0;
    double excess = 0;
    for (const std::string& line : split(text, '\n')) {
      if (line.empty()) continue;
      double length = -1;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
      if (error != std::errc() || number == right_.lengths.size())
        return fmt::format("its line '{}' is no length", line);
      const bool has_path = right_.lengths[number] != astar::unreachable;
      const double shortest = static_cast<double>(right_.lengths[number]) / straight_step;
      if (has_path != (length >= 0)) return fmt::format("search {}: {} path expected", number, has_path ? "a" : "no");
      // Sums of rounded numbers are off by a few of their units; eight cells at once give paths up to a tenth too long.
      if (has_path && (length < 0.98 * shortest - 2 || length > 1.1 * shortest + 2)) {
        return fmt::format("search {}: its length is {}, the shortest one {:.3f}", number, length, shortest);
      }
      if (has_path && shortest > 0) {
        excess += length / shortest - 1;
        ++compared;
      }
      ++number;
    }
    if (number != right_.lengths.size())
      return fmt::format("{} lengths for {} searches", number, right_.lengths.size());
    const double mean = excess / static_cast<double>(std::max<std::size_t>(compared, 1));
    if (std::abs(mean) > 0.02) return fmt::format("its lengths are off by {:.1f} % on average", 100 * mean);
    return "";
  }

  void add_counters(const peer_output&, db::trial_result& result) const override {
    result.counters.emplace_back("searches", static_cast<double>(right_.searches.pairs.size()));
  }

 private:
  [[nodiscard]] std::string file(const char* name) const { return (folder_->path() / name).string(); }

  void write_map() {
    folder_.emplace("compare");
    std::string text = fmt::format("type octile\nheight {}\nwidth {}\nmap\n", map_.height(), map_.width());
    for (std::uint32_t row = 0; row < map_.height(); ++row) {
      for (std::uint32_t column = 0; column < map_.width(); ++column) {
        text += map_.is_free(map_.cell(column, row)) ? '.' : '@';
      }
      text += '\n';
    }
    write_file_atomically(file("map"), text);
    text.clear();
    for (const astar::cell_pair& pair : right_.searches.pairs) {
      text += fmt::format("{} {} {} {}\n", map_.column(pair.start), map_.row(pair.start), map_.column(pair.goal),
                          map_.row(pair.goal));
    }
    write_file_atomically(file("pairs"), text);
  }

  const astar::grid& map_;
  astar::reference right_;
  std::optional<temporary_folder> folder_;
};

}  // namespace

std::unique_ptr<peer_task> astar_task(const tuner::workload& workload, const tuner::query& query) {
  return std::make_unique<search_set_task>(workload, query);
}

}  // namespace mlmq::peers
