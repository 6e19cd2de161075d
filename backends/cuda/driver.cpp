// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver.hpp"

#include "base/error.hpp"

#define MLMQ_NAME_OF(symbol) #symbol
#define MLMQ_BIND(member, symbol) library_.bind(member, MLMQ_NAME_OF(symbol))

namespace mlmq::backends {

const cuda_driver& cuda_driver::get() {
  static const cuda_driver driver;
  return driver;
}

cuda_driver::cuda_driver() : library_({"libcuda.so.1"}) {
  MLMQ_BIND(init, cuInit);
  MLMQ_BIND(driver_get_version, cuDriverGetVersion);
  MLMQ_BIND(get_error_string, cuGetErrorString);
  MLMQ_BIND(get_error_name, cuGetErrorName);
  MLMQ_BIND(device_get_count, cuDeviceGetCount);
  MLMQ_BIND(device_get, cuDeviceGet);
  MLMQ_BIND(device_get_name, cuDeviceGetName);
  MLMQ_BIND(device_get_uuid, cuDeviceGetUuid);
  MLMQ_BIND(device_get_attribute, cuDeviceGetAttribute);
  MLMQ_BIND(device_total_mem, cuDeviceTotalMem);
  MLMQ_BIND(primary_ctx_retain, cuDevicePrimaryCtxRetain);
  MLMQ_BIND(primary_ctx_release, cuDevicePrimaryCtxRelease);
  MLMQ_BIND(ctx_set_current, cuCtxSetCurrent);
  MLMQ_BIND(pointer_get_attribute, cuPointerGetAttribute);
  MLMQ_BIND(mem_get_info, cuMemGetInfo);
  MLMQ_BIND(mem_alloc, cuMemAlloc);
  MLMQ_BIND(mem_free, cuMemFree);
  MLMQ_BIND(mem_host_alloc, cuMemHostAlloc);
  MLMQ_BIND(mem_free_host, cuMemFreeHost);
  MLMQ_BIND(memcpy_device_to_host, cuMemcpyDtoH);
  MLMQ_BIND(memcpy_host_to_device_async, cuMemcpyHtoDAsync);
  MLMQ_BIND(memcpy_device_to_host_async, cuMemcpyDtoHAsync);
  MLMQ_BIND(memcpy_device_to_device_async, cuMemcpyDtoDAsync);
  MLMQ_BIND(memset_async, cuMemsetD8Async);
  MLMQ_BIND(stream_create, cuStreamCreate);
  MLMQ_BIND(stream_destroy, cuStreamDestroy);
  MLMQ_BIND(stream_synchronize, cuStreamSynchronize);
  MLMQ_BIND(event_create, cuEventCreate);
  MLMQ_BIND(event_destroy, cuEventDestroy);
  MLMQ_BIND(event_record, cuEventRecord);
  MLMQ_BIND(event_query, cuEventQuery);
  MLMQ_BIND(event_elapsed_time, cuEventElapsedTime);
  MLMQ_BIND(module_load_data, cuModuleLoadData);
  MLMQ_BIND(module_unload, cuModuleUnload);
  MLMQ_BIND(module_get_function, cuModuleGetFunction);
  MLMQ_BIND(module_get_global, cuModuleGetGlobal);
  MLMQ_BIND(func_get_attribute, cuFuncGetAttribute);
  MLMQ_BIND(func_set_attribute, cuFuncSetAttribute);
  MLMQ_BIND(occupancy_max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor);
  MLMQ_BIND(launch_cooperative_kernel, cuLaunchCooperativeKernel);
  MLMQ_BIND(launch_kernel, cuLaunchKernel);
  MLMQ_BIND(launch_kernel_ex, cuLaunchKernelEx);
  MLMQ_BIND(occupancy_max_active_clusters, cuOccupancyMaxActiveClusters);
  try {
    MLMQ_BIND(func_get_param_info, cuFuncGetParamInfo);
  } catch (const work_error&) {
    func_get_param_info = nullptr;
  }
  check(init(0), "the CUDA driver cannot be initialised");
}

std::string cuda_driver::describe(CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  get_error_name(code, &name);
  get_error_string(code, &text);
  return std::string(name != nullptr ? name : "unknown CUDA error") + ": " + (text != nullptr ? text : "");
}

void cuda_driver::check(CUresult code, const char* operation) const {
  if (code != CUDA_SUCCESS) throw work_error(std::string(operation) + ": " + describe(code));
}

}  // namespace mlmq::backends
