// SPDX-License-Identifier: Apache-2.0
// Passes over large arrays that look for elements which break a rule. They use all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mlmq::graph {

/// Returns the position of the first number that is at least `limit`.
[[nodiscard]] std::optional<std::size_t> first_at_least(std::span<const std::uint32_t> numbers, std::uint32_t limit);
[[nodiscard]] std::optional<std::size_t> first_at_least(std::span<const std::uint64_t> numbers, std::uint64_t limit);

/// Returns the position of the first number that is larger than the next one.
[[nodiscard]] std::optional<std::size_t> first_decrease(std::span<const std::uint64_t> numbers);

}  // namespace mlmq::graph
