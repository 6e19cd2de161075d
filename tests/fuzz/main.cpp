// SPDX-License-Identifier: Apache-2.0
// Entry point for libFuzzer. All targets are in one program, which compiles in a third of the time that one program per
// target takes. The name of the executable selects the target.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fuzz/targets.hpp"

namespace {

struct target {
  std::string_view name;
  void (*read)(std::string_view input);
};

constexpr std::array targets = {
    target{"configuration", mlmq::fuzz::configuration},
    target{"csv", mlmq::fuzz::csv},
    target{"dimacs", mlmq::fuzz::dimacs},
    target{"edge_list", mlmq::fuzz::edge_list},
    target{"experiment", mlmq::fuzz::experiment},
    target{"expression", mlmq::fuzz::expression},
    target{"galois", mlmq::fuzz::galois},
    target{"graph_name", mlmq::fuzz::graph_name},
    target{"grid_map", mlmq::fuzz::grid_map},
    target{"gzip", mlmq::fuzz::gzip},
    target{"kernel", mlmq::fuzz::kernel},
    target{"matrix_market", mlmq::fuzz::matrix_market},
    target{"metis", mlmq::fuzz::metis},
    target{"model", mlmq::fuzz::model},
    target{"peers", mlmq::fuzz::peers},
    target{"results", mlmq::fuzz::results},
    target{"scipy", mlmq::fuzz::scipy},
    target{"web_request", mlmq::fuzz::web_request},
    target{"worker_message", mlmq::fuzz::worker_message},
};

void (*chosen)(std::string_view input) = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments) {
  const std::string name = std::filesystem::path((*arguments)[0]).filename().string();
  for (const target& candidate : targets) {
    if (candidate.name == name) chosen = candidate.read;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "%s: not the name of a fuzz target; start it by a link of such a name\n", name.c_str());
    std::exit(1);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
