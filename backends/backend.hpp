// SPDX-License-Identifier: Apache-2.0
// What the tuner and the problems know of a machine that runs kernels: compile, allocate, launch, time, stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mlmq::backends {

/// Properties that all devices of one kind share.
struct device_traits {
  bool modelled = false;    ///< its times come from a model, not from a clock; there are as many as anyone opens
  bool grid = true;         ///< runs kernels as grids of blocks; otherwise it is processors, which run compiled-in code
  bool timeline = true;     ///< what runs there can record when it works
  unsigned warp_size = 32;  ///< threads that run in step; 1 without warps
};

struct device_info : device_traits {
  std::string selector = {};      ///< how the user names it: "cuda:0", "simt", "cpu"
  std::string kind = {};          ///< the name of its backend: "cuda", "simt", "cpu"
  std::string name = {};          ///< "NVIDIA H200", "simt 4x4 warps"
  std::string architecture = {};  ///< "sm_90"; "simt-1" with the version of the cost table; "x86_64"
  std::string uuid = {};          ///< of the physical device; empty for simt and cpu
  std::uint64_t memory_bytes = 0;
  unsigned multiprocessors = 0;            ///< threads of a cpu
  unsigned warp_slots = 0;                 ///< resident warps per multiprocessor
  std::size_t shared_bytes_per_block = 0;  ///< largest dynamic shared memory of one block
  unsigned cluster_blocks = 1;             ///< most blocks of a cluster; 1: there are no clusters
  std::string driver = {};                 ///< driver version, or the simulator's version
  std::string compiler = {};               ///< "NVRTC 13.0", "c++ 12.2.0": part of a variant's identity
};

/// One kernel variant as source text: a file, the entry in it, and macros.
struct kernel_source {
  std::string file;   ///< relative to its folder, "sssp.cu"
  std::string entry;  ///< name given to SIMT_KERNEL
  unsigned block_threads = 0;
  std::map<std::string, std::string> defines;  ///< compile-time parameters, as macros
  /// Where a problem keeps kernels of its own, which may include what is in kernel_folder() too; empty: there.
  std::string folder = {};
};

/// Numbers about one compiled variant.
struct kernel_properties {
  double compile_ms = 0;    ///< wall time to get the binary: compilation, or reading the cache
  bool from_cache = false;  ///< the binary was compiled before: it is from the disk cache, or shipped
  unsigned registers = 0;   ///< per thread; 0 for simt
  std::size_t local_bytes = 0;
  std::string source_hash;  ///< of the variant's complete source text and macros
};

/// A compiled variant, loaded on one device.
class kernel {
 public:
  virtual ~kernel() = default;
  [[nodiscard]] virtual const kernel_properties& properties() const = 0;
  /// How many blocks of this variant the whole device holds at the same time; 0 when one block does not fit.
  [[nodiscard]] virtual unsigned resident_blocks(std::size_t shared_bytes) const = 0;
  /// Returns the number of clusters of `cluster_blocks` blocks that are resident at once.
  [[nodiscard]] virtual unsigned resident_clusters(unsigned cluster_blocks, std::size_t shared_bytes) const {
    return cluster_blocks == 1 ? resident_blocks(shared_bytes) : 0;
  }
};

/// One launch.
struct launch_spec {
  unsigned grid_blocks = 0;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a block
  const void* arguments = nullptr;
  std::size_t argument_bytes = 0;
  /// Whether all blocks must be resident at once (a cooperative launch), so that they may wait for each other. Kernels
  /// whose blocks do not wait start sooner without it.
  bool together = true;
  /// Blocks of a cluster: neighbours that run at the same time and reach each other's shared memory (simt/cluster.cuh).
  /// The grid is a whole number of clusters.
  unsigned cluster_blocks = 1;
};

/// The source does not compile; what() is the compiler's log.
class compile_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The variant cannot run on this device: too many blocks, registers or shared bytes.
class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The kernel broke a rule: illegal address, or a finding of the simulator. `sticky`: the device's context is lost
/// and the process must be replaced before it can run anything else.
class kernel_fault : public std::runtime_error {
 public:
  kernel_fault(const std::string& message, bool is_sticky, bool did_not_end = false)
      : std::runtime_error(message), sticky(is_sticky), hung(did_not_end) {}
  bool sticky;
  bool hung;  ///< the kernel does not end
};

/// backend::interrupt() ended the work.
class interrupted : public std::runtime_error {
 public:
  interrupted() : std::runtime_error("the work was interrupted") {}
};

/// Not enough device memory; what() names both sizes.
class out_of_device_memory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What to do about work that does not end: after `limit_ms` of wall time `fire` is called (it sets the kernel's abort
/// word through backend::poke); if the work is still running `grace_ms` later, measure() gives the device up.
struct watchdog {
  double limit_ms = 0;  ///< 0: no watchdog
  double grace_ms = 2000;
  std::function<void()> fire;
};

/// Memory of the host, freed with the last owner, which must not outlive the device.
using host_memory = std::shared_ptr<void>;

class backend;
class device_memory;

/// A copy of the first `bytes` bytes of `source` to host memory.
struct host_copy {
  const device_memory* source = nullptr;
  void* destination = nullptr;
  std::size_t bytes = 0;
};

/// Device memory, freed with the object unless it is borrowed. Move-only.
class device_memory {
 public:
  device_memory() = default;
  /// Memory of someone else, who frees it.
  [[nodiscard]] static device_memory borrowed(void* address, std::size_t bytes) noexcept {
    device_memory memory;
    memory.address_ = address;
    memory.bytes_ = bytes;
    return memory;
  }
  device_memory(backend& owner, void* address, std::size_t bytes) noexcept
      : owner_(&owner), address_(address), bytes_(bytes) {}
  device_memory(device_memory&& other) noexcept { swap(other); }
  device_memory& operator=(device_memory&& other) noexcept {
    device_memory(std::move(other)).swap(*this);
    return *this;
  }
  ~device_memory();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] void* address() const noexcept { return address_; }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(address_);
  }

 private:
  void swap(device_memory& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }
  backend* owner_ = nullptr;
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// One device. Used by one thread at a time, except compile(), which any number of threads may call.
/// Work is queued in order; measure() waits for it.
class backend {
 public:
  virtual ~backend() = default;

  [[nodiscard]] virtual const device_info& info() const = 0;

  /// @throws compile_error
  [[nodiscard]] virtual std::shared_ptr<const kernel> compile(const kernel_source& source) = 0;

  /// `name` is what an error calls it ("edges of road24"). @throws out_of_device_memory
  [[nodiscard]] virtual device_memory allocate(std::size_t bytes, const std::string& name) = 0;
  virtual void upload(const device_memory& target, const void* source, std::size_t bytes) = 0;
  virtual void download(void* target, const device_memory& source, std::size_t bytes) = 0;

  /// Memory of this device that someone else allocated and has written.
  /// @param name what an error calls it, such as "the offsets"
  /// @throws input_error unless all of it is memory of this device
  [[nodiscard]] virtual device_memory borrow(void* address, std::size_t bytes, const std::string& name);
  /// Copies from memory of the device that no queued work writes. Any thread may call this, at any time.
  virtual void read(void* target, const void* source, std::size_t bytes);
  /// Waits until all work that is in a stream of the caller's has ended; its faults are those of this device, too.
  /// @param stream a CUstream, null for the default one; where there are no streams nothing but null
  /// @throws input_error for what is no stream of this device
  virtual void wait_for_stream(void* stream);

  /// Host memory that a device copies to fastest.
  [[nodiscard]] virtual host_memory allocate_host(std::size_t bytes);
  /// Copies `bytes` bytes from `offset` on, of memory that no work writes meanwhile, to memory of allocate_host(),
  /// while other work continues. Returns when they have arrived. Any thread may call this. @throws kernel_fault
  virtual void download_beside(void* target, const device_memory& source, std::size_t offset, std::size_t bytes);

  /// Queues setting `bytes` bytes at `offset` to `value`.
  virtual void fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) = 0;
  /// Queues a launch. @throws launch_error
  virtual void launch(const kernel& variant, const launch_spec& spec) = 0;
  /// Runs `queue_work`, waits until everything it queued has ended and returns the milliseconds between the two on
  /// the device (modelled for simt). @throws kernel_fault
  virtual double measure(const std::function<void()>& queue_work) = 0;
  /// Like measure(), then downloads each of `copies`; the milliseconds do not include the downloads. Small downloads
  /// arrive sooner than by separate calls, because the host waits only once. @throws kernel_fault
  virtual double measure_and_download(const std::function<void()>& queue_work, std::span<const host_copy> copies);

  /// Returns a number that changes while queued work progresses; constant if the backend cannot tell. Any thread may
  /// call this.
  [[nodiscard]] virtual std::uint64_t progress() const { return 0; }

  /// Ends the work at hand soon, and all that is queued later at once: it throws interrupted. Any thread may call this.
  /// Nothing happens where work cannot be ended; the simulator, whose runs may take minutes, can.
  virtual void interrupt() noexcept {}

  /// To be called by a thread that did not open the device, or has used another device since, before it uses this one.
  virtual void enter() {}

  /// Seed of the schedule (simt); no effect on a GPU.
  virtual void set_seed(std::uint64_t /*seed*/) {}

  /// Guards the following calls of measure(). The simulator needs none: it finds endless kernels itself.
  virtual void set_watchdog(watchdog /*guard*/) {}

  /// Writes one word at `offset` at once, also while a kernel is running.
  virtual void poke(const device_memory& /*memory*/, std::size_t /*offset*/, std::uint32_t /*value*/) {}

 protected:
  friend class device_memory;
  virtual void release(void* address) noexcept = 0;
};

inline device_memory::~device_memory() {
  if (owner_ != nullptr) owner_->release(address_);
}

/// Memory with these values; none without values. @param name as for backend::allocate()
/// @throws out_of_device_memory
template <class T>
[[nodiscard]] device_memory uploaded(backend& device, const std::vector<T>& values, const std::string& name) {
  if (values.empty()) return {};
  device_memory memory = device.allocate(values.size() * sizeof(T), name);
  device.upload(memory, values.data(), memory.bytes());
  return memory;
}

/// @param selector "auto" (the first GPU, else the simulator), "cuda", "cuda:N", "simt" or "simt:SxW" (S
///   multiprocessors with W warps each), "cpu" or "cpu:N" (N threads; never by itself). @throws input_error for an
///   unknown or absent device, saying what there is.
[[nodiscard]] std::unique_ptr<backend> open_device(const std::string& selector);

/// The devices of a list such as "cuda:0,cuda:1", for one worker each: "auto" is all GPUs (the simulator when there is
/// none), "cuda:all" all GPUs, "cuda" the first. @param workers of a simulated device; 0: one
/// @throws input_error for a device that is unknown, absent or named twice, and for `workers` with another device
[[nodiscard]] std::vector<std::string> list_devices(const std::string& selectors, unsigned workers = 0);

/// What open_device() would say of itself, without a context on a GPU. @throws input_error as open_device()
[[nodiscard]] device_info inspect_device(const std::string& selector);

/// What doctor prints about one backend: found devices, versions, or why it cannot be used.
struct backend_report {
  std::string name;
  bool usable = false;
  std::vector<std::pair<std::string, std::string>> facts;
};
[[nodiscard]] std::vector<backend_report> report_backends();

/// The folder with the kernel sources: $MLMQ_KERNELS, the install tree's share/mlmq/kernels, or the source tree.
[[nodiscard]] std::string kernel_folder();

/// Where the file of a variant and what it includes are searched, in this order: its own folder, then kernel_folder().
[[nodiscard]] std::vector<std::string> folders_of(const kernel_source& variant);

}  // namespace mlmq::backends
