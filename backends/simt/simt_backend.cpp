// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/simt_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/error.hpp"

namespace mlmq::backends::simulator {
namespace {

/// A variant for one simulated GPU.
class simt_kernel final : public kernel {
 public:
  simt_kernel(std::shared_ptr<const loaded_kernel> code, kernel_source source, gpu_shape shape)
      : code_(std::move(code)), source_(std::move(source)), shape_(shape) {}

  [[nodiscard]] const kernel_properties& properties() const override { return code_->properties; }
  [[nodiscard]] unsigned resident_blocks(std::size_t shared_bytes) const override {
    return shape_.resident_blocks(source_.block_threads / simt_traits.warp_size, shared_bytes);
  }
  [[nodiscard]] unsigned resident_clusters(unsigned cluster_blocks, std::size_t shared_bytes) const override {
    if (cluster_blocks == 0 || cluster_blocks > gpu_shape::cluster_blocks) return 0;
    return resident_blocks(shared_bytes) / cluster_blocks;
  }
  [[nodiscard]] const loaded_kernel& code() const { return *code_; }
  [[nodiscard]] const kernel_source& source() const { return source_; }

 private:
  std::shared_ptr<const loaded_kernel> code_;
  kernel_source source_;
  gpu_shape shape_;
};

/// A variant in plain CUDA C++ for one simulated GPU.
class simt_plain_kernel final : public kernel {
 public:
  simt_plain_kernel(std::shared_ptr<const loaded_plain_kernel> code, kernel_source source, gpu_shape shape)
      : code_(std::move(code)), source_(std::move(source)), shape_(shape) {}

  [[nodiscard]] const kernel_properties& properties() const override { return code_->properties; }
  [[nodiscard]] function_properties properties_of(std::size_t function) const override {
    const plain_object::function& compiled = code_->object.functions().at(function);
    return {.shared_bytes = compiled.shared_bytes, .parameters = compiled.parameters};
  }
  [[nodiscard]] unsigned blocks_per_multiprocessor(std::size_t function, unsigned block_threads,
                                                   std::size_t shared_bytes) const override {
    // A block that has more warps than a multiprocessor has slots occupies all of them.
    const unsigned warps = (block_threads + simt_traits.warp_size - 1) / simt_traits.warp_size;
    const std::size_t bytes = shared_bytes + code_->object.functions().at(function).shared_bytes;
    return shape_.resident_blocks(std::min(warps, shape_.warps), bytes) / shape_.multiprocessors;
  }
  [[nodiscard]] unsigned resident_blocks(std::size_t /*shared_bytes*/) const override { return 0; }
  [[nodiscard]] const std::shared_ptr<const loaded_plain_kernel>& code() const { return code_; }
  [[nodiscard]] const kernel_source& source() const { return source_; }

 private:
  std::shared_ptr<const loaded_plain_kernel> code_;
  kernel_source source_;
  gpu_shape shape_;
};

struct plain_arguments {
  void (*call)(void* const* arguments);
  void* const* addresses;
};

void call_plain(const void* arguments) {
  const auto& plain = *static_cast<const plain_arguments*>(arguments);
  plain.call(plain.addresses);
}

// Limits of all GPUs.
constexpr unsigned most_block_threads = 1024;
constexpr unsigned most_block_z = 64;
constexpr unsigned most_grid_yz = 65535;
constexpr std::size_t most_static_shared_bytes = 48 * 1024;
/// Limits the time of a launch to minutes.
constexpr std::uint64_t most_simulated_threads = 1ull << 26;

std::string or_kernel_folder(const std::string& folder) { return folder.empty() ? kernel_folder() : folder; }

}  // namespace

simt_backend::simt_backend(const std::string& selector, const simulator_settings& settings)
    : shape_(parse_simt_selector(selector)),
      settings_(settings),
      compiler_(or_kernel_folder(settings.kernels), or_kernel_folder(settings.includes)),
      engine_(settings, shape_.multiprocessors),
      seed_(settings.seed) {
  info_.selector = selector;
  info_.kind = "simt";
  info_.name = fmt::format("simt {}x{} warps", shape_.multiprocessors, shape_.warps);
  info_.architecture = fmt::format("simt-{}", cost_model_version);
  info_.memory_bytes = settings.memory_bytes;
  info_.multiprocessors = shape_.multiprocessors;
  info_.warp_slots = shape_.warps;
  info_.shared_bytes_per_block = gpu_shape::shared_bytes_per_block;
  info_.cluster_blocks = gpu_shape::cluster_blocks;
  info_.driver = simulator_version();
  info_.compiler = compiler_.name();
}

std::shared_ptr<const kernel> simt_backend::compile(const kernel_source& source) {
  if (source.is_plain_cuda()) {
    return std::make_shared<simt_plain_kernel>(compiler_.compile_plain(source), source, shape_);
  }
  return std::make_shared<simt_kernel>(compiler_.compile(source), source, shape_);
}

device_memory simt_backend::allocate(std::size_t bytes, const std::string& name) {
  return {*this, engine_.memory().allocate(bytes, name), bytes};
}

void simt_backend::release(void* address) noexcept {
  if (address == nullptr) return;
  const device_heap::allocation& freed = engine_.memory().release(address);
  engine_.forget(freed.start, freed.bytes);
}

void simt_backend::upload(const device_memory& target, const void* source, std::size_t bytes) {
  if (bytes > target.bytes())
    throw work_error(fmt::format("simt: upload of {} bytes into an allocation of {} bytes", bytes, target.bytes()));
  if (bytes == 0) return;
  std::memcpy(target.address(), source, bytes);
  engine_.note_written(offset_of(target.address()), bytes);
}

void simt_backend::download(void* target, const device_memory& source, std::size_t bytes) {
  if (bytes > source.bytes())
    throw work_error(fmt::format("simt: download of {} bytes from an allocation of {} bytes", bytes, source.bytes()));
  if (bytes != 0) std::memcpy(target, source.address(), bytes);
}

device_memory simt_backend::borrow(void* address, std::size_t bytes, const std::string& name) {
  if (bytes != 0) {
    const memory_offset start = engine_.memory().offset_of(address);
    if (engine_.memory().find(start, bytes) == nullptr) {
      throw input_error(fmt::format("{}: {} bytes at {} are not memory of {}", name, bytes, address, info_.selector));
    }
    engine_.note_written(start, bytes);
  }
  return device_memory::borrowed(address, bytes);
}

void simt_backend::read(void* target, const void* source, std::size_t bytes) {
  if (bytes != 0) std::memcpy(target, source, bytes);
}

void simt_backend::fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) {
  if (offset > memory.bytes() || bytes > memory.bytes() - offset) {
    throw work_error(
        fmt::format("simt: fill of {} bytes at offset {} in an allocation of {} bytes", bytes, offset, memory.bytes()));
  }
  if (bytes != 0) {
    std::memset(memory.as<std::byte>() + offset, value, bytes);
    engine_.note_written(offset_of(memory.address()) + offset, bytes);
  }
  now_ns_ += cost::fill_ns + static_cast<double>(bytes) / cost::fill_bytes_per_ns;
}

void simt_backend::launch(const kernel& variant, const launch_spec& spec) {
  const auto* const kernel = dynamic_cast<const simt_kernel*>(&variant);
  if (kernel == nullptr) throw launch_error("simt: the kernel was compiled for another backend");
  const kernel_source& source = kernel->source();
  const unsigned most = kernel->resident_blocks(spec.shared_bytes);
  if (spec.grid_blocks == 0 || spec.grid_blocks > most) {
    throw launch_error(fmt::format(
        "{}: {} blocks of {} threads with {} bytes of shared memory; {} holds {} such blocks at the same time",
        source.entry, spec.grid_blocks, source.block_threads, spec.shared_bytes, info_.name, most));
  }
  if (spec.cluster_blocks == 0 || spec.cluster_blocks > info_.cluster_blocks ||
      spec.grid_blocks % spec.cluster_blocks != 0) {
    throw launch_error(
        fmt::format("{}: {} blocks in clusters of {}; on {}, a cluster has at most {} blocks, and its size divides the "
                    "number of blocks",
                    source.entry, spec.grid_blocks, spec.cluster_blocks, info_.name, info_.cluster_blocks));
  }
  if (spec.argument_bytes != kernel->code().argument_bytes) {
    throw launch_error(fmt::format("{}: {} bytes of arguments, but the kernel takes {}", source.entry,
                                   spec.argument_bytes, kernel->code().argument_bytes));
  }
  // Copy the arguments like a GPU does, aligned for any argument type.
  std::vector<std::max_align_t> arguments(spec.argument_bytes / sizeof(std::max_align_t) + 1);
  std::memcpy(arguments.data(), spec.arguments, spec.argument_bytes);
  run({.name = source.entry,
       .entry = kernel->code().entry,
       .arguments = arguments.data(),
       .blocks = spec.grid_blocks,
       .cluster_blocks = spec.cluster_blocks,
       .block_threads = source.block_threads,
       .shared_bytes = spec.shared_bytes});
}

void simt_backend::run(const engine_launch& launch) {
  ++launches_;
  engine_launch numbered = launch;
  numbered.seed = mix64(seed_ + golden_step) + launches_;
  numbered.start_ns = static_cast<std::uint64_t>(now_ns_ + cost::launch_ns);
  numbered.identity = fmt::format("seed {}, launch {}", seed_, launches_);
  const auto end = [this] {
    running_ = false;
    now_ns_ += cost::launch_ns + engine_.statistics().modelled_ns;
  };
  running_ = true;
  try {
    engine_.run(numbered);
  } catch (...) {
    end();
    throw;
  }
  end();
}

void simt_backend::launch_function(const kernel& variant, const function_launch& spec) {
  const auto* const kernel = dynamic_cast<const simt_plain_kernel*>(&variant);
  if (kernel == nullptr) throw launch_error("simt: the kernel is not plain CUDA C++ compiled for the simulator");
  const plain_object& object = kernel->code()->object;
  if (spec.function >= object.functions().size()) {
    throw launch_error(fmt::format("{}: it has no function {}", kernel->source().file, spec.function));
  }
  const plain_object::function& function = object.functions()[spec.function];
  const std::string& name = kernel->source().functions[spec.function];
  const auto refuse = [&](const std::string& reason) { throw launch_error(fmt::format("{}: {}", name, reason)); };
  if (spec.cluster.count() != 1) refuse("the simulator does not support clusters of plain CUDA C++");
  if (spec.grid.count() == 0 || spec.block.count() == 0) refuse("the grid and the block must not be empty");
  if (spec.block.count() > most_block_threads) {
    refuse(fmt::format("{} threads per block; at most {} are possible", spec.block.count(), most_block_threads));
  }
  if (spec.block.z > most_block_z) {
    refuse(fmt::format("{} threads in z; a block of a GPU has at most {}", spec.block.z, most_block_z));
  }
  if (spec.grid.y > most_grid_yz || spec.grid.z > most_grid_yz) {
    refuse(fmt::format("{} blocks in y and {} in z; a grid of a GPU has at most {}", spec.grid.y, spec.grid.z,
                       most_grid_yz));
  }
  if (function.shared_bytes > most_static_shared_bytes) {
    refuse(fmt::format("{} bytes of static shared memory; a GPU allows {}, and more only as dynamic shared memory",
                       function.shared_bytes, most_static_shared_bytes));
  }
  if (spec.grid.count() > most_simulated_threads / spec.block.count()) {
    refuse(fmt::format("{} blocks of {} threads; the simulator runs at most {} threads", spec.grid.count(),
                       spec.block.count(), most_simulated_threads));
  }
  if (spec.arguments.size() != function.parameters.size()) {
    refuse(fmt::format("{} arguments, but the function takes {}", spec.arguments.size(), function.parameters.size()));
  }
  const auto threads = static_cast<unsigned>(spec.block.count());
  const unsigned warps = (threads + simt_traits.warp_size - 1) / simt_traits.warp_size;
  const unsigned resident = kernel->blocks_per_multiprocessor(spec.function, threads, spec.shared_bytes);
  if (resident == 0) {
    refuse(fmt::format("{} bytes of dynamic and {} of static shared memory; a block has at most {}", spec.shared_bytes,
                       function.shared_bytes, info_.shared_bytes_per_block));
  }
  if (spec.cooperative && spec.grid.count() > std::uint64_t{resident} * info_.multiprocessors) {
    refuse(fmt::format("{} blocks of {} threads in a cooperative launch; {} holds {} such blocks at the same time",
                       spec.grid.count(), threads, info_.name, resident * info_.multiprocessors));
  }
  // Copy the arguments like a GPU does, each aligned for any type.
  std::vector<std::vector<std::max_align_t>> copies;
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const std::size_t bytes = function.parameters[i].bytes;
    copies.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copies.back().data(), spec.arguments[i], bytes);
    addresses.push_back(copies.back().data());
  }
  const plain_launch plain{.object = &object,
                           .function = &function,
                           .variables = &place_variables(kernel->code()),
                           .window = object.window(),
                           .grid = spec.grid,
                           .block = spec.block,
                           .dynamic_bytes = spec.shared_bytes,
                           .is_cooperative = spec.cooperative,
                           .blocks_per_multiprocessor = resident,
                           .turns = (warps + shape_.warps - 1) / shape_.warps};
  plain_arguments arguments{function.call, addresses.data()};
  run({.name = name,
       .entry = call_plain,
       .arguments = &arguments,
       .blocks = spec.cooperative ? static_cast<std::uint32_t>(spec.grid.count()) : 1,
       .block_threads = threads,
       .shared_bytes = plain.window.bytes,
       .plain = &plain});
}

const std::vector<placed_variable>& simt_backend::place_variables(
    const std::shared_ptr<const loaded_plain_kernel>& code) {
  std::erase_if(placed_objects_, [this](const auto& entry) {
    if (!entry.second.code.expired()) return false;
    for (void* const representative : entry.second.representatives) release(representative);
    return true;
  });
  const auto [position, is_new] = placed_objects_.try_emplace(code.get());
  placed_object& placed = position->second;
  if (!is_new) return placed.variables;
  placed.code = code;
  for (const plain_object::variable& variable : code->object.variables()) {
    void* const representative = engine_.memory().allocate(variable.bytes, variable.name);
    placed.representatives.push_back(representative);
    const memory_offset offset = engine_.memory().offset_of(representative);
    placed.variables.push_back({variable.address, variable.bytes, offset});
    engine_.note_written(offset, variable.bytes);
  }
  return placed.variables;
}

memory_offset simt_backend::offset_of(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  for (const auto& [code, placed] : placed_objects_) {
    for (const placed_variable& variable : placed.variables) {
      const auto inside = reinterpret_cast<std::uintptr_t>(byte) - reinterpret_cast<std::uintptr_t>(variable.address);
      if (inside < variable.bytes) return variable.offset + inside;
    }
  }
  return engine_.memory().offset_of(address);
}

device_memory simt_backend::symbol(const kernel& variant, const std::string& name) {
  const auto* const kernel = dynamic_cast<const simt_plain_kernel*>(&variant);
  if (kernel == nullptr) throw input_error(name + ": the kernel is not plain CUDA C++ compiled for the simulator");
  static_cast<void>(place_variables(kernel->code()));
  for (const plain_object::variable& variable : kernel->code()->object.variables()) {
    if (variable.name == name) return device_memory::borrowed(variable.address, variable.bytes);
  }
  throw input_error(
      fmt::format("{}: {} has no __constant__ or __device__ variable of this name", name, kernel->source().file));
}

double simt_backend::measure(const std::function<void()>& queue_work) {
  // Start at zero every time; otherwise the last bits of the difference of two large times would depend on earlier
  // work.
  now_ns_ = 0;
  queue_work();
  return now_ns_ * 1e-6;
}

void simt_backend::set_seed(std::uint64_t seed) {
  seed_ = seed;
  launches_ = 0;
}

void simt_backend::poke(const device_memory& memory, std::size_t offset, std::uint32_t value) {
  if (offset % sizeof value != 0 || offset + sizeof value > memory.bytes()) {
    throw work_error(fmt::format("simt: poke at offset {} in an allocation of {} bytes", offset, memory.bytes()));
  }
  auto* const word = reinterpret_cast<std::uint32_t*>(memory.as<std::byte>() + offset);
  std::atomic_ref(*word).store(value);
  // During a launch this may be another thread, and the poked word has been written before.
  if (!running_) engine_.note_written(engine_.memory().offset_of(word), sizeof value);
}

}  // namespace mlmq::backends::simulator

namespace mlmq::backends {

std::unique_ptr<backend> open_simt(const std::string& selector, const simulator::simulator_settings& settings) {
  return std::make_unique<simulator::simt_backend>(selector, settings);
}

std::string simulator_version() { return fmt::format("simt 1.{}", simulator::cost_model_version); }

backend_report report_simt() {
  backend_report report{.name = "simt", .usable = false, .facts = {}};
  const auto compiler = simulator::find_host_compiler();
  report.usable = compiler.has_value();
  report.facts.emplace_back("version", simulator_version());
  report.facts.emplace_back(
      "compiler", compiler ? compiler->name() : "none: install the package g++, or set CXX to a C++20 compiler");
  report.facts.emplace_back("kernels", kernel_folder());
  const simulator::gpu_shape shape;
  report.facts.emplace_back("device", fmt::format("simt: {} multiprocessors, {} warps on each; simt:SxW for others",
                                                  shape.multiprocessors, shape.warps));
  return report;
}

}  // namespace mlmq::backends
