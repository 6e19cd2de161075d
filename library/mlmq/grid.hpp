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

/// Whether a diagonal step may pass a blocked cell on one side (or both).
enum class corner_rule {
  cut,   ///< it needs its end free
  none,  ///< and both cells beside it: the rule of MovingAI's benchmarks
};

/// A cell of a map, by its column from the left and its row from the top, both from 0.
struct cell {
  std::uint32_t x = 0;
  std::uint32_t y = 0;

  bool operator==(const cell&) const = default;
};

/// A search: from where to where.
struct grid_pair {
  cell start = {};
  cell goal = {};

  bool operator==(const grid_pair&) const = default;
};

/// A search of a benchmark's file, with what the file says of its answer.
struct scenario {
  grid_pair pair = {};
  double length = 0;  ///< of a shortest path with corner_rule::none, as printed: rounded to two decimals or more
};

/// A map in the memory of the host. A straight step is 1 long, a diagonal one √2.
class MLMQ_API grid {
 public:
  /// A file in MovingAI's format: .map, or .map.gz. Or, when there is no file of this name, a map to generate, such as
  /// "grid512:density=0.2:eta=1:seed=1" (docs/guide/path-finding.md).
  /// @param corners absent: `none` for a file, and for what is generated what its text says, or else `cut`
  /// @throws input_error
  [[nodiscard]] static grid open(const std::string& name, std::optional<corner_rule> corners = std::nullopt);

  /// @param width 1 to 16,384, as `height`
  /// @param free of each cell whether it is free (not 0): the cell (x, y) is number y * width + x
  /// @param name for messages
  /// @throws input_error for sides or a number of cells that do not fit
  [[nodiscard]] static grid from_cells(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> free,
                                       corner_rule corners, std::string name = "grid");

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::uint32_t width() const noexcept;
  [[nodiscard]] std::uint32_t height() const noexcept;
  [[nodiscard]] corner_rule corners() const noexcept;
  [[nodiscard]] std::size_t free_cells() const noexcept;
  /// Whether the cell is on the map, and free.
  [[nodiscard]] bool is_free(std::uint32_t x, std::uint32_t y) const noexcept;

  /// The searches of a file in MovingAI's format, .scen or .scen.gz, in its order.
  /// @param file "": the map's file with .scen added, or .scen.gz
  /// @throws input_error for a file that is not there, cannot be read or is of another map; without `file`, for a map that
  ///   was not read from a file
  [[nodiscard]] std::vector<scenario> scenarios(const std::string& file = "") const;

  /// Starts and goals drawn from the free cells, each as likely as the others: the same for the same map and seed, and those
  /// of `mlmq solve MAP --query pairs=COUNT:seed=SEED`.
  /// @throws input_error for a map without free cells
  [[nodiscard]] std::vector<grid_pair> random_pairs(std::size_t count, std::uint64_t seed = 1) const;

 private:
  friend struct detail::access;
  explicit grid(std::shared_ptr<const detail::grid_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::grid_data> data_;
};

}  // namespace mlmq
