// SPDX-License-Identifier: Apache-2.0
// Which configurations of a space are near another one: what the strategies that learn move along.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::tuner {

/// How far one step goes.
enum class step_size {
  any,   ///< a parameter takes any other of its values
  next,  ///< a number takes the next value below or above it among its values; anything else any other value
};

class neighbourhood {
 public:
  /// @param space must outlive the neighbourhood
  neighbourhood(const search_space& space, step_size step);

  /// The configurations of the space in which one parameter has another value than in `c`, in a fixed order. Parameters
  /// that exist only because of the change take their default, or else the first values that the restrictions allow;
  /// those that cease to exist are absent. Listed configurations are neighbours when exactly one of the parameters that
  /// both have differs.
  [[nodiscard]] std::vector<configuration> of(const configuration& c) const;

  /// A configuration of the space with these values as far as it has them: other values are replaced by the nearest
  /// number, else by the default or the first value; parameters that are not wished for by their default or first
  /// value. Nothing when the restrictions forbid all that was tried.
  [[nodiscard]] std::optional<configuration> nearest(const configuration& wished) const;

 private:
  struct completion;
  [[nodiscard]] std::vector<value> steps_of(const parameter& p, const value& from) const;

  const search_space& space_;
  step_size step_;
};

}  // namespace mlmq::tuner
