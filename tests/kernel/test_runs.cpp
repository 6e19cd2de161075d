// SPDX-License-Identifier: Apache-2.0
// Kernels of experiment files on the simulator, without a sweep.
#include <catch2/catch.hpp>

#include <fstream>
#include <memory>
#include <string>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/kernel/kernel_problem.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::kernel {
namespace {

using Catch::Matchers::Contains;

constexpr const char* source = R"(
struct shape { char first; double weight; short2 offsets; };
__constant__ float table[3];
__global__ void scale(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
__global__ void add(double* sum, const shape s, const unsigned char* bytes, int n) {
  extern __shared__ double parts[];
  parts[threadIdx.x] = threadIdx.x < n ? s.weight * bytes[threadIdx.x] + s.offsets.y + table[2] : 0;
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < blockDim.x; ++i) sum[0] += parts[i];
}
__global__ void scale_reference(float* y, const float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2.5f * x[i];
}
__global__ void outside(float* y, const float* x, int n) { y[threadIdx.x] = x[threadIdx.x + n]; }
__global__ void everywhere(float* y, float* x, int n) { x[threadIdx.x] = y[threadIdx.x] = 0; }
)";

/// The kernel of an experiment file in a folder of its own.
class kernel_file {
 public:
  /// @param keys  further lines under `kernel`
  kernel_file(const std::string& function, const std::string& arguments, const std::string& keys) {
    write("k.cu", source);
    text_ = "name: n\nproblem: kernel\nkernel:\n  source: k.cu\n  function: " + function +
            "\n  block: threads\n  grid: 1\n" + keys + "  arguments:\n" + arguments +
            "parameters: {threads: [64], factor: [2.5, 2.0]}\nworkloads: [{n: 40}]\n";
  }

  void write(const std::string& name, const std::string& content) const { std::ofstream(folder_ / name) << content; }

  /// Runs the kernel once. Returns what check() says.
  [[nodiscard]] std::string run(const std::string& label = "") {
    write("k.yaml", text_);
    const kernel_problem problem(tuner::load_experiment(folder_ / "k.yaml"));
    const auto device = backends::open_device("simt:1x8");
    tuner::workload_input input;
    input.name = input.generated = "n=40";
    const auto loaded = problem.workloads().load(input);
    const auto chosen = tuner::parameter_set::from_declarations(problem.declarations()).parse_label(label);
    const auto instance = problem.load(*device, *loaded);
    instance->prepare(chosen, device->compile(instance->variant(chosen, tuner::instrumentation::none)),
                      tuner::instrumentation::none);
    std::string answer;
    for (int i = 0; i < 2 && answer.empty(); ++i) {
      (void)instance->run(problem.choose_queries(*loaded, {}).front(), 60e3);
      answer = instance->check();
    }
    return answer;
  }

 private:
  tests::scratch_folder folder_;
  std::string text_;
};

const std::string scale_arguments =
    "    - {name: y, type: float, size: n, role: out}\n    - {name: x, type: float, size: n, fill: random}\n"
    "    - {name: n, type: int, value: n}\n";
const std::string reference = "  reference: {function: scale_reference, block: 32, grid: 1}\n";

}  // namespace

TEST_CASE("a kernel is compared with its reference") {
  kernel_file file("scale", scale_arguments, reference);
  CHECK(file.run().empty());
  CHECK_THAT(file.run("factor=2"), Contains("40 of 40 numbers are wrong"));
}

TEST_CASE("structures, variables, files and arrays that are read and written") {
  const std::string arguments =
      "    - {name: sum, type: double, size: 1, role: inout, fill: ones}\n"
      "    - {name: s, type: bytes(24), fields: [{type: char, value: 1}, {type: double, value: 0.5}, {type: short2, "
      "value: -3}]}\n"
      "    - {name: bytes, type: uint8_t, size: n, file: bytes.csv}\n    - {name: n, type: int, value: n}\n";
  const std::string symbols = "  symbols: [{name: table, type: float, size: 3, file: table.bin}]\n";
  kernel_file file("add", arguments, symbols + "  shared_memory: 8 * threads\n  reference: {files: {sum: sum.npy}}\n");
  std::string numbers;
  for (int i = 0; i < 40; ++i) numbers += std::to_string(i) + '\n';
  file.write("bytes.csv", numbers);
  const float table[] = {0, 0, 7};
  file.write("table.bin", std::string(reinterpret_cast<const char*>(table), sizeof table));
  const double sum = 1 + 0.5 * 780 + 40 * (-3 + 7);
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
  file.write("sum.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
                            std::string(reinterpret_cast<const char*>(&sum), sizeof sum));
  CHECK(file.run().empty());
}

TEST_CASE("a command writes the expected numbers") {
  kernel_file file("scale", scale_arguments, "  reference: {command: cp $MLMQ_DATA/x.npy $MLMQ_DATA/expected/y.npy}\n");
  CHECK_THAT(file.run(), Contains("numbers are wrong"));
}

TEST_CASE("wrong accesses of a kernel are found") {
  CHECK_THROWS_AS(kernel_file("outside", scale_arguments, reference).run(), backends::kernel_fault);
  CHECK_THROWS_AS(kernel_file("everywhere", scale_arguments, reference).run(), backends::kernel_fault);
  CHECK_THAT(kernel_file("everywhere", scale_arguments, reference + "  tolerance: 1e9\n").run("threads=32"),
             Contains("the kernel writes 'x', which has 'role: in'"));
}

}  // namespace mlmq::kernel
