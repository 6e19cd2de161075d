// SPDX-License-Identifier: Apache-2.0
// The kinds of devices of this program. Each backend's folder registers its own; nothing else names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// A file of compiled kernels for devices that need not be there.
struct shipment {
  std::filesystem::path file = {};
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;  ///< of the file
  double seconds = 0;       ///< what it took
};

/// A kind of device, as its backend describes it.
struct device_kind {
  std::string name;       ///< "cuda": its devices are selected by this, or by this, a colon and more
  std::string selectors;  ///< for messages: "cuda, cuda:N"
  device_traits traits;
  /// "auto" takes the devices of the kind with the highest preference that has any. 0: never.
  unsigned preference = 0;
  /// The selectors of all devices there are on this machine.
  std::vector<std::string> (*list)() = nullptr;
  /// One spelling for each device: "cuda:0" for "cuda". @throws input_error
  std::string (*canonical)(const std::string& selector) = nullptr;
  /// @throws input_error for a bad selector or an absent device, saying why
  std::unique_ptr<backend> (*open)(const std::string& selector) = nullptr;
  /// What open() would say of itself, made with less. @throws input_error as open()
  device_info (*inspect)(const std::string& selector) = nullptr;
  backend_report (*report)() = nullptr;
  /// Compiles kernels for an architecture and writes them to a file in `folder`, whose name says which. Where the
  /// program is installed with it, compile() on such devices takes them from there. Null: nothing of the kind is
  /// shipped.
  /// @param architecture as device_info::architecture @param threads that compile; 0: one for each processor
  /// @throws compile_error, work_error
  shipment (*ship)(std::span<const kernel_source> kernels, const std::string& architecture,
                   const std::filesystem::path& folder, unsigned threads) = nullptr;
};

/// Registers a kind for its lifetime. In a backend an object of static storage, with external linkage under the name
/// that mlmq_add_backend() gives the linker, so that nothing has to mention it.
class backend_registration {
 public:
  explicit backend_registration(device_kind kind, const char* registered_in = __builtin_FILE());
  backend_registration(const backend_registration&) = delete;
  backend_registration& operator=(const backend_registration&) = delete;
  ~backend_registration();

 private:
  std::string added_;  ///< empty where another backend has the name
};

/// By falling preference. @throws work_error when two have one name, with the files of both
[[nodiscard]] const std::vector<device_kind>& device_kinds();

/// The traits of a kind by its name: that of a device on record, perhaps. A kind that this program does not know is
/// taken for a GPU.
[[nodiscard]] device_traits traits_of_kind(const std::string& name);

/// The traits of the device that open_device() would open; of the first of several. @throws input_error for an unknown
/// one
[[nodiscard]] device_traits traits_of(const std::string& selector);

/// The devices of a list, as list_devices(), for searches of which a user wants the answer: without a GPU "auto" is the
/// processors. @throws input_error as list_devices()
[[nodiscard]] std::vector<std::string> list_search_devices(const std::string& selectors);

/// Returns why the device cannot run blocks of this many threads; "" when it can.
[[nodiscard]] std::string unfit_block_reason(unsigned threads, const device_info& device);

/// The selector of this machine's processors. @throws work_error when no backend for them is in this program
[[nodiscard]] std::string processors_selector();

}  // namespace mlmq::backends
