// SPDX-License-Identifier: Apache-2.0
// Expected results that one worker of a sweep computes for all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mlmq::kernel {

/// Expected numbers by the position of the array.
using expected_numbers = std::map<std::size_t, std::vector<std::byte>>;

/// Returns what `compute` returns. In a worker of a sweep, returns what the first worker with the same key has
/// computed, and waits for it if it is still at work. After a failure, the next worker computes.
/// @param key  of all that decides the results and may differ within a sweep
[[nodiscard]] expected_numbers compute_once(const std::string& key, const std::function<expected_numbers()>& compute);

}  // namespace mlmq::kernel
