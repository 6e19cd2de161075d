// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks on the simulator: barriers, access to each other's shared memory, and reports of broken rules.
#include <catch2/catch.hpp>

#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::marked_line;
using tests::test_device;

namespace {

struct cluster_test_arguments {
  u32* words;
};

/// Launches with 4 blocks. @return the finding that stops the launch, or "" if it completes
std::string run_clusters(test_device& device, const std::string& entry, const device_memory& words,
                         unsigned cluster_blocks) {
  const cluster_test_arguments arguments{words.as<u32>()};
  const auto variant = device.compile("cluster.cu", entry);
  try {
    device->measure([&] {
      device->launch(*variant, {.grid_blocks = 4,
                                .shared_bytes = 2 * test_device::block_threads * sizeof(u32),
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments,
                                .together = false,
                                .cluster_blocks = cluster_blocks});
    });
  } catch (const kernel_fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_CASE("blocks of a cluster exchange data under every schedule") {
  simulator_settings settings = tests::test_settings();
  settings.stall_every = 10;
  settings.weak_memory_cycles = 20'000;
  test_device device(settings, "simt:4x4");
  for (const unsigned cluster_blocks : {1U, 2U, 4U}) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
      CAPTURE(cluster_blocks, seed);
      device->set_seed(seed);
      const device_memory words = device.make(std::vector<u32>(4 * test_device::block_threads));
      REQUIRE(run_clusters(device, "round_trip", words, cluster_blocks).empty());
      // After a full round, every value is back where it began.
      const std::vector<u32> values = device.read<u32>(words);
      for (u32 i = 0; i < values.size(); ++i) REQUIRE(values[i] == i);
    }
  }
}

TEST_CASE("violations of the rules of clusters are named") {
  const auto [entry, kind, mark] = GENERATE(table<std::string, std::string, std::string>({
      {"one_half", "data race", "one_half_store"},
      {"too_early", "early access to another block", "too_early"},
      {"too_late", "late access to another block", "too_late"},
      {"atomic_in_other_block", "wrong memory space", "atomic_in_other_block"},
      {"other_cluster", "out of bounds", "other_cluster"},
      {"arrives_twice", "unmatched cluster barrier", "arrives_twice"},
      {"waits_alone", "unmatched cluster barrier", "waits_alone"},
      {"one_block_ends", "deadlock", "one_block_ends"},
  }));
  CAPTURE(entry);
  simulator_settings settings = tests::test_settings();
  // one_half may read words before they are written.
  settings.detect_unwritten = false;
  test_device device(settings, "simt:4x4");
  const device_memory words = device.make(std::vector<u32>(4 * test_device::block_threads));
  const std::string finding = run_clusters(device, entry, words, 2);
  INFO(finding);
  CHECK(finding.find("simt: " + kind + ": kernel '" + entry + "'") == 0);
  const std::string line = marked_line("cluster.cu", mark);
  CAPTURE(line);
  CHECK(finding.find(line) != std::string::npos);
}

TEST_CASE("impossible clusters are refused") {
  test_device device(tests::test_settings(), "simt:4x4");
  const auto variant = device.compile("cluster.cu", "round_trip");
  CHECK(variant->resident_clusters(4, 0) == 2);
  CHECK(variant->resident_clusters(4, 200 * 1024) == 1);
  CHECK(variant->resident_clusters(8, 200 * 1024) == 0);
  CHECK(variant->resident_clusters(17, 0) == 0);
  const device_memory words = device.make(std::vector<u32>(4 * test_device::block_threads));
  for (const unsigned cluster_blocks : {0U, 3U, 17U}) {
    CHECK_THROWS_AS(run_clusters(device, "round_trip", words, cluster_blocks), launch_error);
  }
}
