// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

int main(int argc, char** argv) { return mlmq::cli::run(argc, argv); }
