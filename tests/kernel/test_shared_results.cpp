// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/shared_results.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "tuner/supervisor.hpp"

namespace mlmq::kernel {
namespace {

/// Names the folder of a sweep while it exists.
class sweep_folder {
 public:
  explicit sweep_folder(const std::filesystem::path& folder) {
    ::setenv(tuner::sweep_folder_variable, folder.c_str(), 1);
  }
  sweep_folder(const sweep_folder&) = delete;
  sweep_folder& operator=(const sweep_folder&) = delete;
  ~sweep_folder() { ::unsetenv(tuner::sweep_folder_variable); }
};

const expected_numbers numbers = {{0, {std::byte{1}, std::byte{0}, std::byte{10}}}, {3, {}}, {7, {std::byte{255}}}};

}  // namespace

TEST_CASE("workers of a sweep compute expected results once") {
  const temporary_folder place("test-results");
  const sweep_folder shared(place.path());
  std::atomic<int> runs = 0;
  const auto compute = [&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return numbers;
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&] {
        if (compute_once("key", compute) != numbers) runs += 100;
      });
    }
  }
  CHECK(runs == 1);
  CHECK(compute_once("other key", compute) == numbers);
  CHECK(runs == 2);
}

TEST_CASE("a failure to compute expected results is not shared") {
  const temporary_folder place("test-results");
  const sweep_folder shared(place.path());
  CHECK_THROWS_AS(compute_once("key", []() -> expected_numbers { throw input_error("no"); }), input_error);
  CHECK(compute_once("key", [] { return numbers; }) == numbers);
}

TEST_CASE("without a sweep, or without its folder, expected results are computed each time") {
  int runs = 0;
  const auto compute = [&] {
    ++runs;
    return numbers;
  };
  for (int i = 0; i < 2; ++i) CHECK(compute_once("key", compute) == numbers);
  const sweep_folder shared("/nowhere");
  CHECK(compute_once("key", compute) == numbers);
  CHECK(runs == 3);
}

}  // namespace mlmq::kernel
