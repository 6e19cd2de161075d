// SPDX-License-Identifier: Apache-2.0
// Opening devices by name, and the folder that kernels come from.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "backends/cuda/gpu_index.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"
#include "base/error.hpp"
#include "tests/support/environment.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::backends;
using Catch::Contains;

}  // namespace

TEST_CASE("the simulator opens on every machine and says that its times are modelled") {
  const auto standard = open_device("simt");
  CHECK(standard->info().selector == "simt");
  CHECK(standard->info().kind == "simt");
  CHECK(standard->info().modelled);
  const auto shaped = open_device("simt:3x6");
  CHECK(shaped->info().multiprocessors == 3);
  CHECK(shaped->info().warp_slots == 6);
  CHECK(shaped->info().name != standard->info().name);
}

TEST_CASE("a process that sees one GPU of several knows it by the same selector") {
  device_info gpu;
  gpu.selector = "cuda:3";
  gpu.uuid = "GPU-a";
  const std::map<std::string, std::string> variables = one_gpu_environment(gpu);
  CHECK(variables == std::map<std::string, std::string>{{"CUDA_VISIBLE_DEVICES", "GPU-a"}, {"MLMQ_FIRST_GPU", "3"}});
  CHECK(driver_index("cuda") == 0);
  CHECK(driver_index("cuda:3") == 3);
  const tests::environment first("MLMQ_FIRST_GPU", variables.at("MLMQ_FIRST_GPU"));
  CHECK(first_gpu() == 3);
  CHECK(driver_index("cuda:3") == 0);
  CHECK_THROWS_WITH(driver_index("cuda:2"), "device 'cuda:2': this process does not see this GPU");
  // Simulators and processors start fast.
  CHECK(worker_environment(inspect_device("simt")).empty());
  CHECK(worker_environment(inspect_device("cpu")).empty());
}

TEST_CASE("auto always finds a device") {
  const auto device = open_device("auto");
  CHECK((device->info().kind == "cuda" || device->info().kind == "simt"));
  CHECK(device->info().modelled == (device->info().kind == "simt"));
}

TEST_CASE("an unknown device lists the known ones") {
  for (const char* const name : {"gpu", "", "simt4x4", "cudax", "SIMT", "hip:0", "cpu4", "CPU"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(open_device(name), input_error);
    CHECK_THROWS_WITH(open_device(name), Contains("'" + std::string(name) + "'") && Contains("auto") &&
                                             Contains("cuda:N") && Contains("simt:SxW") && Contains("cpu:N"));
  }
}

TEST_CASE("a malformed shape of the simulator is refused") {
  for (const char* const name : {"simt:", "simt:4", "simt:0x4", "simt:4x0", "simt:4x4x4", "simt:axb", "simt:-1x4"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(open_device(name), input_error);
    CHECK_THROWS_WITH(open_device(name), Contains(name));
  }
}

TEST_CASE("a GPU is named by a number") {
  for (const char* const name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:99999"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(open_device(name), input_error);
    CHECK_THROWS_WITH(open_device(name), Contains(name) && Contains("cuda:0"));
  }
  CHECK_THROWS_AS(open_device("cuda:9999"), input_error);
#ifndef MLMQ_TEST_HAS_CUDA
  CHECK_THROWS_WITH(open_device("cuda"), Contains("'cuda'") && Contains("without the CUDA backend"));
#endif
}

TEST_CASE("every backend reports whether it can be used, and why not") {
  const std::vector<backend_report> reports = report_backends();
  REQUIRE(reports.size() == 3);
  CHECK(reports[0].name == "cuda");
  CHECK(reports[1].name == "simt");
  CHECK(reports[2].name == "cpu");
  CHECK(reports[2].usable);
  for (const backend_report& report : reports) {
    CAPTURE(report.name);
    CHECK_FALSE(report.facts.empty());
    for (const auto& [name, fact] : report.facts) {
      CAPTURE(name);
      CHECK_FALSE(fact.empty());
    }
  }
}

TEST_CASE("kernels come from MLMQ_KERNELS, else from this source tree") {
  {
    const tests::environment none("MLMQ_KERNELS", nullptr);
    CHECK(std::filesystem::equivalent(kernel_folder(), MLMQ_TEST_KERNELS));
    CHECK_FALSE(kernel_sources::load(kernel_folder(), "sssp.cu").headers.empty());
  }
  const tests::environment variable("MLMQ_KERNELS", "/kernels/of/mine");
  CHECK(kernel_folder() == "/kernels/of/mine");
  CHECK_THROWS_WITH(kernel_sources::load(kernel_folder(), "sssp.cu"), Contains("/kernels/of/mine"));
}

TEST_CASE("lists of devices") {
  using names = std::vector<std::string>;
  CHECK(list_devices("simt") == names{"simt"});
  CHECK(list_devices("simt:4x8", 3) == names{"simt:4x8", "simt:4x8", "simt:4x8"});
  CHECK(list_devices("simt,cpu:2") == names{"simt", "cpu:2"});
  CHECK(list_devices("cuda:0,cuda:3") == names{"cuda:0", "cuda:3"});
  CHECK(list_devices("cuda") == names{"cuda:0"});
  CHECK_THROWS_WITH(list_devices("cuda,cuda:0"), Contains("cuda:0 is listed twice"));
  CHECK_THROWS_WITH(list_devices("simt,simt"), Contains("simt is listed twice"));
  CHECK_THROWS_WITH(list_devices("cpu", 2), Contains("--workers is for the simulator"));
  CHECK_THROWS_AS(list_devices("cuda:x"), input_error);
  CHECK_FALSE(list_devices("auto").empty());
  // In a list, as by itself, "auto" stands for real devices.
  CHECK(list_search_devices("cpu:1,auto").size() >= 2);
  for (const std::string& selector : list_search_devices("cpu:1,auto")) CHECK_FALSE(traits_of(selector).modelled);
}

TEST_CASE("describing a device without opening it gives the same facts") {
  const device_info looked = inspect_device("simt:4x8");
  const auto opened = open_device("simt:4x8");
  CHECK(looked.name == opened->info().name);
  CHECK(looked.architecture == opened->info().architecture);
  CHECK(looked.memory_bytes == opened->info().memory_bytes);
  CHECK(looked.modelled);
  CHECK_THROWS_AS(inspect_device("nonsense"), input_error);
}
