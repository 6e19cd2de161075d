// SPDX-License-Identifier: Apache-2.0
// New configurations around known ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// Configurations like the parents (each as often as the others), but for one or two parameters: these have the value of
/// another known configuration, or of a real number twice or half of it. None is known, each is there once. The same
/// arguments give the same configurations. Fewer than `count` where nothing new is found.
/// @param fits whether a configuration may be proposed
/// @param known complete configurations of `parameters`, of which the parents are some
[[nodiscard]] std::vector<configuration> configurations_around(const parameter_set& parameters,
                                                               std::span<const configuration> parents,
                                                               std::span<const configuration> known, std::size_t count,
                                                               std::uint64_t seed,
                                                               const std::function<bool(const configuration&)>& fits);

}  // namespace mlmq::tuner
