// SPDX-License-Identifier: Apache-2.0
// Neighbours of configurations in a search space, for the strategies that learn.
#pragma once

#include <cstddef>
#include <optional>
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
  [[nodiscard]] std::vector<value> steps_of(const parameter& p, const value& current) const;

  const search_space& space_;
  step_size step_;
};

}  // namespace mlmq::tuner
