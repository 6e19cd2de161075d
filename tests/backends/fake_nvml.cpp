// SPDX-License-Identifier: Apache-2.0
// A library with NVML's functions and one GPU, which the test of the monitor opens instead of NVML. Queries that the
// library does not implement (memory clocks, temperatures) answer like unsupported queries.
#include <cstring>

namespace {
int device_here = 0;
unsigned long long energy = 7000;
constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;
}  // namespace

extern "C" {
int nvmlInit_v2() { return success; }
int nvmlShutdown() { return success; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &device_here;
  return std::strcmp(uuid, "GPU-1") == 0 ? success : not_found;
}
int nvmlDeviceGetClockInfo(void* device, int domain, unsigned* mhz) {
  *mhz = 1755;
  return device == &device_here && domain == 1 ? success : not_supported;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) { return not_supported; }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 431500;
  return success;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0x1 | 0x4 | 0x40;
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoule) {
  *millijoule = energy += 500;
  return success;
}
}
