// SPDX-License-Identifier: Apache-2.0
// kernel_hashes FOLDER: prints the code hash of each kernel file in it.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>

#include "backends/kernel_sources.hpp"

int main(int count, char** words) try {
  if (count != 2) {
    std::fprintf(stderr, "usage: kernel_hashes FOLDER\n");
    return 2;
  }
  const std::string folder = words[1];
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.insert(std::filesystem::relative(entry.path(), folder).string());
  }
  for (const std::string& file : files) {
    const std::string hash = mlmq::backends::kernel_sources::load(folder, file).code_hash();
    std::printf("%s %s\n", hash.c_str(), file.c_str());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "kernel_hashes: %s\n", error.what());
  return 1;
}
