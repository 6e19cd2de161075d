// SPDX-License-Identifier: Apache-2.0
// Registry of the kinds of devices. The folder of each backend registers its own kind; no other code names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/registration.hpp"

namespace mlmq::backends {

/// A file of compiled kernels, for devices that need not be present on this machine.
struct shipment {
  std::filesystem::path file = {};
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;  ///< size of the file
  double seconds = 0;       ///< time to compile and write it
};

/// Description of a kind of device by its backend.
struct device_kind {
  std::string name;       ///< name; selectors of its devices are "cuda" or begin with "cuda:"
  std::string selectors;  ///< list of selectors for messages: "cuda, cuda:N"
  device_traits traits;
  /// Priority for "auto", which selects devices of the available kind with the highest preference. 0: never selected.
  unsigned preference = 0;
  /// Returns the selectors of all devices of this kind on this machine.
  std::vector<std::string> (*list)() = nullptr;
  /// Returns the canonical selector of a device: "cuda:0" for "cuda". @throws input_error
  std::string (*canonical)(const std::string& selector) = nullptr;
  /// Opens a device. @throws input_error for an invalid selector or an absent device, with the reason
  std::unique_ptr<backend> (*open)(const std::string& selector) = nullptr;
  /// Returns the info() of the device that open() would open, at lower cost. @throws input_error like open()
  device_info (*inspect)(const std::string& selector) = nullptr;
  backend_report (*report)() = nullptr;
  /// Returns environment variables for a process that opens only this device, under the same selector, so that it
  /// starts faster. Null: none.
  std::map<std::string, std::string> (*worker_environment)(const device_info& device) = nullptr;
  /// Compiles kernels for an architecture and writes them to a file in `folder`, named after the architecture. If the
  /// program is installed with this file, compile() takes the kernels from it. Null: this kind does not ship kernels.
  /// @param architecture  like device_info::architecture
  /// @param threads       number of compiling threads; 0: one per processor
  /// @throws compile_error, work_error
  shipment (*ship)(std::span<const kernel_source> kernels, const std::string& architecture,
                   const std::filesystem::path& folder, unsigned threads) = nullptr;

  /// Lets compile() compile in processes that `command` starts and that call serve_compilations(): as many as there are
  /// callers at a time. Call it before the first compilation. Null: compile() has processes of its own, or needs none.
  void (*compile_in_processes)(std::vector<std::string> command) = nullptr;
  /// Compiles what the process that started this one sends, until it closes standard input. @return exit status
  int (*serve_compilations)() = nullptr;

  static constexpr const char* duplicate = "two backends are named";
  [[nodiscard]] const std::string& key() const { return name; }
  [[nodiscard]] bool precedes(const device_kind& other) const { return preference > other.preference; }
};

/// Registers a kind of device for the lifetime of this object. A backend defines a static object with external linkage,
/// under the name that mlmq_add_backend() gives to the linker, so that no other code must refer to it.
using backend_registration = registration<device_kind>;

/// Returns the registered kinds, highest preference first.
/// @throws work_error if two kinds have the same name, naming the files of both
[[nodiscard]] inline const std::vector<device_kind>& device_kinds() { return backend_registration::entries(); }

/// Returns the traits of the kind with this name, for example of a recorded device. An unknown kind has the traits of a
/// GPU.
[[nodiscard]] device_traits traits_of_kind(const std::string& name);

/// Returns the traits of the device that open_device() would open, or of the first device of a list.
/// @throws input_error for an unknown selector
[[nodiscard]] device_traits traits_of(const std::string& selector);

/// Returns environment variables for a process that opens only this device: device_kind::worker_environment.
[[nodiscard]] std::map<std::string, std::string> worker_environment(const device_info& device);

/// Like list_devices(), but for searches whose answer the user wants: without a GPU, "auto" means the CPU.
/// @throws input_error like list_devices()
[[nodiscard]] std::vector<std::string> list_search_devices(const std::string& selectors);

/// Returns why the device cannot run blocks with this number of threads, or "".
[[nodiscard]] std::string unfit_block_reason(unsigned threads, const device_info& device);

/// Returns the selector of this machine's CPU. @throws work_error if the program has no backend for it
[[nodiscard]] std::string processors_selector();

}  // namespace mlmq::backends
