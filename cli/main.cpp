// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "cli/command_line.hpp"

int main(int argc, char** argv) {
#ifdef MLMQ_PACKAGE_KERNELS  // a program of another project, which is not in the install tree
  ::setenv("MLMQ_KERNELS", MLMQ_PACKAGE_KERNELS, 0);
#endif
  return mlmq::cli::run(argc, argv);
}
