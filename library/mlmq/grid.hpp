// SPDX-License-Identifier: Apache-2.0
// Grid maps: free and blocked cells, with steps to the eight neighbours of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct grid_data;
}  // namespace detail

/// The rule for diagonal steps past blocked cells.
enum class corner_rule {
  cut,   ///< only the end of the step must be free
  none,  ///< the cells on both sides must be free, too: the rule of MovingAI's benchmarks
};

/// A cell of a map: its column from the left and row from the top, both from 0.
struct cell {
  std::uint32_t x = 0;
  std::uint32_t y = 0;

  bool operator==(const cell&) const = default;
};

/// Start and goal of a search.
struct grid_pair {
  cell start = {};
  cell goal = {};

  bool operator==(const grid_pair&) const = default;
};

/// A search of a benchmark file, with the length that the file states.
struct scenario {
  grid_pair pair = {};
  /// length of a shortest path with corner_rule::none, rounded to two or more decimals as in the file
  double length = 0;
};

/// A map in host memory. A straight step has length 1, a diagonal step √2.
class MLMQ_API grid {
 public:
  /// Reads a map in MovingAI's format (.map, .map.gz). If there is no such file, generates a map from a name such as
  /// "grid512:density=0.2:eta=1:seed=1" (docs/guide/path-finding.md).
  /// @param corners absent: `none` for a file; for a generated map the rule in its name, or else `cut`
  /// @throws input_error
  [[nodiscard]] static grid open(const std::string& name, std::optional<corner_rule> corners = std::nullopt);

  /// Makes a map from an array.
  /// @param width 1 to 16,384 columns
  /// @param height 1 to 16,384 rows
  /// @param free nonzero for free cells; cell (x, y) has index y * width + x
  /// @param name used in messages
  /// @throws input_error for invalid sides or the wrong number of cells
  [[nodiscard]] static grid from_cells(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> free,
                                       corner_rule corners, std::string name = "grid");

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::uint32_t width() const noexcept;
  [[nodiscard]] std::uint32_t height() const noexcept;
  [[nodiscard]] corner_rule corners() const noexcept;
  [[nodiscard]] std::size_t free_cells() const noexcept;
  /// Returns whether the cell is on the map and free.
  [[nodiscard]] bool is_free(std::uint32_t x, std::uint32_t y) const noexcept;

  /// Reads the searches of a file in MovingAI's format (.scen, .scen.gz), in the order of the file.
  /// @param file "": the map's file name followed by .scen or .scen.gz
  /// @throws input_error for a missing or invalid file, or a file of another map; without `file`, if the map was not
  ///   read from a file
  [[nodiscard]] std::vector<scenario> scenarios(const std::string& file = "") const;

  /// Draws starts and goals uniformly from the free cells. The result depends only on the map and the seed, and equals
  /// that of `mlmq solve MAP --query pairs=COUNT:seed=SEED`.
  /// @throws input_error for a map without free cells
  [[nodiscard]] std::vector<grid_pair> random_pairs(std::size_t count, std::uint64_t seed = 1) const;

 private:
  friend struct detail::access;
  explicit grid(std::shared_ptr<const detail::grid_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::grid_data> data_;
};

}  // namespace mlmq
