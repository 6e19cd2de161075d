// SPDX-License-Identifier: Apache-2.0
// Configurations with a name, such as those that a paper describes. A problem declares them; `preset=NAME` stands for one
// wherever a configuration is written.
#pragma once

#include <string_view>

namespace mlmq::tuner {

struct preset {
  std::string_view name;    ///< of letters, digits, '_' and '-'
  std::string_view label;   ///< "k=v,k=v": what differs from the defaults, without another preset
  std::string_view source;  ///< where it comes from, for a person
};

/// What is written in place of a parameter's name.
inline constexpr std::string_view preset_key = "preset";

}  // namespace mlmq::tuner
