// SPDX-License-Identifier: Apache-2.0
// A folder of figures for tests.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/scratch_folder.hpp"

namespace mlmq::reproduce::tests {

/// A temporary folder with an empty sweep.yaml.
class figure_folder : public mlmq::tests::scratch_folder {
 public:
  figure_folder() { write("sweep.yaml", ""); }
};

/// A figure with every key.
inline const std::string good = R"(figure: paper/fig8
title: A title
finding: What it shows
problem: bfs
sweeps:
  - {file: sweep.yaml}
  - {file: ./sweep.yaml, on: processors}
plot: draw.py
quick: [road8, del7]
selector: true
paper:
  - {measure: speed, what: speed-up, value: 1.87, unit: x, where: A100}
  - {measure: best, what: best one, text: L1V-L2V}
recorded: [another_sweep, another_cpu]
)";

/// Returns `good` with a part replaced. @throws std::logic_error if the part does not occur
inline std::string with(const std::string& old_text, const std::string& new_text) {
  std::string text = good;
  const auto position = text.find(old_text);
  if (position == std::string::npos) throw std::logic_error("no '" + old_text + "'");
  return text.replace(position, old_text.size(), new_text);
}

}  // namespace mlmq::reproduce::tests
