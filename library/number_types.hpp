// SPDX-License-Identifier: Apache-2.0
// Converts between the number types of the library and those of graphs.
#pragma once

#include "graph/csr.hpp"
#include "mlmq/graph.hpp"

namespace mlmq::detail {

[[nodiscard]] constexpr number_type number_type_of(graph::weight_type type) noexcept {
  switch (type) {
    case graph::weight_type::uint32:
      return number_type::uint32;
    case graph::weight_type::float32:
      return number_type::float32;
    case graph::weight_type::float64:
      break;
  }
  return number_type::float64;
}
[[nodiscard]] constexpr graph::weight_type type_of(number_type type) noexcept {
  switch (type) {
    case number_type::uint32:
      return graph::weight_type::uint32;
    case number_type::float32:
      return graph::weight_type::float32;
    case number_type::float64:
      break;
  }
  return graph::weight_type::float64;
}

}  // namespace mlmq::detail
