// SPDX-License-Identifier: Apache-2.0
// Compiling, caching and the limits of a launch.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "base/error.hpp"
#include "base/files.hpp"
#include "simt_test.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::test_device;
namespace fs = std::filesystem;

namespace {

const char* const kernel_text = R"(
#include "simt/simt.cuh"
#include "value.cuh"
struct give_arguments { u32* result; };
SIMT_KERNEL(give, give_arguments) { if (simt::thread_in_block() == 0) simt::store(arguments.result, value); }
)";

struct give_arguments {
  u32* result;
};

u32 run_give(test_device& device, const kernel& variant) {
  const device_memory output = device.make(std::vector<u32>(1));
  device.run(variant, give_arguments{output.as<u32>()}, 1);
  return device.read<u32>(output).front();
}

}  // namespace

TEST_CASE("a variant is compiled once and again when any of its files changes") {
  const mlmq::tests::scratch_folder place("simt");
  const mlmq::tests::environment cache("MLMQ_CACHE", (place.path() / "cache").string());
  mlmq::write_file_atomically(place.path() / "kernels/give.cu", kernel_text);
  mlmq::write_file_atomically(place.path() / "kernels/value.cuh", "inline constexpr u32 value = 5;\n");
  simulator_settings settings = tests::test_settings();
  settings.kernels = (place.path() / "kernels").string();

  test_device device(settings);
  const auto first = device.compile("give.cu", "give");
  CHECK_FALSE(first->properties().from_cache);
  CHECK(first->properties().compile_ms > 0);
  CHECK(run_give(device, *first) == 5);

  const auto second = device.compile("give.cu", "give");
  CHECK(second->properties().from_cache);
  CHECK(second->properties().source_hash == first->properties().source_hash);
  test_device another(settings);
  CHECK(another.compile("give.cu", "give")->properties().from_cache);

  CHECK_FALSE(device.compile("give.cu", "give", {{"UNUSED", "1"}})->properties().from_cache);
  mlmq::write_file_atomically(place.path() / "kernels/value.cuh", "inline constexpr u32 value = 6;\n");
  const auto changed = device.compile("give.cu", "give");
  CHECK_FALSE(changed->properties().from_cache);
  CHECK(changed->properties().source_hash != first->properties().source_hash);
  CHECK(run_give(device, *changed) == 6);
  // The kernel that was loaded before stays unchanged.
  CHECK(run_give(device, *first) == 5);
}

TEST_CASE("a damaged file in the cache is made again") {
  const mlmq::tests::scratch_folder place("simt");
  const mlmq::tests::environment cache("MLMQ_CACHE", place.path().string());
  simulator_settings settings = tests::test_settings();
  test_device device(settings);
  const auto loaded = device.compile("order.cu", "serve");
  CHECK(loaded);
  fs::path file;
  for (const auto& entry : fs::directory_iterator(place.path() / "simt")) {
    if (entry.path().extension() == ".so") file = entry.path();
  }
  const std::string whole = mlmq::read_file(file);
  std::vector<std::string> contents{"", "not an object", std::string(whole.size(), '\0')};
  for (const std::size_t length : {std::size_t{100}, std::size_t{4096}, whole.size() - 100}) {
    contents.push_back(whole.substr(0, length));
  }
  for (const std::string& content : contents) {
    CAPTURE(content.size());
    // The file is overwritten in place while the variant is loaded: the loaded code is a copy.
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    CHECK(loaded->resident_blocks(0) > 0);
    CHECK_FALSE(device.compile("order.cu", "serve")->properties().from_cache);
    CHECK(device.compile("order.cu", "serve")->properties().from_cache);
  }
}

TEST_CASE("variants that are loaded, unloaded and loaded again do not get mixed up") {
  // Each variant is loaded through a file descriptor whose number the next one reuses.
  const mlmq::tests::scratch_folder place("simt");
  const mlmq::tests::environment cache("MLMQ_CACHE", (place.path() / "cache").string());
  mlmq::write_file_atomically(place.path() / "kernels/give.cu", kernel_text);
  simulator_settings settings = tests::test_settings();
  settings.kernels = (place.path() / "kernels").string();
  test_device device(settings);
  std::vector<std::shared_ptr<const kernel>> kernels;
  for (const u32 round : {1U, 2U, 1U, 3U, 2U, 1U}) {
    mlmq::write_file_atomically(place.path() / "kernels/value.cuh",
                                "inline constexpr u32 value = " + std::to_string(round) + ";\n");
    kernels.push_back(device.compile("give.cu", "give"));
    CHECK(run_give(device, *kernels.back()) == round);
  }
  CHECK(run_give(device, *kernels[0]) == 1);
  CHECK(run_give(device, *kernels[3]) == 3);
}

TEST_CASE("threads compile at the same time") {
  const mlmq::tests::scratch_folder place("simt");
  const mlmq::tests::environment cache("MLMQ_CACHE", place.path().string());
  test_device device;
  std::vector<std::future<std::shared_ptr<const kernel>>> results;
  for (int i = 0; i < 4; ++i) {
    results.push_back(std::async(std::launch::async, [&device] { return device.compile("order.cu", "serve"); }));
  }
  for (auto& variant : results) CHECK(variant.get() != nullptr);
  const auto files = fs::directory_iterator(place.path() / "simt");
  const auto compiled = [](const fs::directory_entry& entry) { return entry.path().extension() == ".so"; };
  CHECK(std::count_if(begin(files), end(files), compiled) == 1);
}

TEST_CASE("a compilation error includes the compiler's messages") {
  test_device device;
  try {
    static_cast<void>(device.compile("broken.cu", "broken"));
    FAIL("it compiled");
  } catch (const compile_error& error) {
    const std::string log = error.what();
    INFO(log);
    CHECK(log.find("undeclared_name") != std::string::npos);
    CHECK(log.find("broken.cu:9") != std::string::npos);
  }
}

TEST_CASE("a missing file, entry or compiler is named") {
  using Catch::Matchers::Contains;
  test_device device;
  CHECK_THROWS_AS(device.compile("absent.cu", "absent"), mlmq::input_error);
  CHECK_THROWS_WITH(device.compile("absent.cu", "absent"), Contains("absent.cu") && Contains(MLMQ_TEST_KERNELS));
  CHECK_THROWS_AS(device.compile("order.cu", "absent"), mlmq::input_error);
  CHECK_THROWS_WITH(device.compile("order.cu", "absent"), Contains("order.cu") && Contains("absent"));
  CHECK_THROWS_AS(device->compile({"order.cu", "serve", 48, {}}), mlmq::input_error);

  const mlmq::tests::environment chosen("CXX", "no-such-compiler");
  test_device without;
  CHECK(without->info().compiler.empty());
  CHECK_THROWS_AS(without.compile("order.cu", "serve"), mlmq::work_error);
  CHECK_THROWS_WITH(without.compile("order.cu", "serve"), Contains("g++"));
  CHECK_FALSE(report_simt().usable);
}

TEST_CASE("selectors") {
  CHECK(parse_simt_selector("simt").multiprocessors == 4);
  CHECK(parse_simt_selector("simt").warps == 8);
  CHECK(parse_simt_selector("simt:16x32").multiprocessors == 16);
  CHECK(parse_simt_selector("simt:16x32").warps == 32);
  for (const char* const wrong :
       {"simt:", "simt:4", "simt:0x4", "simt:4x", "simt:4x65", "simt:-1x4", "simt:4x8x2", "simd", "simt:4 x8"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_simt_selector(wrong), mlmq::input_error);
  }
}

TEST_CASE("the device describes itself") {
  const std::unique_ptr<backend> device = open_simt("simt:2x16", tests::test_settings());
  const device_info& info = device->info();
  CHECK(info.selector == "simt:2x16");
  CHECK(info.kind == "simt");
  CHECK(info.name == "simt 2x16 warps");
  CHECK(info.architecture == "simt-1");
  CHECK(info.multiprocessors == 2);
  CHECK(info.warp_slots == 16);
  CHECK(info.modelled);
  CHECK(info.driver == simulator_version());
  CHECK_FALSE(info.compiler.empty());
  CHECK(report_simt().usable);
}

TEST_CASE("only launches that fit are accepted") {
  test_device device;  // 2 multiprocessors with 4 warps each
  const auto variant = device.compile("order.cu", "serve");
  CHECK(variant->resident_blocks(0) == 4);
  CHECK(variant->resident_blocks(100 * 1024) == 4);
  CHECK(variant->resident_blocks(120 * 1024) == 2);
  CHECK(variant->resident_blocks(227 * 1024) == 2);
  CHECK(variant->resident_blocks(228 * 1024) == 0);
  CHECK(device->compile({"order.cu", "serve", 160, {}})->resident_blocks(0) == 0);

  const device_memory words = device.make(std::vector<u32>(1024));
  struct {
    u32* next;
    u32* tickets;
  } arguments{words.as<u32>(), words.as<u32>() + 1};
  CHECK_NOTHROW(device.run(*variant, arguments, 4));
  CHECK_THROWS_AS(device.run(*variant, arguments, 5), launch_error);
  CHECK_THROWS_AS(device.run(*variant, arguments, 0), launch_error);
  CHECK_THROWS_AS(device.run(*variant, arguments, 2, 228 * 1024), launch_error);
  CHECK_THROWS_AS(device.run(*variant, 5, 2), launch_error);
}
