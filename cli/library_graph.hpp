// SPDX-License-Identifier: Apache-2.0
// Graphs of a command line for the library.
#pragma once

#include <optional>

#include "cli/graph_source.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

[[nodiscard]] inline digraph open_digraph(const graph_options& options) {
  options.check();
  const graph::read_options reading = options.reading();
  const auto type = [](graph::weight_type wanted) {
    return wanted == graph::weight_type::uint32    ? number_type::uint32
           : wanted == graph::weight_type::float32 ? number_type::float32
                                                   : number_type::float64;
  };
  return digraph::open(options.name,
                       {.weight_seed = reading.weight_seed,
                        .ignore_weights = reading.ignore_weights,
                        .absolute_weights = reading.absolute_weights,
                        .weight_type = reading.weight_type ? std::optional(type(*reading.weight_type)) : std::nullopt,
                        .undirected = reading.undirected});
}

}  // namespace mlmq::cli
