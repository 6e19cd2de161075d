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

/// Returns new configurations that differ from a parent in one or two parameters. A changed parameter takes its value
/// in another known configuration; a positive real number may also be doubled or halved. The parents are used equally
/// often. The result has no duplicates, depends on the arguments only, and has fewer than `count` entries if no more
/// are found.
/// @param fits returns whether a configuration may be proposed
/// @param existing complete configurations of `parameters`, including the parents; none of them is returned
[[nodiscard]] std::vector<configuration> configurations_around(const parameter_set& parameters,
                                                               std::span<const configuration> parents,
                                                               std::span<const configuration> existing,
                                                               std::size_t count, std::uint64_t seed,
                                                               const std::function<bool(const configuration&)>& fits);

}  // namespace mlmq::tuner
