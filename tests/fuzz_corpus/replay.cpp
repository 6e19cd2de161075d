// SPDX-License-Identifier: Apache-2.0
// Gives every input of the fuzz targets' corpora to its target, without libFuzzer. A broken rule ends the program.
//
// usage: test_fuzz_corpus CORPUS, a folder with one folder of inputs per target
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "base/files.hpp"

extern "C" int LLVMFuzzerInitialize(int* argument_count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::set<fs::path> entries_of(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

std::size_t replay(const fs::path& corpus) {
  std::string target = corpus.filename().string();
  char* name = target.data();
  char** arguments = &name;
  int argument_count = 1;
  LLVMFuzzerInitialize(&argument_count, &arguments);
  std::size_t inputs = 0;
  for (const fs::path& file : entries_of(corpus)) {
    // If an input ends the program, it is the last one named.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    const std::string content = mlmq::read_file(file);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    ++inputs;
  }
  return inputs;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: test_fuzz_corpus CORPUS\n");
    return 2;
  }
  for (const fs::path& corpus : entries_of(arguments[1])) {
    if (replay(corpus) > 0) continue;
    std::fprintf(stderr, "%s: no inputs\n", corpus.c_str());
    return 1;
  }
  return 0;
}
