// SPDX-License-Identifier: Apache-2.0
// Runs the tests; without a GPU, prints a message and exits with the status that CTest counts as skipped.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>

#include "base/error.hpp"
#include "gpu_test.hpp"

namespace {

constexpr int skipped = 77;

bool only_lists(const Catch::ConfigData& options) {
  return options.listTests || options.listTestNamesOnly || options.listTags || options.listReporters ||
         options.showHelp;
}

}  // namespace

int main(int argc, char** argv) {
  Catch::Session session;
  const int status = session.applyCommandLine(argc, argv);
  if (status != 0) return status;
  if (!only_lists(session.configData())) {
    try {
      static_cast<void>(mlmq::backends::inspect_device(mlmq::gpu_tests::device_selector()));
    } catch (const mlmq::input_error& error) {
      std::printf("skipped: %s\n", error.what());
      return skipped;
    }
  }
  return session.run();
}
