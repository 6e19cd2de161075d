// SPDX-License-Identifier: Apache-2.0
// Kernels in plain CUDA C++: results, findings with the user's file and line, and what is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using Catch::Matchers::Contains;
using tests::marked_line;
using tests::test_device;

namespace {

/// One function of a kernel file, compiled for a device.
class function {
 public:
  function(test_device& device, const std::string& name, std::map<std::string, std::string> defines = {},
           const std::string& file = "plain.cu")
      : device_(device),
        variant_(device->compile({.file = file, .entry = name, .defines = std::move(defines), .functions = {name}})) {}

  /// @return modelled milliseconds
  template <class... Arguments>
  double run(extent grid, extent block, std::size_t shared_bytes, Arguments... arguments) {
    return launch({.grid = grid, .block = block, .cluster = {}, .shared_bytes = shared_bytes}, arguments...);
  }
  template <class... Arguments>
  double run_cooperative(extent grid, extent block, Arguments... arguments) {
    return launch({.grid = grid, .block = block, .cluster = {}, .cooperative = true}, arguments...);
  }
  /// Returns the finding that stops the launch, or "".
  template <class... Arguments>
  std::string finding(extent grid, extent block, std::size_t shared_bytes, Arguments... arguments) {
    try {
      run(grid, block, shared_bytes, arguments...);
    } catch (const kernel_fault& fault) {
      return fault.what();
    }
    return {};
  }
  [[nodiscard]] const kernel& variant() const { return *variant_; }

 private:
  template <class... Arguments>
  double launch(function_launch spec, Arguments... arguments) {
    const std::array<void*, sizeof...(Arguments)> addresses{&arguments...};
    spec.arguments = addresses;
    return device_->measure([&] { device_->launch_function(*variant_, spec); });
  }

  test_device& device_;
  std::shared_ptr<const kernel> variant_;
};

std::vector<float> count_up(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

}  // namespace

TEST_CASE("plain CUDA: a sum of vectors of any size") {
  test_device device;
  function add(device, "add");
  for (const int n : {1, 31, 1000, 4097}) {
    CAPTURE(n);
    const auto size = static_cast<std::size_t>(n);
    const device_memory a = device.make(count_up(size), "a");
    const device_memory b = device.make(std::vector<float>(size, 1.0F), "b");
    const device_memory sum = device->allocate(size * sizeof(float), "sum");
    const double ms =
        add.run({(static_cast<unsigned>(n) + 99) / 100}, {100}, 0, a.address(), b.address(), sum.address(), n);
    CHECK(ms > 0);
    const std::vector<float> result = device.read<float>(sum);
    for (std::size_t i = 0; i < size; ++i) REQUIRE(result[i] == static_cast<float>(i) + 1);
  }
}

TEST_CASE("plain CUDA: shared memory") {
  test_device device;
  const std::vector<float> values = count_up(1000);
  const device_memory input = device.make(values, "values");
  const device_memory sums = device->allocate(8 * sizeof(float), "sums");
  const bool is_dynamic = GENERATE(false, true);
  CAPTURE(is_dynamic);
  function reduce(device, is_dynamic ? "reduce_dynamic<float>" : "reduce_static<float, 128>");
  reduce.run({8}, {128}, is_dynamic ? 512 : 0, input.address(), sums.address(), 1000);
  const std::vector<float> result = device.read<float>(sums);
  CHECK(std::accumulate(result.begin(), result.end(), 0.0F) == 999.0F * 500);
  CHECK(result[0] == 127.0F * 64);
  CHECK(reduce.variant().properties_of(0).shared_bytes == (is_dynamic ? 0 : 16));
}

TEST_CASE("plain CUDA: constants and blocks in two dimensions") {
  test_device device;
  constexpr int width = 37;
  constexpr int height = 21;
  function convolve(device, "convolve");
  const device_memory weights = device->symbol(convolve.variant(), "weights");
  CHECK(weights.bytes() == 9 * sizeof(float));
  const std::vector<float> blur(9, 2.0F);
  device->upload(weights, blur.data(), weights.bytes());
  const device_memory image = device.make(std::vector<float>(width * height, 1.0F), "image");
  const device_memory result = device->allocate(image.bytes(), "result");
  convolve.run({3, 3}, {16, 8}, 0, image.address(), result.address(), width, height);
  for (const float cell : device.read<float>(result)) REQUIRE(cell == 18.0F);
  CHECK(device.read<int>(device->symbol(convolve.variant(), "cells_done")).front() == width * height);
  CHECK_THROWS_AS(device->symbol(convolve.variant(), "absent"), mlmq::input_error);

  function transpose(device, "transpose");
  constexpr int n = 40;
  const std::vector<float> matrix = count_up(n * n);
  const device_memory input = device.make(matrix, "matrix");
  const device_memory output = device->allocate(input.bytes(), "output");
  transpose.run({3, 3}, {16, 16}, 0, input.address(), output.address(), n);
  const std::vector<float> turned = device.read<float>(output);
  for (std::size_t i = 0; i < n * n; ++i) REQUIRE(turned[i % n * n + i / n] == matrix[i]);
}

TEST_CASE("plain CUDA: atomics") {
  test_device device;
  std::vector<std::uint8_t> bytes(5000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i % 251);
  const device_memory input = device.make(bytes, "bytes");
  const device_memory counts = device.make(std::vector<unsigned>(256), "counts");
  function(device, "histogram").run({4}, {96}, 0, input.address(), counts.address(), 5000);
  std::vector<unsigned> expected(256);
  for (const std::uint8_t byte : bytes) ++expected[byte];
  CHECK(device.read<unsigned>(counts) == expected);

  const device_memory words = device.make(std::vector<int>(5), "words");
  const device_memory real = device.make(std::vector<float>(1), "real");
  const device_memory wide = device.make(std::vector<std::uint64_t>(1), "wide");
  function(device, "use_atomics").run({2}, {62}, 0, words.address(), real.address(), wide.address());
  CHECK(device.read<int>(words) == std::vector<int>{0, -61, -248, 0, 124});
  CHECK(device.read<float>(real).front() == 62.0F);
  CHECK(device.read<std::uint64_t>(wide).front() == std::uint64_t{124} << 33);
}

TEST_CASE("plain CUDA: tiles, votes and warps that are not complete") {
  test_device device;
  const device_memory values = device.make(std::vector<int>(40, 3), "values");
  const device_memory sums = device->allocate(5 * sizeof(int), "sums");
  const device_memory votes = device->allocate(40 * sizeof(int), "votes");
  function(device, "sum_tiles").run({1}, {40}, 0, values.address(), sums.address(), votes.address());
  CHECK(device.read<int>(sums) == std::vector<int>(5, 24));
  const std::vector<int> result = device.read<int>(votes);
  CHECK(result[0] == 1610);
  CHECK(result[39] == 410);
}

TEST_CASE("plain CUDA: half precision and structures as arguments") {
  test_device device;
  // 1, 2, -0.5 and 65504, the largest half
  const device_memory values = device.make(std::vector<std::uint16_t>{0x3C00, 0x4000, 0xB800, 0x7BFF}, "values");
  const device_memory pairs = device->allocate(8, "pairs");
  function(device, "scale_halves").run({1}, {32}, 0, values.address(), pairs.address(), 4);
  CHECK(device.read<std::uint16_t>(pairs) == std::vector<std::uint16_t>{0x3800, 0x3C00, 0xB400, 0x77FF});

  struct {
    double first = 40;
    int second = 2;
  } pair;
  const device_memory result = device->allocate(4, "result");
  function(device, "take_struct").run({1}, {32}, 0, pair, result.address());
  CHECK(device.read<int>(result).front() == 42);
}

TEST_CASE("plain CUDA: races are reported with the lines of the file") {
  // Otherwise the read of a sum that another warp has not written yet is reported first.
  simulator_settings settings = tests::test_settings();
  settings.detect_unwritten = false;
  test_device device(settings);
  const device_memory values = device.make(count_up(1000), "values");
  const device_memory sums = device->allocate(8 * sizeof(float), "sums");
  function reduce(device, "reduce_static<float, 128>", {{"FIXED", "0"}});
  CHECK_THAT(reduce.finding({8}, {128}, 0, values.address(), sums.address(), 1000),
             Contains("simt: data race: kernel 'reduce_static<float, 128>'") &&
                 Contains(marked_line("plain.cu", "missing_barrier")) && Contains("parts"));
  // The device can be used again.
  function fixed(device, "reduce_static<float, 128>");
  CHECK(fixed.finding({8}, {128}, 0, values.address(), sums.address(), 1000) == "");

  const device_memory word = device.make(std::vector<int>(1), "the word");
  function write(device, "write_in_all_blocks");
  CHECK(write.finding({1}, {64}, 0, word.address()) == "");
  CHECK_THAT(write.finding({3}, {64}, 0, word.address()),
             Contains("data race") && Contains(marked_line("plain.cu", "write_in_all_blocks")) && Contains("block 1") &&
                 Contains("block 0") && Contains("the word"));
}

TEST_CASE("plain CUDA: the last block may read the results of all blocks after a fence") {
  test_device device;
  const device_memory sums = device.make(std::vector<int>(10), "sums");
  const device_memory total = device->allocate(sizeof(int), "total");
  function add(device, "add_blocks");
  for (int repetition = 0; repetition < 2; ++repetition) {
    REQUIRE(add.finding({10}, {64}, 0, sums.address(), total.address()) == "");
    CHECK(device.read<int>(total).front() == 45);
  }
  function unfenced(device, "add_blocks", {{"FIXED", "0"}});
  CHECK_THAT(unfenced.finding({10}, {64}, 0, sums.address(), total.address()), Contains("data race"));
}

TEST_CASE("plain CUDA: wrong accesses are reported with the line of the file") {
  test_device device;
  const device_memory values = device.make(count_up(32), "the values");
  const device_memory result = device->allocate(32 * sizeof(float), "the results");
  const auto check = [&](const std::string& name, const std::string& kind, const std::string& area,
                         const std::string& message) {
    CAPTURE(name);
    CHECK_THAT(message, Contains("simt: " + kind + ": kernel '" + name + "'") &&
                            Contains(marked_line("plain.cu", name)) && Contains(area));
  };
  for (const std::string name : {"read_beyond", "write_beyond"}) {
    function beyond(device, name);
    check(name, "out of bounds", name == "read_beyond" ? "of the values" : "of the results",
          beyond.finding({1}, {32}, 0, values.address(), result.address(), 32));
  }
  const auto check_shared = [&](const std::string& name, const std::string& kind, const std::string& area) {
    function wrong(device, name);
    check(name, kind, area, wrong.finding({1}, {32}, 128, result.address()));
  };
  check_shared("write_beyond_shared", "out of bounds", "few");
  check_shared("read_beyond_dynamic", "out of bounds", "byte 128 of the dynamic shared memory, which has 128 bytes");
  check_shared("read_unwritten_shared", "unwritten shared memory", "parts");
  check_shared("misalign", "misaligned access", "the results");
}

TEST_CASE("plain CUDA: divergent shuffles and endless loops are reported") {
  test_device device;
  const device_memory result = device.make(std::vector<int>(32), "result");
  CHECK_THAT(function(device, "shuffle_apart").finding({1}, {32}, 0, result.address()),
             Contains("divergent collective") && Contains("a shuffle") &&
                 Contains(marked_line("plain.cu", "shuffle_apart")) &&
                 Contains(marked_line("plain.cu", "shuffle_apart_too")));
  CHECK_THAT(function(device, "spin").finding({1}, {32}, 0, result.address()),
             Contains("livelock") && Contains(marked_line("plain.cu", "spin")));
  simulator_settings brief = tests::test_settings();
  brief.time_limit_ms = 1;
  test_device impatient(brief);
  const device_memory word = impatient.make(std::vector<int>(1, 1), "target");
  CHECK_THAT(function(impatient, "spin_without_memory").finding({1}, {32}, 0, word.address()), Contains("time limit"));
}

TEST_CASE("plain CUDA: blocks of a cooperative launch run side by side") {
  test_device device;
  const device_memory values = device.make(std::vector<int>(4 * 64), "values");
  const device_memory result = device->allocate(values.bytes(), "result");
  function rotate(device, "rotate_blocks");
  rotate.run_cooperative({4}, {64}, values.address(), result.address());
  const std::vector<int> numbers = device.read<int>(result);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    REQUIRE(numbers[i] == static_cast<int>((i / 64 + 1) % 4 * 1000 + i / 64));
  }
  CHECK_THROWS_AS(rotate.run_cooperative({9}, {64}, values.address(), result.address()), launch_error);
  CHECK_THAT(rotate.finding({4}, {64}, 0, values.address(), result.address()), Contains("wrong launch"));
}

TEST_CASE("plain CUDA: launches that are not possible are refused") {
  test_device device;
  const device_memory memory = device.make(count_up(32), "memory");
  function add(device, "add");
  const auto message_of = [&](const auto& launch) -> std::string {
    try {
      launch();
    } catch (const launch_error& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(message_of([&] { add.run({1}, {32}, 0, memory.address(), 5); }),
             Contains("add: 2 arguments, but the function takes 4"));
  const auto run = [&](extent grid, extent block, std::size_t shared_bytes) {
    return message_of(
        [&] { add.run(grid, block, shared_bytes, memory.address(), memory.address(), memory.address(), 0); });
  };
  CHECK_THAT(run({1}, {2048}, 0), Contains("2048 threads per block"));
  CHECK_THAT(run({1}, {32}, 228 * 1024), Contains("shared memory"));
  CHECK_THAT(run({1u << 30}, {32}, 0), Contains("threads"));
  CHECK_THAT(run({0}, {32}, 0), Contains("empty"));
  CHECK(run({2}, {1024}, 0) == "");
  CHECK_THAT(message_of([&] { function(device, "read_lane", {}, "plain_assembly.cu"); }),
             Contains("plain_assembly.cu:4: the simulator does not support inline assembly"));
}

TEST_CASE("plain CUDA: a compilation error names the file and the line") {
  test_device device;
  try {
    function(device, "broken", {}, "plain_broken.cu");
    FAIL("it compiled");
  } catch (const compile_error& error) {
    CHECK_THAT(error.what(), Contains(marked_line("plain_broken.cu", "undeclared")) && Contains("undeclared_name"));
    CHECK_THAT(error.what(), !Contains("/tmp"));
  }
  CHECK_THROWS_WITH(function(device, "no_such_function"), Contains("no_such_function"));
}

TEST_CASE("plain CUDA: declarations in usual forms, and scattered accesses take longer") {
  test_device device(tests::test_settings(), "simt:1x64");
  constexpr unsigned n = 1 << 15;
  const device_memory x = device.make(std::vector<float>(n, 1.0F), "x");
  const device_memory y = device.make(std::vector<float>(n), "y");
  function norm(device, "norm<4>", {}, "plain_forms.cu");
  norm.run({1}, {96}, 96 * sizeof(float), x.address(), y.address());
  CHECK(device.read<float>(y).front() == 96 * 4.5F);
  CHECK(device.read<int>(device->symbol(norm.variant(), "counter")).front() == 1);

  function scale(device, "scale", {}, "plain_forms.cu");
  const double together = scale.run({n / 256}, {256}, 0, y.address(), x.address(), 2.0F, n);
  CHECK(device.read<float>(y)[5] == 4.0F);
  function scatter(device, "scale", {{"STRIDE", "64"}}, "plain_forms.cu");
  const double scattered = scatter.run({n / 256}, {256}, 0, y.address(), x.address(), 2.0F, n);
  CHECK(scattered > 1.5 * together);
}
