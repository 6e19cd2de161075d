// SPDX-License-Identifier: Apache-2.0
// Processors as a device.
#include "backends/cpu/cpu_backend.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "base/error.hpp"
#include "graph/csr.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::backends;
using Catch::Contains;

const kernel_source delta_stepping{
    .file = cpu_solver_file, .entry = "delta_stepping", .block_threads = 1, .defines = {}};

/// A path whose edges have length 1, resident on a device.
class chain {
 public:
  chain(backend& device, std::uint32_t vertices)
      : offsets_(device.allocate((vertices + std::size_t{1}) * 4, "offsets")),
        edges_(device.allocate((vertices - std::size_t{1}) * 4, "edges")),
        distances(device.allocate(vertices * std::size_t{4}, "distances")),
        control(device.allocate(4, "control")) {
    std::vector<std::uint32_t> numbers(vertices + std::size_t{1});
    for (std::uint32_t v = 0; v <= vertices; ++v) numbers[v] = std::min(v, vertices - 1);
    device.upload(offsets_, numbers.data(), offsets_.bytes());
    for (std::uint32_t v = 0; v < vertices; ++v) numbers[v] = v + 1;
    device.upload(edges_, numbers.data(), edges_.bytes());
    device.poke(control, 0, 0);
    call.request.graph = {
        .vertices = vertices, .unit_weights = true, .offsets = offsets_.address(), .edges = edges_.address()};
    call.request.distances = distances.as<graph::distance_bits>();
    call.request.abort_word = control.as<std::uint32_t>();
    call.result = &result;
  }
  chain(const chain&) = delete;
  chain& operator=(const chain&) = delete;

  [[nodiscard]] launch_spec spec() const {
    return {.grid_blocks = 1, .arguments = &call, .argument_bytes = sizeof call};
  }

 private:
  device_memory offsets_;
  device_memory edges_;

 public:
  device_memory distances;
  device_memory control;
  cpu::search_result result;
  cpu::search_call call;
};

}  // namespace

TEST_CASE("a device of processors describes itself") {
  const auto device = open_device("cpu:3");
  const device_info& info = device->info();
  CHECK(info.kind == "cpu");
  CHECK(info.selector == "cpu:3");
  CHECK(info.multiprocessors == 3);
  CHECK_THAT(info.name, Contains("3 threads"));
  CHECK_FALSE(info.architecture.empty());
  CHECK_FALSE(info.driver.empty());
  CHECK_FALSE(info.compiler.empty());
  CHECK(info.memory_bytes > 0);
  CHECK_FALSE(info.modelled);
  CHECK(open_device("cpu")->info().multiprocessors >= 1);
  CHECK_THAT(open_device("cpu:1")->info().name, Contains("1 thread") && !Contains("threads"));
}

TEST_CASE("a malformed number of threads is refused") {
  for (const char* const name : {"cpu:", "cpu:0", "cpu:x", "cpu:-1", "cpu:1x", "cpu: 1", "cpu:1025", "cpu:99999"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(open_device(name), input_error);
    CHECK_THROWS_WITH(open_device(name), Contains("'" + std::string(name) + "'") && Contains("cpu:8"));
  }
}

TEST_CASE("only solvers compile, and other sources are named in the error") {
  const auto device = open_device("cpu:1");
  for (const std::string_view name : cpu::solver_names()) {
    const auto compiled = device->compile({.file = cpu_solver_file, .entry = std::string(name), .defines = {}});
    CHECK(compiled->properties().source_hash == cpu::solver_source_hash());
    CHECK(compiled->resident_blocks(0) == 1);
    CHECK(compiled->resident_blocks(1) == 0);
  }
  const kernel_source unknown{.file = cpu_solver_file, .entry = "astar", .defines = {}};
  CHECK_THROWS_AS(device->compile(unknown), mlmq::backends::compile_error);
  CHECK_THROWS_WITH(device->compile(unknown), Contains("'astar'") && Contains("delta_stepping"));
  const kernel_source kernel{.file = "sssp.cu", .entry = "sssp", .block_threads = 128, .defines = {}};
  CHECK_THROWS_AS(device->compile(kernel), launch_error);
  CHECK_THROWS_WITH(device->compile(kernel), Contains("sssp.cu") && Contains("GPUs") && Contains("delta_stepping"));
}

TEST_CASE("memory is filled, uploaded and downloaded, small and large") {
  const auto device = open_device("cpu:2");
  for (const std::size_t bytes : {0UL, 1UL, 1000UL, 9'000'001UL}) {
    CAPTURE(bytes);
    const device_memory memory = device->allocate(bytes, "memory");
    CHECK(reinterpret_cast<std::uintptr_t>(memory.address()) % 128 == 0);
    std::vector<std::uint8_t> written(bytes);
    for (std::size_t i = 0; i < bytes; ++i) written[i] = static_cast<std::uint8_t>(i * 7 + i / 1000);
    std::vector<std::uint8_t> read(bytes);
    device->upload(memory, written.data(), bytes);
    device->download(read.data(), memory, bytes);
    CHECK(read == written);
    if (bytes > 600) {
      device->fill(memory, 300, bytes - 600, 0xAB);
      std::fill(written.begin() + 300, written.end() - 300, std::uint8_t{0xAB});
      device->download(read.data(), memory, bytes);
      CHECK(read == written);
    }
    device->upload_pieces(memory, bytes, [&](std::size_t first, std::span<std::byte> piece) {
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<std::byte>((first + i) % 251);
    });
    device->download(read.data(), memory, bytes);
    for (std::size_t i = 0; i < bytes; ++i) written[i] = static_cast<std::uint8_t>(i % 251);
    CHECK(read == written);
    CHECK_THROWS_AS(device->upload_pieces(memory, bytes + 1, [](std::size_t, std::span<std::byte>) {}), work_error);
    CHECK_THROWS_AS(device->upload(memory, written.data(), bytes + 1), work_error);
    CHECK_THROWS_AS(device->download(read.data(), memory, bytes + 1), work_error);
    CHECK_THROWS_AS(device->fill(memory, 1, bytes, 0), work_error);
    CHECK_THROWS_AS(device->poke(memory, bytes, 0), work_error);
  }
}

TEST_CASE("a request for more memory than exists is refused, naming both sizes") {
  const auto device = open_device("cpu:1");
  const std::uint64_t total_bytes = device->info().memory_bytes;
  CHECK_THROWS_AS(device->allocate(total_bytes + 1, "the edges of galaxy"), out_of_device_memory);
  CHECK_THROWS_WITH(device->allocate(~std::size_t{0}, "the edges of galaxy"),
                    Contains("the edges of galaxy") && Contains("GiB are needed") && Contains("are in use"));
  {
    const device_memory half = device->allocate(total_bytes / 2 + 1, "half");  // never touched, so no page is taken
    CHECK_THROWS_AS(device->allocate(total_bytes / 2 + 1, "other half"), out_of_device_memory);
  }
  CHECK_NOTHROW(device->allocate(total_bytes / 2 + 1, "half"));
}

TEST_CASE("a launch searches, and its time is measured with the clock") {
  const auto device = open_device("cpu:2");
  chain row(*device, 5000);
  const auto compiled = device->compile(delta_stepping);
  const auto start = std::chrono::steady_clock::now();
  const double milliseconds = device->measure([&] {
    device->launch(*compiled, row.spec());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const double passed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  CHECK(milliseconds >= 5);
  CHECK(milliseconds <= passed);
  CHECK(row.result.status == cpu::run_status::finished);
  std::vector<graph::distance_bits> distances(5000);
  device->download(distances.data(), row.distances, row.distances.bytes());
  for (std::uint32_t v = 0; v < 5000; ++v) REQUIRE(distances[v] == v);
}

TEST_CASE("a launch that is not one of this device's searches is refused") {
  const auto device = open_device("cpu:1");
  const auto other = open_device("cpu:1");
  chain row(*device, 10);
  const auto compiled = device->compile(delta_stepping);
  launch_spec spec = row.spec();
  CHECK_THROWS_AS(other->launch(*compiled, spec), launch_error);
  spec.grid_blocks = 2;
  CHECK_THROWS_WITH(device->launch(*compiled, spec), Contains("one block"));
  spec = row.spec();
  spec.argument_bytes = 8;
  CHECK_THROWS_WITH(device->launch(*compiled, spec), Contains("8 bytes of arguments"));
}

TEST_CASE("the watchdog stops a search that takes too long, and none that does not") {
  const auto device = open_device("cpu:2");
  chain row(*device, 4'000'000);
  row.call.request.fusion = 0;  // one phase per vertex: takes seconds
  const auto compiled = device->compile(delta_stepping);
  unsigned fired = 0;
  const auto fire = [&] {
    ++fired;
    device->poke(row.control, 0, 1);
  };
  device->set_watchdog({.limit_ms = 5, .grace_ms = 2000, .fire = fire});
  device->measure([&] { device->launch(*compiled, row.spec()); });
  CHECK(fired == 1);
  CHECK(row.result.status == cpu::run_status::aborted);

  // On a busy machine, even a tiny search can take a while.
  device->set_watchdog({.limit_ms = 100'000, .grace_ms = 2000, .fire = fire});
  device->measure([] {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(fired == 1);
  device->set_watchdog({});
  device->measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  CHECK(fired == 1);
  CHECK_THROWS_AS(device->measure([] { throw launch_error("refused"); }), launch_error);
}
