// SPDX-License-Identifier: Apache-2.0
#include "cli/restart.hpp"

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace mlmq::cli {

void start_again(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execv("/proc/self/exe", argv.data());
  throw std::runtime_error("the device was lost and the program could not restart itself; rerun the command");
}

}  // namespace mlmq::cli
