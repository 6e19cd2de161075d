// SPDX-License-Identifier: Apache-2.0
#include "simt_test.hpp"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/files.hpp"

namespace mlmq::backends::simulator::tests {

simulator_settings test_settings() {
  simulator_settings settings;
  settings.kernels = MLMQ_TEST_KERNELS;
  settings.includes = kernel_folder();
  return settings;
}

std::string marked_line(const std::string& file, const std::string& name) {
  std::istringstream text(read_file(std::filesystem::path(MLMQ_TEST_KERNELS) / file));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.ends_with("// [" + name + "]")) return file + ":" + std::to_string(number);
  }
  throw std::logic_error(file + ": no line is marked [" + name + "]");
}

}  // namespace mlmq::backends::simulator::tests
