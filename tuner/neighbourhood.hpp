// SPDX-License-Identifier: Apache-2.0
// Neighbours of configurations in a search space, for the strategies that learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::tuner {

/// Size of one step.
enum class step_size {
  any,   ///< to any other value of a parameter
  next,  ///< numbers: to the next smaller or larger value; other parameters: to any other value
};

class neighbourhood {
 public:
  /// @param space must outlive the neighbourhood
  neighbourhood(const search_space& space, step_size step);

  /// Returns the configurations of the space that differ from `c` in one parameter, in a fixed order. Parameters that
  /// the change activates take their default, or else the first value that the restrictions allow; deactivated
  /// parameters are removed. Listed configurations are neighbours if exactly one of the shared parameters differs.
  [[nodiscard]] std::vector<configuration> neighbours_of(const configuration& c) const;

  /// Returns a configuration of the space that is close to `wished`. Values that the space lacks are replaced by the
  /// nearest number, or else by the default or the first value; missing parameters take their default or first value.
  /// Returns nothing if the restrictions forbid all attempts.
  [[nodiscard]] std::optional<configuration> nearest(const configuration& wished) const;

 private:
  struct completion;
  /// The listed configurations as numbers, so that one scan over all of them is fast.
  struct codes {
    static constexpr std::uint16_t absent = 0;
    static constexpr std::uint16_t unknown = 0xFFFF;

    std::vector<std::string> names;
    std::vector<std::map<value, std::uint16_t>> numbers;  // per name
    std::vector<std::uint16_t> rows;

    explicit codes(std::span<const configuration> listed);
    void append(std::vector<std::uint16_t>& row, const configuration& c) const;
    /// Returns whether one shared value differs (other parameters may be active in one of them only, as a consequence),
    /// or whether exactly one parameter is active in one of them only.
    [[nodiscard]] bool is_one_step(const std::uint16_t* a, const std::uint16_t* b) const;
  };
  [[nodiscard]] std::vector<value> steps_of(const parameter& p, const value& current) const;

  const search_space& space_;
  step_size step_;
  codes listed_;
};

}  // namespace mlmq::tuner
