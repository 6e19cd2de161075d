// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_kernel.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace mlmq::backends {
namespace {

unsigned attribute_of(CUfunction function, CUfunction_attribute kind) {
  int value = 0;
  cuda_driver::get().check(cuda_driver::get().func_get_attribute(&value, kind, function),
                           "querying an attribute of a kernel");
  return static_cast<unsigned>(value);
}

}  // namespace

cuda_kernel::cuda_kernel(const compiled_variant& variant, unsigned threads, unsigned multiprocessors,
                         std::shared_ptr<const std::atomic<bool>> lost)
    : threads_(threads), multiprocessors_(multiprocessors), lost_(std::move(lost)) {
  properties_.compile_ms = variant.compile_ms;
  properties_.from_cache = variant.from_cache;
  properties_.source_hash = variant.hash;
  if (!variant.functions.empty()) properties_.binary_hash = content_hash().add(variant.cubin).hex();
}

cuda_kernel::~cuda_kernel() {
  if (module_ != nullptr && !*lost_) cuda_driver::get().module_unload(module_);
}

bool cuda_kernel::load(const compiled_variant& variant, const std::string& entry) {
  const cuda_driver& cuda = cuda_driver::get();
  const CUresult code = cuda.module_load_data(&module_, variant.cubin.data());
  if (code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
      code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    return false;
  }
  cuda.check(code, "loading a kernel");
  properties_.instructions = instruction_hash(variant.cubin);
  for (const std::string& name : variant.functions) {
    CUfunction function = nullptr;
    cuda.check(cuda.module_get_function(&function, module_, name.c_str()), name.c_str());
    functions_.push_back(function);
  }
  signatures_ = variant.signatures;
  if (functions_.empty()) {
    cuda.check(cuda.module_get_function(&function_, module_, entry.c_str()), entry.c_str());
  } else {
    function_ = functions_.front();
  }
  properties_.registers = attribute_of(function_, CU_FUNC_ATTRIBUTE_NUM_REGS);
  properties_.local_bytes = attribute_of(function_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  return true;
}

function_properties cuda_kernel::properties_of(std::size_t function) const {
  const CUfunction handle = functions_.at(function);
  std::vector<function_parameter> parameters;
  for (std::string& type : parameter_types(signatures_.at(function))) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    auto* const get = cuda_driver::get().func_get_param_info;
    if (get != nullptr)
      cuda_driver::get().check(get(handle, parameters.size(), &offset, &bytes), "querying a parameter");
    parameters.push_back({std::move(type), bytes});
  }
  return {.registers = attribute_of(handle, CU_FUNC_ATTRIBUTE_NUM_REGS),
          .local_bytes = attribute_of(handle, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
          .shared_bytes = attribute_of(handle, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          .most_threads = attribute_of(handle, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
          .parameters = std::move(parameters)};
}

unsigned cuda_kernel::blocks_per_multiprocessor(std::size_t function, unsigned block_threads,
                                                std::size_t shared_bytes) const {
  int blocks = 0;
  const cuda_driver& cuda = cuda_driver::get();
  cuda.check(
      cuda.occupancy_max_active_blocks(&blocks, functions_.at(function), static_cast<int>(block_threads), shared_bytes),
      "occupancy");
  return static_cast<unsigned>(blocks);
}

device_memory cuda_kernel::variable(const std::string& name) const {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  if (cuda_driver::get().module_get_global(&address, &bytes, module_, name.c_str()) != CUDA_SUCCESS) {
    throw input_error("the kernel's source has no __constant__ or __device__ variable '" + name + "'");
  }
  return device_memory::borrowed(reinterpret_cast<void*>(address), bytes);
}

unsigned cuda_kernel::resident_blocks(std::size_t shared_bytes) const {
  if (!allow_shared(shared_bytes)) return 0;
  int blocks = 0;
  const cuda_driver& cuda = cuda_driver::get();
  cuda.check(cuda.occupancy_max_active_blocks(&blocks, function_, static_cast<int>(threads_), shared_bytes),
             "occupancy");
  return static_cast<unsigned>(blocks) * multiprocessors_;
}

unsigned cuda_kernel::resident_clusters(unsigned cluster_blocks, std::size_t shared_bytes) const {
  if (cluster_blocks == 1) return resident_blocks(shared_bytes);
  if (!allow_shared(shared_bytes) || !allow_cluster(cluster_blocks)) return 0;
  CUlaunchAttribute cluster = cluster_attribute(cluster_blocks);
  CUlaunchConfig config{};
  config.gridDimX = cluster_blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = threads_;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const CUresult code = cuda_driver::get().occupancy_max_active_clusters(&clusters, function_, &config);
  return code == CUDA_SUCCESS ? static_cast<unsigned>(clusters) : 0;
}

bool cuda_kernel::allow_cluster(unsigned cluster_blocks) const {
  constexpr unsigned portable = 8;
  return cluster_blocks <= portable ||
         cuda_driver::get().func_set_attribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) ==
             CUDA_SUCCESS;
}

CUlaunchAttribute cuda_kernel::cluster_attribute(unsigned cluster_blocks) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = cluster_blocks;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  return attribute;
}

bool cuda_kernel::allow_shared(std::size_t shared_bytes) const {
  if (shared_bytes <= allowed_bytes_) return true;
  if (cuda_driver::get().func_set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                            static_cast<int>(shared_bytes)) != CUDA_SUCCESS) {
    return false;
  }
  allowed_bytes_ = shared_bytes;
  return true;
}

}  // namespace mlmq::backends
