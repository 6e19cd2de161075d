// SPDX-License-Identifier: Apache-2.0
// The distances that searches on processors have found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "problems/multi_source/solver.hpp"

namespace mlmq::multi_source {

/// The distances of all searches of a run.
template <class Bits>
struct found_distances {
  std::size_t columns = 0;
  std::vector<Bits> of_targets;
  std::vector<Bits> distances;

  void assign(std::size_t searches, const search_request& request, std::size_t vertices, Bits none) {
    columns = request.targets.empty() ? vertices : request.targets.size();
    of_targets.assign(searches * request.targets.size(), none);
    distances.assign(request.keep ? searches * vertices : 0, none);
  }
  [[nodiscard]] std::vector<Bits> rows(std::size_t first, std::size_t count) const {
    const auto begin = distances.begin() + static_cast<std::ptrdiff_t>(first * columns);
    return {begin, begin + static_cast<std::ptrdiff_t>(count * columns)};
  }
  void copy_rows(std::size_t first, std::size_t count, void* destination) const {
    const std::vector<Bits>& words = distances.empty() ? of_targets : distances;
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first * columns), count * columns,
                static_cast<Bits*>(destination));
  }
};

}  // namespace mlmq::multi_source
