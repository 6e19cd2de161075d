// SPDX-License-Identifier: Apache-2.0
// Vectors of numbers as workloads: a kind of workload that the program itself does not have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/workload.hpp"

namespace mlmq::vector_sum {

struct vector_workload final : tuner::workload {
  std::vector<std::uint32_t> numbers;
};

/// Returns the kind "vector". `vector12:spread=100:seed=2` generates 2^12 numbers below 100; a file has one number per
/// line.
[[nodiscard]] const tuner::workload_kind& vector_kind();

/// Returns the numbers of a workload of this kind. @throws std::bad_cast for a workload of another kind
[[nodiscard]] std::span<const std::uint32_t> numbers_of(const tuner::workload& workload);

}  // namespace mlmq::vector_sum
