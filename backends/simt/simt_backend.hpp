// SPDX-License-Identifier: Apache-2.0
// Backend that simulates a GPU: runs the same kernel sources on the CPU, deterministically and with modelled times, and
// reports errors of the kernels.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/simt/engine.hpp"
#include "backends/simt/kernel_compiler.hpp"
#include "backends/simt/settings.hpp"
#include "backends/simt/simt_selector.hpp"
#include "kernels/simt/types.cuh"

namespace mlmq::backends::simulator {

inline constexpr device_traits simt_traits{
    .modelled = true, .grid = true, .timeline = true, .warp_size = simt::warp_size};

/// Work runs when it is queued: fill() and launch() return after it has ended. A kernel_fault is therefore thrown by
/// launch(), and through it by measure(). The backend remains usable after a fault.
class simt_backend final : public backend {
 public:
  /// @throws input_error for an invalid selector
  explicit simt_backend(const std::string& selector, const simulator_settings& settings = {});

  [[nodiscard]] const device_info& info() const override { return info_; }
  /// @throws compile_error, input_error for an unknown file or entry, work_error without a compiler
  [[nodiscard]] std::shared_ptr<const kernel> compile(const kernel_source& source) override;
  [[nodiscard]] device_memory allocate(std::size_t bytes, const std::string& name) override;
  [[nodiscard]] std::uint64_t free_memory() override { return engine_.memory().free_bytes(); }
  void upload(const device_memory& target, const void* source, std::size_t bytes) override;
  void download(void* target, const device_memory& source, std::size_t bytes) override;
  [[nodiscard]] device_memory borrow(void* address, std::size_t bytes, const std::string& name) override;
  void read(void* target, const void* source, std::size_t bytes) override;
  void fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) override;
  /// @throws launch_error, kernel_fault
  void launch(const kernel& variant, const launch_spec& spec) override;
  /// Blocks that need more warps or shared memory than a multiprocessor has are refused only if one alone does not fit.
  /// @throws launch_error, kernel_fault
  void launch_function(const kernel& variant, const function_launch& spec) override;
  [[nodiscard]] device_memory symbol(const kernel& variant, const std::string& name) override;
  double measure(const std::function<void()>& queue_work) override;
  [[nodiscard]] std::uint64_t progress() const override { return engine_.progress(); }
  void interrupt() noexcept override { engine_.interrupt(); }
  void set_seed(std::uint64_t seed) override;
  void poke(const device_memory& memory, std::size_t offset, std::uint32_t value) override;

  /// Returns the statistics of the last launch, even if it ended with a fault.
  [[nodiscard]] const launch_statistics& last_launch() const { return engine_.statistics(); }

 private:
  void release(void* address) noexcept override;
  void run(const engine_launch& launch);
  /// Returns where the variables of a variant are represented in the simulated memory.
  [[nodiscard]] const std::vector<placed_variable>& place_variables(
      const std::shared_ptr<const loaded_plain_kernel>& code);
  /// Returns the offset of device memory, which may be a variable of a variant.
  [[nodiscard]] memory_offset offset_of(const void* address);

  struct placed_object {
    std::weak_ptr<const loaded_plain_kernel> code;
    std::vector<placed_variable> variables;
    std::vector<void*> representatives;
  };

  gpu_shape shape_;
  simulator_settings settings_;
  kernel_compiler compiler_;
  engine engine_;
  std::map<const loaded_plain_kernel*, placed_object> placed_objects_;
  device_info info_{simt_traits};
  std::uint64_t seed_;
  std::uint64_t launches_ = 0;  // number of launches since the seed was set
  double now_ns_ = 0;           // modelled time of the work since measure() began
  std::atomic<bool> running_ = false;
};

}  // namespace mlmq::backends::simulator

namespace mlmq::backends {

/// Opens a simulated GPU. @param selector "simt" or "simt:SxW" @throws input_error
[[nodiscard]] std::unique_ptr<backend> open_simt(const std::string& selector,
                                                 const simulator::simulator_settings& settings = {});

[[nodiscard]] backend_report report_simt();

/// Returns a version that changes with the model of the simulator. It is part of the identity of its measurements.
[[nodiscard]] std::string simulator_version();

}  // namespace mlmq::backends
