// SPDX-License-Identifier: Apache-2.0
// Hardware counters through a library that looks like CUPTI.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/hardware_profiler.hpp"
#include "base/error.hpp"
#include "tests/support/environment.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::backends;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using counts = std::vector<std::pair<std::string, double>>;

const std::vector<std::string> dram_and_occupancy{"occupancy", "dram"};

device_info gpu() {
  device_info info;
  info.selector = "cuda:0";
  info.name = "a GPU";
  return info;
}

}  // namespace

TEST_CASE("a run is repeated for each pass that its counters need") {
  const tests::environment fake("MLMQ_CUPTI", MLMQ_TEST_FAKE_CUPTI);
  const auto profiler = open_profiler(gpu(), dram_and_occupancy);
  for (int again = 0; again < 2; ++again) {
    int runs = 0;
    const auto counted = profiler->count([&] { return ++runs > 0; });
    CHECK(runs == 2);
    // Lengths of the metrics' names plus two passes; shares instead of percentages.
    REQUIRE(counted.has_value());
    CHECK(*counted == counts{{"dram_read_bytes", 20 + 2},
                             {"dram_written_bytes", 21 + 2},
                             {"achieved_occupancy", (49 + 2) * 0.01},
                             {"busy_multiprocessors", (51 + 2) * 0.01}});
  }
}

TEST_CASE("a run that fails or throws has no counters, and the profiler can be used again") {
  const tests::environment fake("MLMQ_CUPTI", MLMQ_TEST_FAKE_CUPTI);
  const auto profiler = open_profiler(gpu(), dram_and_occupancy);
  int runs = 0;
  CHECK_FALSE(profiler->count([&] { return ++runs == 0; }).has_value());
  CHECK(runs == 1);
  CHECK_THROWS_WITH(profiler->count([]() -> bool { throw work_error("lost"); }), "lost");
  CHECK(profiler->count([] { return true; }).has_value());
}

TEST_CASE("a GPU without counters says why, and how to allow them") {
  {
    const tests::environment fake("MLMQ_CUPTI", MLMQ_TEST_FAKE_CUPTI);
    {
      const tests::environment mode("MLMQ_FAKE_CUPTI", "forbidden");
      CHECK_THROWS_WITH(open_profiler(gpu(), dram_and_occupancy), Contains("NVreg_RestrictProfilingToAdminUsers=0"));
    }
    const tests::environment mode("MLMQ_FAKE_CUPTI", "dram__bytes_write.sum");
    CHECK_THROWS_WITH(open_profiler(gpu(), dram_and_occupancy),
                      "hardware counters: choosing dram__bytes_write.sum: CUPTI_ERROR_INVALID_METRIC_NAME (17)");
    const std::vector<std::string> instructions{"instructions"};
    CHECK(open_profiler(gpu(), instructions) != nullptr);
  }
  {
    const tests::environment absent("MLMQ_CUPTI", "/nonexistent/libcupti.so");
    CHECK_THROWS_WITH(open_profiler(gpu(), dram_and_occupancy), StartsWith("hardware counters: CUPTI cannot"));
  }
  const tests::environment other("MLMQ_CUPTI", "libm.so.6");
  CHECK_THROWS_WITH(open_profiler(gpu(), dram_and_occupancy), Contains("CUPTI has no function cuptiGetResultString"));
}

TEST_CASE("the driver lets administrators count, and others if its parameter says so") {
  const std::string restricted = "RmDisableRegistryCaching: 0\nRmProfilingAdminOnly: 1\nRmPreemptionMode: 0\n";
  const std::string administrator = "Name:\tmlmq\nCapEff:\t000001ffffffffff\nCapBnd:\t000001ffffffffff\n";
  const std::string container = "Name:\tmlmq\nCapEff:\t00000000a80425fb\nCapBnd:\t000001ffffffffff\n";
  CHECK(may_count(restricted, administrator));
  CHECK_FALSE(may_count(restricted, container));
  CHECK_FALSE(may_count(restricted, ""));
  CHECK(may_count("RmProfilingAdminOnly: 0\n", container));
}

TEST_CASE("the state of the profiler names the library, or says what to do") {
  {
    const tests::environment fake("MLMQ_CUPTI", MLMQ_TEST_FAKE_CUPTI);
    CHECK(find_profiler().library == MLMQ_TEST_FAKE_CUPTI);
  }
  const tests::environment missing("MLMQ_CUPTI", "/nowhere/libcupti.so");
  CHECK(find_profiler().library.empty());
  CHECK_THAT(find_profiler().problem, StartsWith("CUPTI cannot be opened; install CUDA's package"));
}
