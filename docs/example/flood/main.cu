// SPDX-License-Identifier: Apache-2.0
// flood [WIDTH HEIGHT]: floods a random height map on the GPU and compares with one priority queue on a processor.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "flood_abi.cuh"
#include "flood_reference.hpp"

extern "C" __global__ void flood(flood_arguments arguments);

namespace {

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  std::exit(1);
}

/// Device memory, every byte of which is `byte`; the program's end frees it.
template <class T>
T* allocate(std::size_t count, int byte) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(memory, byte, count * sizeof(T)), "cudaMemset");
  return static_cast<T*>(memory);
}

}  // namespace

int main(int count, char** words) {
  const auto width = static_cast<u32>(count > 2 ? std::atoi(words[1]) : 2000);
  const auto height = static_cast<u32>(count > 2 ? std::atoi(words[2]) : 1000);
  const std::vector<std::uint32_t> heights = flood_example::random_heights(width, height, 1000, 1);
  constexpr u32 capacity = 1u << 20;  // of each ring

  flood_arguments arguments{};
  arguments.control = allocate<mlmq::queue_control>(1, 0);
  arguments.slots = allocate<u64>(std::size_t{flood_buckets} * capacity, 0xFF);
  arguments.capacity_mask = capacity - 1;
  arguments.buckets_per_key = 1.0f / 16.0f;
  arguments.time_limit_ns = 10'000'000'000;
  arguments.full_wait_ns = 200'000;
  u32* const on_device = allocate<u32>(heights.size(), 0);
  check(cudaMemcpy(on_device, heights.data(), heights.size() * sizeof(u32), cudaMemcpyHostToDevice), "cudaMemcpy");
  arguments.heights = on_device;
  arguments.levels = allocate<u32>(heights.size(), 0xFF);
  arguments.width = width;
  arguments.height = height;

  // All blocks wait for each other: they must be resident together.
  int device = 0;
  int multiprocessors = 0;
  int resident = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, flood, flood_threads, flood_shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  void* parameters[] = {&arguments};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(flood), dim3(resident * multiprocessors),
                                    dim3(flood_threads), parameters, flood_shared_bytes, nullptr),
        "cudaLaunchCooperativeKernel");
  check(cudaDeviceSynchronize(), "flood");

  u32 status = 0;
  std::vector<std::uint32_t> levels(heights.size());
  check(cudaMemcpy(&status, arguments.control, sizeof status, cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaMemcpy(levels.data(), arguments.levels, levels.size() * sizeof(u32), cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (status != static_cast<u32>(mlmq::run_status::finished)) {
    std::fprintf(stderr, "the run ended with status %u\n", status);
    return 1;
  }
  const bool right = levels == flood_example::levels(heights, width);
  std::printf("%u x %u cells: %s\n", width, height, right ? "as by one priority queue" : "WRONG");
  return right ? 0 : 1;
}
