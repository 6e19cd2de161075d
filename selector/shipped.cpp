// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <stdexcept>

// The assembler copies the files, which is faster than compiling arrays of numbers.
#define MLMQ_EMBED(problem)                                         \
  asm(".pushsection .rodata\n"                                      \
      "mlmq_shipped_" #problem                                      \
      ":\n"                                                         \
      ".incbin \"" MLMQ_SHIPPED_MODELS "/" #problem                 \
      ".json\"\n"                                                   \
      "mlmq_shipped_" #problem                                      \
      "_end:\n"                                                     \
      ".popsection\n");                                             \
  extern "C" const char mlmq_shipped_##problem[];      /* NOLINT */ \
  extern "C" const char mlmq_shipped_##problem##_end[] /* NOLINT */

MLMQ_EMBED(sssp);
MLMQ_EMBED(phold);
MLMQ_EMBED(astar);

namespace mlmq::selector {

std::string_view shipped_model_text(std::string_view problem) {
  if (problem == "sssp") return {mlmq_shipped_sssp, mlmq_shipped_sssp_end};
  if (problem == "phold") return {mlmq_shipped_phold, mlmq_shipped_phold_end};
  if (problem == "astar") return {mlmq_shipped_astar, mlmq_shipped_astar_end};
  throw std::out_of_range("no shipped model for this problem");
}

}  // namespace mlmq::selector
