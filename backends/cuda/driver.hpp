// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, opened at run time: the functions that this program uses, with errors as exceptions.
#pragma once

#include <cuda.h>

#include <string>

#include "backends/cuda/dynamic_library.hpp"

namespace mlmq::backends {

/// Pointers to the driver's functions. cuda.h maps function names to versioned names by macros; bind() stringifies the
/// versioned names.
class cuda_driver {
 public:
  /// Returns the driver of this machine, which is opened and initialised once. @throws work_error if there is no driver
  static const cuda_driver& get();

  decltype(::cuInit)* init;
  decltype(::cuDriverGetVersion)* driver_get_version;
  decltype(::cuGetErrorString)* get_error_string;
  decltype(::cuGetErrorName)* get_error_name;
  decltype(::cuDeviceGetCount)* device_get_count;
  decltype(::cuDeviceGet)* device_get;
  decltype(::cuDeviceGetName)* device_get_name;
  decltype(::cuDeviceGetUuid)* device_get_uuid;
  decltype(::cuDeviceGetAttribute)* device_get_attribute;
  decltype(::cuDeviceTotalMem)* device_total_mem;
  decltype(::cuDevicePrimaryCtxRetain)* primary_ctx_retain;
  decltype(::cuDevicePrimaryCtxRelease)* primary_ctx_release;
  decltype(::cuCtxSetCurrent)* ctx_set_current;
  decltype(::cuPointerGetAttribute)* pointer_get_attribute;
  decltype(::cuMemGetInfo)* mem_get_info;
  decltype(::cuMemAlloc)* mem_alloc;
  decltype(::cuMemFree)* mem_free;
  decltype(::cuMemHostAlloc)* mem_host_alloc;
  decltype(::cuMemFreeHost)* mem_free_host;
  decltype(::cuMemcpyDtoH)* memcpy_device_to_host;
  decltype(::cuMemcpyHtoDAsync)* memcpy_host_to_device_async;
  decltype(::cuMemcpyDtoHAsync)* memcpy_device_to_host_async;
  decltype(::cuMemcpyDtoDAsync)* memcpy_device_to_device_async;
  decltype(::cuMemsetD8Async)* memset_async;
  decltype(::cuStreamCreate)* stream_create;
  decltype(::cuStreamDestroy)* stream_destroy;
  decltype(::cuStreamSynchronize)* stream_synchronize;
  decltype(::cuEventCreate)* event_create;
  decltype(::cuEventDestroy)* event_destroy;
  decltype(::cuEventRecord)* event_record;
  decltype(::cuEventQuery)* event_query;
  decltype(::cuEventElapsedTime)* event_elapsed_time;
  decltype(::cuModuleLoadData)* module_load_data;
  decltype(::cuModuleUnload)* module_unload;
  decltype(::cuModuleGetFunction)* module_get_function;
  decltype(::cuModuleGetGlobal)* module_get_global;
  decltype(::cuFuncGetAttribute)* func_get_attribute;
  decltype(::cuFuncGetParamInfo)* func_get_param_info = nullptr;  ///< null before CUDA 12.4
  decltype(::cuFuncSetAttribute)* func_set_attribute;
  decltype(::cuOccupancyMaxActiveBlocksPerMultiprocessor)* occupancy_max_active_blocks;
  decltype(::cuLaunchCooperativeKernel)* launch_cooperative_kernel;
  decltype(::cuLaunchKernel)* launch_kernel;
  decltype(::cuLaunchKernelEx)* launch_kernel_ex;
  decltype(::cuOccupancyMaxActiveClusters)* occupancy_max_active_clusters;

  /// Returns "CUDA_ERROR_X: text".
  [[nodiscard]] std::string describe(CUresult code) const;

  /// @throws work_error "WHAT: CUDA_ERROR_X: text" unless `code` is CUDA_SUCCESS
  void check(CUresult code, const char* operation) const;

 private:
  cuda_driver();
  dynamic_library library_;
};

}  // namespace mlmq::backends
