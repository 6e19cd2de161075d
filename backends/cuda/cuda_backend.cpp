// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <thread>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/cuda_kernel.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/gpu_description.hpp"
#include "backends/cuda/pinned_ring.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq::backends {
namespace {

class cuda_backend final : public backend {
 public:
  /// @param index  in the driver's list
  explicit cuda_backend(unsigned index) : device_(device_at(index)), info_(describe_gpu(index)) {
    check_opened(cuda_.primary_ctx_retain(&context_, device_), "opening the GPU");
    make_current();
    for (CUstream* const stream : {&work_, &side_, &copies_}) {
      check_opened(cuda_.stream_create(stream, CU_STREAM_NON_BLOCKING), "creating a stream");
    }
    check_opened(cuda_.event_create(&start_, CU_EVENT_DEFAULT), "creating an event");
    check_opened(cuda_.event_create(&stop_, CU_EVENT_DEFAULT), "creating an event");
    check_opened(cuda_.event_create(&copied_, CU_EVENT_DISABLE_TIMING), "creating an event");
    check_opened(cuda_.event_create(&foreign_, CU_EVENT_DISABLE_TIMING), "creating an event");
  }
  cuda_backend(const cuda_backend&) = delete;
  cuda_backend& operator=(const cuda_backend&) = delete;

  ~cuda_backend() override {
    // After a hang, no resource of this context can be released without waiting for the kernel. The process is about to
    // end.
    if (*lost_) {
      (void)ring_.release();
      return;
    }
    ring_.reset();
    if (staging_ != nullptr) cuda_.mem_free_host(staging_);
    cuda_.event_destroy(start_);
    cuda_.event_destroy(stop_);
    cuda_.event_destroy(copied_);
    cuda_.event_destroy(foreign_);
    cuda_.stream_destroy(copies_);
    cuda_.stream_destroy(side_);
    cuda_.stream_destroy(work_);
    cuda_.primary_ctx_release(device_);
  }

  [[nodiscard]] const device_info& info() const override { return info_; }

  [[nodiscard]] std::shared_ptr<const kernel> compile(const kernel_source& source) override {
    compiled_variant variant = compile_for_gpu(source, info_.architecture);
    make_current();
    if (auto loaded = load(variant, source)) return loaded;
    if (variant.from_cache) {
      forget_variant(variant.hash);
      variant = compile_for_gpu(source, info_.architecture);
      if (auto loaded = load(variant, source)) return loaded;
    }
    throw work_error(
        fmt::format("{}: its driver ({}) rejects code that {} compiled for {}; update the driver, or set CUDA_HOME to "
                    "an older toolkit",
                    info_.selector, info_.driver, info_.compiler, info_.architecture));
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes, const std::string& name) override {
    require_usable();
    CUdeviceptr address = 0;
    const CUresult code = cuda_.mem_alloc(&address, bytes == 0 ? 1 : bytes);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
      throw out_of_device_memory(fmt::format("{} needs {:.2f} GiB, but {} has only {:.2f} of {:.2f} GiB free", name,
                                             gibibytes(bytes), info_.name, gibibytes(free_memory()),
                                             gibibytes(info_.memory_bytes)));
    }
    check_device(code, name.c_str());
    return {*this, reinterpret_cast<void*>(address), bytes};
  }

  [[nodiscard]] std::uint64_t free_memory() override {
    require_usable();
    std::size_t free = 0;
    std::size_t total = 0;
    check_device(cuda_.mem_get_info(&free, &total), "reading the free memory");
    return free;
  }

  void upload(const device_memory& target, const void* source, std::size_t bytes) override {
    if (bytes == 0) return;
    if (pinned_ring* const ring = ring_for(bytes)) {
      return ring->upload(pointer(target, 0), bytes, [source](std::size_t first, std::span<std::byte> piece) {
        std::memcpy(piece.data(), static_cast<const std::byte*>(source) + first, piece.size());
      });
    }
    // Not cuMemcpyHtoD: it may return before pageable memory has arrived, and kernels in `work_` would not wait for it.
    check_device(cuda_.memcpy_host_to_device_async(pointer(target, 0), source, bytes, work_), "copying to the GPU");
    check_device(cuda_.stream_synchronize(work_), "copying to the GPU");
  }

  void upload_pieces(const device_memory& target, std::size_t bytes, const piece_writer& write) override {
    if (pinned_ring* const ring = ring_for(bytes)) return ring->upload(pointer(target, 0), bytes, write);
    backend::upload_pieces(target, bytes, write);
  }

  void download(void* target, const device_memory& source, std::size_t bytes) override {
    if (bytes == 0) return;
    check_device(cuda_.stream_synchronize(work_), "waiting for the GPU");
    if (pinned_ring* const ring = ring_for(bytes)) {
      return ring->download(static_cast<std::byte*>(target), pointer(source, 0), bytes);
    }
    check_device(cuda_.memcpy_device_to_host(target, pointer(source, 0), bytes), "copying from the GPU");
  }

  [[nodiscard]] device_memory borrow(void* address, std::size_t bytes, const std::string& name) override {
    if (bytes > 0) {
      const auto first = reinterpret_cast<CUdeviceptr>(address);
      // Check only the two ends: the driver reports no common range for an array that spans several mappings.
      require_own(first, name);
      require_own(first + bytes - 1, name);
    }
    return device_memory::borrowed(address, bytes);
  }

  void read(void* target, const void* source, std::size_t bytes) override {
    if (bytes == 0) return;
    make_current();
    check_device(cuda_.memcpy_device_to_host(target, reinterpret_cast<CUdeviceptr>(source), bytes),
                 "copying from the GPU");
  }

  /// Waits on the host, so that the time limit of the watchdog starts with the search.
  void wait_for_stream(void* stream) override {
    const CUresult code = cuda_.event_record(foreign_, static_cast<CUstream>(stream));
    if (code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_INVALID_CONTEXT || code == CUDA_ERROR_INVALID_VALUE) {
      throw input_error(fmt::format("{} is not a stream of {}: {}", stream, info_.selector, cuda_.describe(code)));
    }
    check_device(code, "waiting for the caller's stream");
    wait_for(foreign_, {});
  }

  [[nodiscard]] host_memory allocate_host(std::size_t bytes) override {
    require_usable();
    void* pinned = nullptr;
    // If the system does not allow more pinned memory, use pageable memory, which is slower.
    if (cuda_.mem_host_alloc(&pinned, bytes == 0 ? 1 : bytes, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS) {
      return backend::allocate_host(bytes);
    }
    return {pinned, [lost = lost_, context = context_](void* memory) {
              const cuda_driver& cuda = cuda_driver::get();
              if (!*lost && cuda.ctx_set_current(context) == CUDA_SUCCESS) cuda.mem_free_host(memory);
            }};
  }

  void download_concurrently(void* target, const device_memory& source, std::size_t offset,
                             std::size_t bytes) override {
    if (bytes == 0) return;
    make_current();
    check_device(cuda_.memcpy_device_to_host_async(target, pointer(source, offset), bytes, copies_),
                 "copying from the GPU");
    check_device(cuda_.stream_synchronize(copies_), "copying from the GPU");
  }

  void fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) override {
    if (bytes == 0) return;
    check_device(cuda_.memset_async(pointer(memory, offset), value, bytes, work_), "filling GPU memory");
  }

  void copy(const device_memory& target, const device_memory& source, std::size_t bytes) override {
    if (bytes == 0) return;
    check_device(cuda_.memcpy_device_to_device_async(pointer(target, 0), pointer(source, 0), bytes, work_),
                 "copying on the GPU");
  }

  void launch_function(const kernel& variant, const function_launch& spec) override {
    require_usable();
    const auto& compiled = dynamic_cast<const cuda_kernel&>(variant);
    const CUfunction function = compiled.function(spec.function);
    constexpr std::size_t shared_without_request = 48 * 1024;
    if (spec.shared_bytes > shared_without_request &&
        cuda_.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(spec.shared_bytes)) != CUDA_SUCCESS) {
      throw launch_error(fmt::format("a block needs {} bytes of dynamic shared memory; {} has at most {} per block",
                                     spec.shared_bytes, info_.name, info_.shared_bytes_per_block));
    }
    std::array<CUlaunchAttribute, 2> attributes{};
    CUlaunchConfig config{};
    config.gridDimX = spec.grid.x;
    config.gridDimY = spec.grid.y;
    config.gridDimZ = spec.grid.z;
    config.blockDimX = spec.block.x;
    config.blockDimY = spec.block.y;
    config.blockDimZ = spec.block.z;
    config.sharedMemBytes = static_cast<unsigned>(spec.shared_bytes);
    config.hStream = work_;
    config.attrs = attributes.data();
    if (spec.cooperative) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attributes[config.numAttrs++].value.cooperative = 1;
    }
    if (spec.cluster.count() > 1) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attributes[config.numAttrs++].value.clusterDim = {spec.cluster.x, spec.cluster.y, spec.cluster.z};
    }
    const CUresult code = cuda_.launch_kernel_ex(&config, function, const_cast<void**>(spec.arguments.data()), nullptr);
    if (code == CUDA_ERROR_INVALID_CLUSTER_SIZE || code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
        code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || code == CUDA_ERROR_INVALID_VALUE) {
      throw launch_error(fmt::format(
          "a grid of {}x{}x{} blocks of {}x{}x{} threads and {} bytes of dynamic shared memory cannot be launched: {}",
          spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y, spec.block.z, spec.shared_bytes,
          cuda_.describe(code)));
    }
    check_device(code, "launching a kernel");
  }

  [[nodiscard]] device_memory symbol(const kernel& variant, const std::string& name) override {
    return dynamic_cast<const cuda_kernel&>(variant).variable(name);
  }

  void launch(const kernel& variant, const launch_spec& spec) override {
    require_usable();
    const auto& compiled = dynamic_cast<const cuda_kernel&>(variant);
    if (!compiled.allow_shared(spec.shared_bytes)) {
      throw launch_error(fmt::format("a block needs {} bytes of shared memory, but a block on {} has at most {}",
                                     spec.shared_bytes, info_.name, info_.shared_bytes_per_block));
    }
    // The driver copies the arguments before the call returns.
    void* arguments[] = {const_cast<void*>(spec.arguments)};
    const CUresult code = launch_blocks(compiled, spec, arguments);
    if (code == CUDA_ERROR_INVALID_CLUSTER_SIZE || code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
        code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || code == CUDA_ERROR_INVALID_VALUE) {
      throw launch_error(fmt::format("{} blocks of {} threads and {} bytes of shared memory cannot be launched: {}",
                                     spec.grid_blocks, compiled.threads(), spec.shared_bytes, cuda_.describe(code)));
    }
    check_device(code, "launching a kernel");
  }

  double measure(const std::function<void()>& queue_work) override {
    queue_timed(queue_work);
    wait_for(stop_, guard_);
    return elapsed_ms();
  }

  /// Queues the copies behind the work while the work runs, which costs a tenth of requesting them after its end.
  double measure_and_download(const std::function<void()>& queue_work, std::span<const host_copy> copies) override {
    std::size_t room = 0;
    for (const host_copy& copy : copies) room += padded(copy.bytes);
    if (room > staging_bytes || !has_staging()) return backend::measure_and_download(queue_work, copies);
    queue_timed(queue_work);
    std::size_t place = 0;
    for (const host_copy& copy : copies) {
      check_device(cuda_.memcpy_device_to_host_async(staging_ + place, pointer(*copy.source, 0), copy.bytes, work_),
                   "copying from the GPU");
      place += padded(copy.bytes);
    }
    check_device(cuda_.event_record(copied_, work_), "waiting for the GPU");
    wait_for(copied_, guard_);
    place = 0;
    for (const host_copy& copy : copies) {
      std::memcpy(copy.destination, staging_ + place, copy.bytes);
      place += padded(copy.bytes);
    }
    return elapsed_ms();
  }

  void enter() override { make_current(); }

  void set_watchdog(watchdog guard) override { guard_ = std::move(guard); }

  void poke(const device_memory& memory, std::size_t offset, std::uint32_t value) override {
    check_device(cuda_.memcpy_host_to_device_async(pointer(memory, offset), &value, sizeof value, side_),
                 "writing to the GPU");
    // Do not synchronise, so that this call returns even if the device hangs. The driver has already copied the word.
  }

 private:
  /// Checks a call of the constructor. Other processes may have left no memory for a context and its streams.
  void check_opened(CUresult code, const char* doing) {
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
      throw out_of_device_memory(fmt::format("{}: {} does not have enough free memory", doing, info_.name));
    }
    cuda_.check(code, doing);
  }

  using clock = std::chrono::steady_clock;

  /// Size of the staging memory for answers of small searches.
  static constexpr std::size_t staging_bytes = std::size_t{1} << 20;
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  /// Allocates the pinned staging memory on the first call. Returns false if the system does not allow it.
  [[nodiscard]] bool has_staging() {
    if (staging_ == nullptr && may_stage_) {
      void* pinned = nullptr;
      may_stage_ = cuda_.mem_host_alloc(&pinned, staging_bytes, CU_MEMHOSTALLOC_PORTABLE) == CUDA_SUCCESS;
      if (may_stage_) staging_ = static_cast<std::byte*>(pinned);
    }
    return staging_ != nullptr;
  }

  /// Returns the ring, if arrays of this size are copied faster by it, after all queued work has ended; otherwise null.
  [[nodiscard]] pinned_ring* ring_for(std::size_t bytes) {
    // Making the ring takes as long as copying the larger size without it.
    constexpr std::size_t least_with_ring = std::size_t{4} << 20;
    constexpr std::size_t least_without_ring = std::size_t{128} << 20;
    if (bytes < (ring_ == nullptr ? least_without_ring : least_with_ring) || !may_pin_ring_) return nullptr;
    if (ring_ == nullptr) {
      ring_ = pinned_ring::create(context_,
                                  [this](CUresult code, const char* operation) { check_device(code, operation); });
      may_pin_ring_ = ring_ != nullptr;
    }
    check_device(cuda_.stream_synchronize(work_), "waiting for the GPU");
    return ring_.get();
  }

  void queue_timed(const std::function<void()>& queue_work) {
    check_device(cuda_.event_record(start_, work_), "starting the clock");
    queue_work();
    check_device(cuda_.event_record(stop_, work_), "stopping the clock");
  }

  /// Returns the time of the work that queue_timed() queued. The work must have ended.
  [[nodiscard]] double elapsed_ms() {
    float milliseconds = 0;
    check_device(cuda_.event_elapsed_time(&milliseconds, start_, stop_), "reading the clock");
    return static_cast<double>(milliseconds);
  }

  /// Returns null if the device rejects the machine code.
  [[nodiscard]] std::shared_ptr<const kernel> load(const compiled_variant& variant, const kernel_source& source) const {
    auto compiled = std::make_shared<cuda_kernel>(variant, source.block_threads, info_.multiprocessors, lost_);
    return compiled->load(variant, source.entry) ? compiled : nullptr;
  }

  static double gibibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0); }

  void require_own(CUdeviceptr address, const std::string& name) const {
    const auto fail = [&](const std::string& reason) {
      throw input_error(fmt::format("{}: {:#x} is not memory of {}: {}", name, address, info_.selector, reason));
    };
    unsigned type = 0;
    if (const CUresult code = cuda_.pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
        code != CUDA_SUCCESS) {
      fail(code == CUDA_ERROR_INVALID_VALUE ? "CUDA does not know this address; it may be host memory"
                                            : cuda_.describe(code));
    }
    unsigned managed = 0;
    cuda_.check(cuda_.pointer_get_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address),
                "querying the owner of the memory");
    if (managed != 0) return;
    if (type != CU_MEMORYTYPE_DEVICE) fail("it is host memory");
    int ordinal = 0;
    cuda_.check(cuda_.pointer_get_attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address),
                "querying the owner of the memory");
    if (ordinal != device_) fail(fmt::format("it belongs to cuda:{}", ordinal));
  }

  static CUdeviceptr pointer(const device_memory& memory, std::size_t offset) {
    return reinterpret_cast<CUdeviceptr>(memory.address()) + offset;
  }

  /// Throws after a fault, so that every later call reports the fault instead of the error that the driver returns.
  void require_usable() const {
    if (*lost_)
      throw kernel_fault(fmt::format("{} was lost because of an earlier fault in this process", info_.selector), true);
  }

  void make_current() const {
    require_usable();
    cuda_.check(cuda_.ctx_set_current(context_), "using the GPU");
  }

  CUresult launch_blocks(const cuda_kernel& compiled, const launch_spec& spec, void** arguments) const {
    if (spec.cluster_blocks != 1) return launch_clusters(compiled, spec, arguments);
    const auto shared_bytes = static_cast<unsigned>(spec.shared_bytes);
    if (spec.together) {
      return cuda_.launch_cooperative_kernel(compiled.function(), spec.grid_blocks, 1, 1, compiled.threads(), 1, 1,
                                             shared_bytes, work_, arguments);
    }
    return cuda_.launch_kernel(compiled.function(), spec.grid_blocks, 1, 1, compiled.threads(), 1, 1, shared_bytes,
                               work_, arguments, nullptr);
  }

  CUresult launch_clusters(const cuda_kernel& compiled, const launch_spec& spec, void** arguments) const {
    if (!compiled.allow_cluster(spec.cluster_blocks)) return CUDA_ERROR_INVALID_VALUE;
    std::array<CUlaunchAttribute, 2> attributes{cuda_kernel::cluster_attribute(spec.cluster_blocks), {}};
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[1].value.cooperative = 1;
    CUlaunchConfig config{};
    config.gridDimX = spec.grid_blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = compiled.threads();
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(spec.shared_bytes);
    config.hStream = work_;
    config.attrs = attributes.data();
    config.numAttrs = spec.together ? 2 : 1;
    return cuda_.launch_kernel_ex(&config, compiled.function(), arguments, nullptr);
  }

  /// Throws a kernel_fault for any error. Errors of running kernels appear in any later call and cannot be cleared, so
  /// the context is lost.
  void check_device(CUresult code, const char* operation) {
    if (code == CUDA_SUCCESS) return;
    require_usable();
    *lost_ = true;
    throw kernel_fault(std::string(operation) + ": " + cuda_.describe(code), true);
  }

  /// @throws stopped_error  after the work has ended
  void wait_for(CUevent event, const watchdog& guard) {
    const std::stop_token& stop = stop_token_of_thread();
    const auto start = clock::now();
    std::optional<double> fired_ms;
    for (;;) {
      const CUresult code = cuda_.event_query(event);
      if (code == CUDA_SUCCESS) return throw_if_stopped();
      if (code != CUDA_ERROR_NOT_READY) check_device(code, "the kernel failed");
      const double elapsed = std::chrono::duration<double, std::milli>(clock::now() - start).count();
      if (guard.limit_ms > 0 && !fired_ms && (elapsed > guard.limit_ms || stop.stop_requested())) {
        fired_ms = elapsed;
        if (guard.fire) guard.fire();
      }
      if (fired_ms && elapsed > *fired_ms + guard.grace_ms) {
        *lost_ = true;
        throw kernel_fault(
            fmt::format("the kernel did not end within {:.0f} ms and did not react to its abort word", elapsed), true,
            true);
      }
      // Poll without sleeping for short runs, so that the next run starts immediately.
      if (elapsed > 2) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  void release(void* address) noexcept override {
    if (!*lost_) cuda_.mem_free(reinterpret_cast<CUdeviceptr>(address));
  }

  const cuda_driver& cuda_ = cuda_driver::get();
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream work_ = nullptr;
  CUstream side_ = nullptr;
  CUstream copies_ = nullptr;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
  CUevent copied_ = nullptr;
  CUevent foreign_ = nullptr;     // recorded in streams of the caller
  std::byte* staging_ = nullptr;  // pinned memory
  bool may_stage_ = true;
  std::unique_ptr<pinned_ring> ring_;  // made for the first large copy
  bool may_pin_ring_ = true;
  device_info info_;
  watchdog guard_;
  std::shared_ptr<std::atomic<bool>> lost_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

std::unique_ptr<backend> open_cuda(const std::string& selector) {
  return std::make_unique<cuda_backend>(require_gpu(selector));
}

}  // namespace mlmq::backends
