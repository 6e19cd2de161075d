// SPDX-License-Identifier: Apache-2.0
// Divides an elimination into panels, from which the kernel hierarchy_weights.cu finds the weights of arcs.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/customization_abi.cuh"

namespace mlmq::multi_source {

/// The arrays of customization_arguments that do not depend on weights.
struct elimination_panels {
  std::vector<elimination_panel> panels;
  std::vector<u32> columns;
  std::vector<panel_row> rows;
  std::vector<u32> places;
  std::vector<panel_tile> tiles;
  std::vector<panel_strip> strips;
  std::vector<u32> level_tiles;
  std::vector<u32> level_strips;

  [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(level_tiles.size() - 1); }
};

/// @param tree an elimination with less than 2^31 arcs
[[nodiscard]] elimination_panels divide_into_panels(const graph::elimination& tree);

}  // namespace mlmq::multi_source
