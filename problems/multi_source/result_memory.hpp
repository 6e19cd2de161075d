// SPDX-License-Identifier: Apache-2.0
// The results of a reader of distances.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/check.hpp"
#include "graph/csr.hpp"
#include "problems/growing_memory.hpp"
#include "reductions/reductions_abi.cuh"

namespace mlmq::multi_source {

/// Returns the word of a distance that is too large for its type.
[[nodiscard]] inline std::uint64_t saturated_word(graph::weight_type type) {
  if (type == graph::weight_type::float64) return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  if (type == graph::weight_type::float32) return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
  return graph::saturated_distance;
}

/// The memory for results, on the device or on the host, and the launches.
class result_memory {
 public:
  result_memory(backends::backend& device, graph::weight_type type) : device_(device), type_(type) {}

  /// Makes room for `words` results with the value `first`, and compiles the kernel.
  void begin(std::size_t words, std::uint64_t first, const backends::kernel_source& variant) {
    words_ = words;
    saturated_ = false;
    are_on_host_ = !is_on_device();
    if (are_on_host_) return host_.assign(words, first);
    if (kernel_ == nullptr) kernel_ = device_.compile(variant);
    memory_.reserve(device_, std::max<std::size_t>(words, 1) * sizeof(u64), "results of searches");
    flag_.reserve(device_, sizeof(u32), "whether a distance is too large");
    static_cast<void>(device_.measure([&] {
      device_.fill(memory_.memory(), 0, memory_.memory().bytes(), first == 0 ? 0 : 0xFF);
      device_.fill(flag_.memory(), 0, sizeof(u32), 0);
    }));
  }

  template <class Arguments>
  void launch(Arguments arguments, std::size_t tasks, std::size_t shared_bytes) {
    if (tasks == 0) return;
    arguments.results = memory_.as<u64>();
    if constexpr (requires { arguments.saturated; }) {
      arguments.saturated_flag = flag_.as<u32>();
      arguments.saturated = saturated_word(type_);
    }
    constexpr std::size_t block_warps = reduction_threads / simt::warp_size;
    const std::size_t blocks =
        std::min<std::size_t>(resident_blocks(shared_bytes), (tasks + block_warps - 1) / block_warps);
    device_.launch(*kernel_, {.grid_blocks = static_cast<unsigned>(blocks),
                              .shared_bytes = shared_bytes,
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = false});
  }

  /// Returns a number of tasks that keeps all warps busy until the end.
  [[nodiscard]] std::size_t enough_tasks(std::size_t shared_bytes) const {
    constexpr std::size_t tasks_per_warp = 4;
    return resident_blocks(shared_bytes) * reduction_threads / simt::warp_size * tasks_per_warp;
  }
  [[nodiscard]] bool is_on_device() const { return device_.info().grid; }
  [[nodiscard]] std::span<std::uint64_t> on_host(std::size_t first, std::size_t count) {
    return std::span(host_).subspan(first, count);
  }
  template <class Bits>
  void note(Bits distance) {
    if (distance == saturated_word(type_)) saturated_.store(true, std::memory_order_relaxed);
  }

  /// Replaces the results of the device by results that the host has computed. Pass their distances to note() as well.
  void replace(std::vector<std::uint64_t> words) {
    are_on_host_ = true;
    host_ = std::move(words);
  }

  [[nodiscard]] std::vector<std::uint64_t> results() const {
    if (are_on_host_) return host_;
    std::vector<std::uint64_t> words(words_);
    if (words_ > 0) device_.download(words.data(), memory_.memory(), words_ * sizeof(u64));
    return words;
  }
  [[nodiscard]] bool has_saturated() const {
    if (are_on_host_) return saturated_;
    u32 flag = 0;
    device_.download(&flag, flag_.memory(), sizeof flag);
    return flag != 0;
  }

 private:
  [[nodiscard]] std::size_t resident_blocks(std::size_t shared_bytes) const {
    return std::max(1U, kernel_->resident_blocks(shared_bytes));
  }

  backends::backend& device_;
  graph::weight_type type_;
  std::shared_ptr<const backends::kernel> kernel_;
  problems::growing_memory memory_;
  problems::growing_memory flag_;
  std::vector<std::uint64_t> host_;
  bool are_on_host_ = false;
  std::atomic<bool> saturated_ = false;
  std::size_t words_ = 0;
};

}  // namespace mlmq::multi_source
