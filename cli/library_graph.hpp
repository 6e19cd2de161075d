// SPDX-License-Identifier: Apache-2.0
// Opens graphs of the command line with the library.
#pragma once

#include <optional>

#include "cli/graph_source.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

[[nodiscard]] inline digraph open_digraph(const graph_options& options) {
  options.check();
  const graph::read_options reading = options.reading();
  const auto type = [](graph::weight_type weight_type) {
    return weight_type == graph::weight_type::uint32    ? number_type::uint32
           : weight_type == graph::weight_type::float32 ? number_type::float32
                                                        : number_type::float64;
  };
  return digraph::open(options.name,
                       {.weight_seed = reading.weight_seed,
                        .ignore_weights = reading.ignore_weights,
                        .absolute_weights = reading.absolute_weights,
                        .weight_type = reading.weight_type ? std::optional(type(*reading.weight_type)) : std::nullopt,
                        .undirected = reading.undirected,
                        .weight_column = reading.columns.weight,
                        .source_column = reading.columns.source,
                        .target_column = reading.columns.target,
                        .direction_column = reading.columns.direction});
}

}  // namespace mlmq::cli
