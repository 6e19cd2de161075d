// SPDX-License-Identifier: Apache-2.0
// Interface between the tuner or a problem and a device: compile kernels, allocate memory, launch, time and stop work.
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
  bool modelled = false;    ///< whether times come from a model instead of a clock; any number of such devices can be
                            ///< opened
  bool grid = true;         ///< whether it runs kernels as grids of blocks; otherwise it is a CPU that runs compiled-in
                            ///< code
  bool timeline = true;     ///< whether its work can record a timeline
  unsigned warp_size = 32;  ///< number of threads that run in lockstep; 1 without warps
};

struct device_info : device_traits {
  std::string selector = {};      ///< the selector that opens it: "cuda:0", "simt", "cpu"
  std::string kind = {};          ///< name of the backend: "cuda", "simt", "cpu"
  std::string name = {};          ///< "NVIDIA H200", "simt 4x4 warps"
  std::string architecture = {};  ///< "sm_90"; "simt-1", with the version of the cost table; "x86_64"
  std::string uuid = {};          ///< UUID of the physical device; empty for simt and cpu
  std::uint64_t memory_bytes = 0;
  unsigned multiprocessors = 0;            ///< number of multiprocessors; number of threads of a cpu
  unsigned warp_slots = 0;                 ///< resident warps per multiprocessor
  std::size_t shared_bytes_per_block = 0;  ///< largest dynamic shared memory of one block
  unsigned cluster_blocks = 1;             ///< maximum number of blocks in a cluster; 1: clusters are not supported
  std::string driver = {};                 ///< driver version, or the simulator's version
  std::string compiler = {};               ///< "NVRTC 13.0", "c++ 12.2.0"; part of a variant's identity
};

/// Source of one kernel variant: a file, an entry in it, and macros. The file has a SIMT_KERNEL
/// (kernels/simt/simt.cuh), or is plain CUDA C++ with __global__ functions.
struct kernel_source {
  std::string file;   ///< path relative to the kernel folder: "sssp.cu"
  std::string entry;  ///< name given to SIMT_KERNEL; for plain CUDA a name for messages
  unsigned block_threads = 0;
  std::map<std::string, std::string> defines;  ///< macros of the compile-time parameters
  /// Folder of a problem with its own kernels, which may also include files from kernel_folder(). Empty: the file is in
  /// kernel_folder().
  std::string folder = {};
  /// The __global__ functions of a file in plain CUDA C++ that are launched: names, or instances of templates such as
  /// "sum<float, 128>". Empty: the file has a SIMT_KERNEL. With functions, block_threads is 0, because launches set it.
  std::vector<std::string> functions = {};
  std::vector<std::string> options = {};  ///< with functions: further options of the CUDA compiler
  /// With functions: the expected kernel_sources::code_hash(), without which the variant is not compiled; empty: any.
  std::string code_hash = {};

  [[nodiscard]] bool is_plain_cuda() const { return !functions.empty(); }
};

/// Properties of a compiled variant.
struct kernel_properties {
  double compile_ms = 0;    ///< wall time to compile the binary or to read it from the cache
  bool from_cache = false;  ///< whether the binary is from the disk cache or was shipped with the program
  unsigned registers = 0;   ///< registers per thread; 0 for simt
  std::size_t local_bytes = 0;
  std::string source_hash;   ///< hash of the variant's complete source text and macros
  std::string instructions;  ///< hash of its instructions (cuda/instructions.cpp); "" on devices without them
  std::string binary_hash;  ///< of plain CUDA C++: hash of the machine code, equal for sources that compile to the same
};

/// A parameter of a __global__ function.
struct function_parameter {
  std::string type;       ///< without typedefs: "float const*"
  std::size_t bytes = 0;  ///< 0: the driver does not tell
};

/// Returns the types in the last parentheses of a demangled name: "float*", "int" for "void add<1>(float*, int)".
[[nodiscard]] std::vector<std::string> parameter_types(const std::string& mangled_name);

/// Properties of one __global__ function of a compiled variant in plain CUDA C++.
struct function_properties {
  unsigned registers = 0;        ///< per thread; 0 for simt
  std::size_t local_bytes = 0;   ///< local memory per thread, of which spilled registers are a part; 0 for simt
  std::size_t shared_bytes = 0;  ///< statically declared shared memory per block
  unsigned most_threads = 1024;  ///< maximum number of threads per block
  std::vector<function_parameter> parameters = {};
};

/// A compiled variant, loaded on one device.
class kernel {
 public:
  virtual ~kernel() = default;
  [[nodiscard]] virtual const kernel_properties& properties() const = 0;
  /// @param function  index in kernel_source::functions
  [[nodiscard]] virtual function_properties properties_of(std::size_t /*function*/) const { return {}; }
  /// Returns the number of blocks of a __global__ function that one multiprocessor holds at once; 0 if none fits.
  [[nodiscard]] virtual unsigned blocks_per_multiprocessor(std::size_t /*function*/, unsigned /*block_threads*/,
                                                           std::size_t /*shared_bytes*/) const {
    return 0;
  }
  /// Returns the number of blocks of this variant that are resident on the whole device at once; 0 if one block does
  /// not fit.
  [[nodiscard]] virtual unsigned resident_blocks(std::size_t shared_bytes) const = 0;
  /// Returns the number of clusters of `cluster_blocks` blocks that are resident on the whole device at once.
  [[nodiscard]] virtual unsigned resident_clusters(unsigned cluster_blocks, std::size_t shared_bytes) const {
    return cluster_blocks == 1 ? resident_blocks(shared_bytes) : 0;
  }
};

/// Parameters of one launch.
struct launch_spec {
  unsigned grid_blocks = 0;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory per block
  const void* arguments = nullptr;
  std::size_t argument_bytes = 0;
  /// Whether all blocks must be resident at once (a cooperative launch), so that they may wait for each other. A launch
  /// without this starts sooner.
  bool together = true;
  /// Number of blocks per cluster. The blocks of a cluster run at the same time and can access each other's shared
  /// memory (simt/cluster.cuh). Divides grid_blocks.
  unsigned cluster_blocks = 1;
};

/// Size of a grid, a block or a cluster in three dimensions.
struct extent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const extent&) const = default;
};

/// Parameters of one launch of a __global__ function.
struct function_launch {
  std::size_t function = 0;  ///< index in kernel_source::functions
  extent grid = {};
  extent block = {};
  extent cluster = {};                    ///< divides the grid in each dimension
  std::size_t shared_bytes = 0;           ///< dynamic shared memory per block
  std::span<void* const> arguments = {};  ///< address of each argument; the launch copies the arguments
  bool cooperative = false;               ///< whether all blocks must be resident at once
};

/// The source does not compile. what() is the compiler's log.
class compile_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The variant cannot run on this device: it needs too many blocks, registers or bytes of shared memory.
class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The kernel accessed an illegal address, or the simulator has a finding. `sticky`: the device context is lost, and
/// the process must be replaced before it can run other work.
class kernel_fault : public std::runtime_error {
 public:
  kernel_fault(const std::string& message, bool is_sticky, bool did_not_end = false)
      : std::runtime_error(message), sticky(is_sticky), hung(did_not_end) {}
  bool sticky;
  bool hung;  ///< the kernel does not terminate
};

/// The work was ended by backend::interrupt().
class interrupted : public std::runtime_error {
 public:
  interrupted() : std::runtime_error("the work was interrupted") {}
};

/// Not enough device memory. what() gives the requested and the available size.
class out_of_device_memory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Limits the wall time of work. After `limit_ms`, `fire` is called; it sets the kernel's abort word through
/// backend::poke(). If the work is still running `grace_ms` later, measure() throws a kernel_fault.
struct watchdog {
  double limit_ms = 0;  ///< 0: no watchdog
  double grace_ms = 2000;
  std::function<void()> fire;
};

/// Host memory. It is freed with its last owner, which must not outlive the device.
using host_memory = std::shared_ptr<void>;

class backend;
class device_memory;

/// Request to copy the first `bytes` bytes of `source` to host memory.
struct host_copy {
  const device_memory* source = nullptr;
  void* destination = nullptr;
  std::size_t bytes = 0;
};

/// Device memory. It is freed with the object unless it is borrowed. Move-only.
class device_memory {
 public:
  device_memory() = default;
  /// Returns a reference to memory that its owner frees.
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

inline constexpr std::size_t piece_alignment = 4096;
/// Writes the bytes of an array from byte `first` on into `piece`. Called by several threads at once. Pieces begin at
/// multiples of piece_alignment.
using piece_writer = std::function<void(std::size_t first, std::span<std::byte> piece)>;

/// One device. An object is used by one thread at a time, except for compile(), which any number of threads may call.
/// Work is queued in order, and measure() waits for it.
class backend {
 public:
  virtual ~backend() = default;

  [[nodiscard]] virtual const device_info& info() const = 0;

  /// @throws compile_error
  [[nodiscard]] virtual std::shared_ptr<const kernel> compile(const kernel_source& source) = 0;

  /// Allocates memory.
  /// @param name  description for messages, such as "edges of road24"
  /// @throws out_of_device_memory
  [[nodiscard]] virtual device_memory allocate(std::size_t bytes, const std::string& name) = 0;
  /// Returns the number of bytes that can be allocated.
  [[nodiscard]] virtual std::uint64_t free_memory() { return info().memory_bytes; }
  virtual void upload(const device_memory& target, const void* source, std::size_t bytes) = 0;
  /// Uploads the first `bytes` bytes of an array that `write` makes piece by piece. Devices with fast copies need no
  /// host memory for the whole array.
  virtual void upload_pieces(const device_memory& target, std::size_t bytes, const piece_writer& write);
  virtual void download(void* target, const device_memory& source, std::size_t bytes) = 0;

  /// Returns a reference to memory of this device that the caller allocated and has written.
  /// @param name  description for messages, such as "the offsets"
  /// @throws input_error  unless the whole range is memory of this device
  [[nodiscard]] virtual device_memory borrow(void* address, std::size_t bytes, const std::string& name);
  /// Copies from device memory that no queued work writes. Any thread may call this at any time.
  virtual void read(void* target, const void* source, std::size_t bytes);
  /// Waits until all work in one of the caller's streams has ended. Faults of that work are faults of this device.
  /// @param stream  a CUstream, or null for the default stream; must be null on devices without streams
  /// @throws input_error  if `stream` is not a stream of this device
  virtual void wait_for_stream(void* stream);

  /// Allocates host memory to which the device copies fastest.
  [[nodiscard]] virtual host_memory allocate_host(std::size_t bytes);
  /// Copies `bytes` bytes, starting at `offset`, to memory of allocate_host(), while other work continues. Returns when
  /// the bytes have arrived. No work may write the copied range meanwhile. Any thread may call this.
  /// @throws kernel_fault
  virtual void download_concurrently(void* target, const device_memory& source, std::size_t offset, std::size_t bytes);

  /// Queues work that sets `bytes` bytes at `offset` to `value`.
  virtual void fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) = 0;
  /// Queues a copy of the first `bytes` bytes between two memories of this device.
  virtual void copy(const device_memory& target, const device_memory& source, std::size_t bytes);
  /// Queues a launch. @throws launch_error
  virtual void launch(const kernel& variant, const launch_spec& spec) = 0;
  /// Queues a launch of a __global__ function of a variant in plain CUDA C++. @throws launch_error
  virtual void launch_function(const kernel& variant, const function_launch& spec);
  /// Returns the memory of a __constant__ or __device__ variable of a variant in plain CUDA C++, which lives as long as
  /// the variant. @throws input_error  if there is none of this name
  [[nodiscard]] virtual device_memory symbol(const kernel& variant, const std::string& name);
  /// Runs `queue_work`, waits until all work that it queued has ended, and returns the milliseconds that this work took
  /// on the device (modelled for simt).
  /// @throws kernel_fault
  virtual double measure(const std::function<void()>& queue_work) = 0;
  /// Like measure(), but then performs each of `copies`. The returned milliseconds do not include the copies. Small
  /// copies take less time than by separate calls, because the host waits only once.
  /// @throws kernel_fault
  virtual double measure_and_download(const std::function<void()>& queue_work, std::span<const host_copy> copies);

  /// Returns a number that changes while queued work progresses, or a constant if the backend cannot observe progress.
  /// Any thread may call this.
  [[nodiscard]] virtual std::uint64_t progress() const { return 0; }

  /// Ends the current work soon, and all work that is queued later at once, by throwing interrupted. Any thread may
  /// call this. Has no effect on backends that cannot interrupt work; the simulator can, since its runs may take
  /// minutes.
  virtual void interrupt() noexcept {}

  /// Must be called by a thread before it uses the device, if the thread did not open the device or has used another
  /// device since.
  virtual void enter() {}

  /// Sets the seed of the schedule (simt). Has no effect on a GPU.
  virtual void set_seed(std::uint64_t /*seed*/) {}

  /// Sets the watchdog for the following calls of measure(). The simulator ignores it, because it detects endless
  /// kernels itself.
  virtual void set_watchdog(watchdog /*guard*/) {}

  /// Writes one word at `offset` immediately, even while a kernel is running.
  virtual void poke(const device_memory& /*memory*/, std::size_t /*offset*/, std::uint32_t /*value*/) {}

 protected:
  friend class device_memory;
  virtual void release(void* address) noexcept = 0;
};

inline device_memory::~device_memory() {
  if (owner_ != nullptr) owner_->release(address_);
}

/// Allocates memory with these values; returns an empty object if there are no values.
/// @param name  like that of backend::allocate()
/// @throws out_of_device_memory
template <class T>
[[nodiscard]] device_memory uploaded(backend& device, const std::vector<T>& values, const std::string& name) {
  if (values.empty()) return {};
  device_memory memory = device.allocate(values.size() * sizeof(T), name);
  device.upload(memory, values.data(), memory.bytes());
  return memory;
}

/// Uploads an array whose elements `write` makes. @param write (first, part) writes the elements from `first` on
template <class T, class Write>
void upload_elements(backend& device, const device_memory& target, std::size_t count, const Write& write) {
  device.upload_pieces(target, count * sizeof(T), [&](std::size_t first, std::span<std::byte> piece) {
    write(first / sizeof(T), std::span(reinterpret_cast<T*>(piece.data()), piece.size() / sizeof(T)));
  });
}

/// Opens a device.
/// @param selector  "auto" (the first GPU, else the simulator), "cuda", "cuda:N", "simt", "simt:SxW" (S multiprocessors
///     with W warps each), "cpu" or "cpu:N" (N threads). "auto" never selects "cpu".
/// @throws input_error  for an unknown or absent device, listing the available ones
[[nodiscard]] std::unique_ptr<backend> open_device(const std::string& selector);

/// Returns the devices of a list such as "cuda:0,cuda:1", one per worker. "auto" means all GPUs (the simulator if there
/// is none), "cuda:all" all GPUs, and "cuda" the first GPU.
/// @param workers  number of workers of a simulated device; 0: one
/// @throws input_error  for a device that is unknown, absent or given twice, and for `workers` with another device
[[nodiscard]] std::vector<std::string> list_devices(const std::string& selectors, unsigned workers = 0);

/// Returns the info() of the device that open_device() would open, without creating a context on a GPU.
/// @throws input_error  like open_device()
[[nodiscard]] device_info inspect_device(const std::string& selector);

/// Report of the command `doctor` about one backend: detected devices and versions, or why it cannot be used.
struct backend_report {
  std::string name;
  bool usable = false;
  std::vector<std::pair<std::string, std::string>> facts;
};
[[nodiscard]] std::vector<backend_report> report_backends();

/// Returns the folder of the kernel sources: $MLMQ_KERNELS, the install tree's share/mlmq/kernels, or the source tree.
[[nodiscard]] std::string kernel_folder();

/// Returns the folders that are searched for a variant's file and its includes, in this order: the variant's own
/// folder, then kernel_folder().
[[nodiscard]] std::vector<std::string> search_folders(const kernel_source& variant);

}  // namespace mlmq::backends
