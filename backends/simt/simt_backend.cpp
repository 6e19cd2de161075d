// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/simt_backend.hpp"

#include <fmt/format.h>

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
  engine_.note_written(engine_.memory().offset_of(target.address()), bytes);
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
    engine_.note_written(engine_.memory().offset_of(memory.address()) + offset, bytes);
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
  ++launches_;
  const auto end = [this] {
    running_ = false;
    now_ns_ += cost::launch_ns + engine_.statistics().modelled_ns;
  };
  running_ = true;
  try {
    engine_.run({.name = source.entry,
                 .entry = kernel->code().entry,
                 .arguments = arguments.data(),
                 .blocks = spec.grid_blocks,
                 .cluster_blocks = spec.cluster_blocks,
                 .block_threads = source.block_threads,
                 .shared_bytes = spec.shared_bytes,
                 .seed = mix64(seed_ + golden_step) + launches_,
                 .start_ns = static_cast<std::uint64_t>(now_ns_ + cost::launch_ns),
                 .identity = fmt::format("seed {}, launch {}", seed_, launches_)});
  } catch (...) {
    end();
    throw;
  }
  end();
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
