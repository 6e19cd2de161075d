// SPDX-License-Identifier: Apache-2.0
// Named configurations, such as those of a paper. A problem declares them; `preset=NAME` stands for one in labels and
// experiment files.
#pragma once

#include <string_view>

namespace mlmq::tuner {

struct preset {
  std::string_view name;    ///< consists of letters, digits, '_' and '-'
  std::string_view label;   ///< differences from the defaults, "k=v,k=v"; must not refer to another preset
  std::string_view source;  ///< origin, for users
};

/// Key that selects a preset in a configuration.
inline constexpr std::string_view preset_key = "preset";

}  // namespace mlmq::tuner
