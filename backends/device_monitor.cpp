// SPDX-License-Identifier: Apache-2.0
#include "backends/device_monitor.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace mlmq::backends {
namespace {

// Declarations of the functions of NVML that are used here, with documented names and numbers, so that building does
// not require its header.
using nvml_device = void*;
using nvml_result = int;
constexpr nvml_result nvml_success = 0;
constexpr int nvml_clock_sm = 1;
constexpr int nvml_clock_memory = 2;
constexpr int nvml_temperature_gpu = 0;

/// Bits of the reasons for reduced clocks. Idle and fixed application clocks are not listed, since they are no reason
/// to distrust a time.
constexpr std::array<std::pair<unsigned long long, std::string_view>, 7> throttle_bits = {
    {{0x4, "power_cap"},
     {0x8, "hardware"},
     {0x10, "sync_boost"},
     {0x20, "thermal"},
     {0x40, "hardware_thermal"},
     {0x80, "hardware_power_brake"},
     {0x100, "display"}}};

/// Returns a function of the library, or null if the library is too old to have it.
template <class Function>
void bind(void* library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

class nvml_monitor final : public device_monitor {
 public:
  /// @param library  an open library; closed with this object
  explicit nvml_monitor(void* library) : library_(library) {
    bind(library_, initialize_, "nvmlInit_v2");
    bind(library_, shut_down_, "nvmlShutdown");
    bind(library_, by_uuid_, "nvmlDeviceGetHandleByUUID");
    bind(library_, clock_, "nvmlDeviceGetClockInfo");
    bind(library_, temperature_, "nvmlDeviceGetTemperature");
    bind(library_, power_, "nvmlDeviceGetPowerUsage");
    bind(library_, throttle_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    bind(library_, energy_, "nvmlDeviceGetTotalEnergyConsumption");
  }
  nvml_monitor(const nvml_monitor&) = delete;
  nvml_monitor& operator=(const nvml_monitor&) = delete;
  ~nvml_monitor() override {
    if (initialized_ && shut_down_ != nullptr) shut_down_();
    ::dlclose(library_);
  }

  /// Returns whether the GPU exists.
  bool open(const std::string& uuid) {
    if (initialize_ == nullptr || by_uuid_ == nullptr || initialize_() != nvml_success) return false;
    initialized_ = true;
    return by_uuid_(uuid.c_str(), &device_) == nvml_success;
  }

  [[nodiscard]] device_readings read() override {
    device_readings now;
    now.sm_clock_mhz = number<unsigned>(clock_, nvml_clock_sm);
    now.memory_clock_mhz = number<unsigned>(clock_, nvml_clock_memory);
    now.temperature_c = number<unsigned>(temperature_, nvml_temperature_gpu);
    if (const auto milliwatts = number<unsigned>(power_)) now.power_w = *milliwatts / 1000.0;
    if (const auto bits = number<unsigned long long>(throttle_)) {
      now.throttle_reasons.emplace();
      for (const auto& [bit, name] : throttle_bits) {
        if ((*bits & bit) != 0) now.throttle_reasons->emplace_back(name);
      }
    }
    return now;
  }

  [[nodiscard]] std::optional<double> energy_mj() override {
    const auto millijoule = number<unsigned long long>(energy_);
    if (!millijoule) return std::nullopt;
    return static_cast<double>(*millijoule);
  }

 private:
  template <class Number, class Function, class... Arguments>
  std::optional<Number> number(Function* function, Arguments... arguments) {
    Number value{};
    if (function == nullptr || function(device_, arguments..., &value) != nvml_success) return std::nullopt;
    return value;
  }

  void* library_;
  bool initialized_ = false;
  nvml_device device_ = nullptr;
  nvml_result (*initialize_)() = nullptr;
  nvml_result (*shut_down_)() = nullptr;
  nvml_result (*by_uuid_)(const char*, nvml_device*) = nullptr;
  nvml_result (*clock_)(nvml_device, int, unsigned*) = nullptr;
  nvml_result (*temperature_)(nvml_device, int, unsigned*) = nullptr;
  nvml_result (*power_)(nvml_device, unsigned*) = nullptr;
  nvml_result (*throttle_)(nvml_device, unsigned long long*) = nullptr;
  nvml_result (*energy_)(nvml_device, unsigned long long*) = nullptr;
};

}  // namespace

std::unique_ptr<device_monitor> open_monitor(const device_info& device) {
  if (device.kind != "cuda" || device.uuid.empty()) return nullptr;
  const char* const named = std::getenv("MLMQ_NVML");
  void* const library = ::dlopen(named != nullptr ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto monitor = std::make_unique<nvml_monitor>(library);
  if (!monitor->open(device.uuid)) return nullptr;
  return monitor;
}

}  // namespace mlmq::backends
