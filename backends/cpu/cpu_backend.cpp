// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "backends/cpu/alarm_clock.hpp"
#include "backends/cpu/processors.hpp"
#include "backends/cpu/searches/search.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/stop.hpp"

namespace mlmq::backends {
namespace {

constexpr unsigned most_threads = 1024;
/// Copies below this size are faster with one thread than with a team.
constexpr std::size_t shared_copy_bytes = std::size_t{1} << 20;
constexpr std::size_t large_page = std::size_t{1} << 21;

unsigned threads_of(const std::string& selector) {
  if (selector == "cpu") return std::min(find_processors().usable, most_threads);
  if (selector.starts_with("cpu:")) {
    const std::string digits = selector.substr(4);
    if (!digits.empty() && digits.size() <= 4 && digits.find_first_not_of("0123456789") == std::string::npos) {
      const unsigned long number = std::stoul(digits);
      if (number >= 1 && number <= most_threads) return static_cast<unsigned>(number);
    }
  }
  throw input_error(fmt::format("device '{}': processors are 'cpu' or 'cpu:N' with N threads (1 to {}), such as cpu:8",
                                selector, most_threads));
}

/// A solver on one device, or code that is passed as the argument of a launch.
class cpu_kernel final : public kernel {
 public:
  /// @param code  null: the code is passed with each launch
  cpu_kernel(std::string name, std::string source_hash, std::shared_ptr<cpu::solver> code, const void* device)
      : name_(std::move(name)), code_(std::move(code)), device_(device) {
    properties_.from_cache = true;  // compiled in
    properties_.source_hash = std::move(source_hash);
  }

  [[nodiscard]] const kernel_properties& properties() const override { return properties_; }
  /// Returns 1, because the team runs as one block, or 0 if shared memory is requested.
  [[nodiscard]] unsigned resident_blocks(std::size_t shared_bytes) const override { return shared_bytes == 0 ? 1 : 0; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] cpu::solver* code() const { return code_.get(); }
  [[nodiscard]] bool belongs_to(const void* device) const { return device_ == device; }

 private:
  std::string name_;
  std::shared_ptr<cpu::solver> code_;
  const void* device_;
  kernel_properties properties_;
};

/// Work runs when it is queued: launch() returns after the work has ended. Solvers check their abort word and time
/// limit themselves; the watchdog only sets the word, and measure() always waits for the end of the work.
class cpu_backend final : public backend {
 public:
  explicit cpu_backend(const std::string& selector) : team_(threads_of(selector)) {
    const processor_info processors = find_processors();
    info_.selector = selector;
    info_.kind = "cpu";
    info_.name = fmt::format("{}, {} thread{}", processors.model, team_.size(), team_.size() == 1 ? "" : "s");
    info_.architecture = processors.architecture;
    info_.memory_bytes = processors.memory_bytes;
    info_.multiprocessors = team_.size();
    info_.warp_slots = 1;
    info_.driver = processors.system;
    info_.compiler = "C++ " __VERSION__;
  }

  [[nodiscard]] const device_info& info() const override { return info_; }

  [[nodiscard]] std::shared_ptr<const kernel> compile(const kernel_source& source) override {
    if (source.file == team_work_file) {
      content_hash hash;
      hash.add(source.entry);
      for (const auto& [name, value] : source.defines) hash.add(name).add(value);
      return std::make_shared<cpu_kernel>(source.entry, hash.hex(), nullptr, this);
    }
    if (source.file != cpu_solver_file) {
      throw launch_error(fmt::format("'{}' of {} is a kernel for GPUs and the simulator; device {} runs the solvers {}",
                                     source.entry, source.file, info_.selector, fmt::join(cpu::solver_names(), ", ")));
    }
    const std::lock_guard lock(solvers_mutex_);
    std::shared_ptr<cpu::solver>& code = solvers_[source.entry];
    if (code == nullptr) code = cpu::make_solver(source.entry);
    if (code == nullptr) {
      throw compile_error(fmt::format("no solver '{}' is compiled into this program; expected one of {}", source.entry,
                                      fmt::join(cpu::solver_names(), ", ")));
    }
    return std::make_shared<cpu_kernel>(source.entry, std::string(cpu::solver_source_hash()), code, this);
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes, const std::string& name) override {
    const std::size_t alignment = bytes >= large_page ? large_page : cpu::separation;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    if (rounded < bytes || bytes > info_.memory_bytes - allocated_) {
      throw out_of_device_memory(
          fmt::format("{}: {:.2f} GiB are needed; {} has {:.2f} GiB, of which {:.2f} GiB are in use", name,
                      gibibytes(bytes), info_.name, gibibytes(info_.memory_bytes), gibibytes(allocated_)));
    }
    void* const address = std::aligned_alloc(alignment, rounded);
    if (address == nullptr) {
      throw out_of_device_memory(fmt::format("{}: the system cannot allocate {:.2f} GiB", name, gibibytes(bytes)));
    }
    // Huge pages reduce misses of the TLB, the main cost of random accesses. This is only a hint to the system.
    if (alignment == large_page) ::madvise(address, rounded, MADV_HUGEPAGE);
    allocated_ += bytes;
    sizes_.emplace(address, bytes);
    return {*this, address, bytes};
  }

  [[nodiscard]] std::uint64_t free_memory() override { return info_.memory_bytes - allocated_; }

  void upload(const device_memory& target, const void* data, std::size_t bytes) override {
    if (bytes > target.bytes())
      throw work_error(fmt::format("cpu: upload of {} bytes into an allocation of {} bytes", bytes, target.bytes()));
    const auto* const source = static_cast<const std::byte*>(data);
    // Each thread copies its own part, so that first touch places the part in memory near the thread.
    in_parts(bytes, [&](std::size_t first, std::size_t count) {
      std::memcpy(target.as<std::byte>() + first, source + first, count);
    });
  }

  void upload_pieces(const device_memory& target, std::size_t bytes, const piece_writer& write) override {
    if (bytes > target.bytes())
      throw work_error(fmt::format("cpu: upload of {} bytes into an allocation of {} bytes", bytes, target.bytes()));
    in_parts(bytes, [&](std::size_t first, std::size_t count) {
      write(first, std::span(target.as<std::byte>() + first, count));
    });
  }

  void download(void* target, const device_memory& source, std::size_t bytes) override {
    if (bytes > source.bytes())
      throw work_error(fmt::format("cpu: download of {} bytes from an allocation of {} bytes", bytes, source.bytes()));
    if (bytes > 0) std::memcpy(target, source.address(), bytes);
  }

  void fill(const device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) override {
    if (offset > memory.bytes() || bytes > memory.bytes() - offset) {
      throw work_error(fmt::format("cpu: fill of {} bytes at offset {} in an allocation of {} bytes", bytes, offset,
                                   memory.bytes()));
    }
    in_parts(bytes, [&](std::size_t first, std::size_t count) {
      std::memset(memory.as<std::byte>() + offset + first, value, count);
    });
  }

  void launch(const kernel& variant, const launch_spec& spec) override {
    const auto* const chosen = dynamic_cast<const cpu_kernel*>(&variant);
    if (chosen == nullptr || !chosen->belongs_to(this)) {
      throw launch_error("cpu: the kernel was compiled for another device");
    }
    if (spec.grid_blocks != 1 || spec.shared_bytes != 0) {
      throw launch_error(
          fmt::format("{}: {} blocks with {} bytes of shared memory; {} runs one block without shared memory",
                      chosen->name(), spec.grid_blocks, spec.shared_bytes, info_.selector));
    }
    const bool is_search = chosen->code() != nullptr;
    const std::size_t takes = is_search ? sizeof(cpu::search_call) : sizeof(team_work);
    if (spec.argument_bytes != takes) {
      throw launch_error(fmt::format("{}: {} bytes of arguments, but {} takes {}", chosen->name(), spec.argument_bytes,
                                     is_search ? "a search" : "work", takes));
    }
    if (!is_search) return (*static_cast<const team_work*>(spec.arguments))(team_);
    const auto& call = *static_cast<const cpu::search_call*>(spec.arguments);
    *call.result = chosen->code()->run(team_, call.request);
  }

  double measure(const std::function<void()>& queue_work) override {
    using clock = std::chrono::steady_clock;
    const struct guard {
      guard(alarm_clock& clock, const watchdog& settings) : alarm(clock) {
        if (settings.limit_ms > 0 && settings.fire) alarm.set(settings.limit_ms, settings.fire);
      }
      guard(const guard&) = delete;
      guard& operator=(const guard&) = delete;
      ~guard() { alarm.cancel(); }
      alarm_clock& alarm;
    } watching(alarm_, guard_);
    const auto end_search = [this] {
      if (guard_.fire) guard_.fire();
    };
    const std::stop_callback on_stop(stop_token_of_thread(), end_search);
    // Wake all threads before the clock starts, so that a search does not include the time to wake them.
    team_.run([](unsigned) {});
    const auto start = clock::now();
    queue_work();
    const double milliseconds = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    throw_if_stopped();
    return milliseconds;
  }

  void set_watchdog(watchdog guard) override { guard_ = std::move(guard); }

  void poke(const device_memory& memory, std::size_t offset, std::uint32_t value) override {
    if (offset % sizeof value != 0 || offset + sizeof value > memory.bytes()) {
      throw work_error(fmt::format("cpu: poke at offset {} in an allocation of {} bytes", offset, memory.bytes()));
    }
    auto* const word = reinterpret_cast<std::uint32_t*>(memory.as<std::byte>() + offset);
    std::atomic_ref(*word).store(value);
  }

 private:
  static double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0); }

  template <class Work>
  void in_parts(std::size_t bytes, const Work& work) {
    if (bytes == 0) return;
    if (bytes < shared_copy_bytes) return work(std::size_t{0}, bytes);
    team_.run([&](unsigned rank) {
      const std::size_t pages = (bytes + piece_alignment - 1) / piece_alignment;
      const cpu::thread_team::slice part = team_.slice_of(rank, pages, piece_alignment);
      const std::size_t first = part.first * piece_alignment;
      if (part.first < part.last) work(first, std::min(bytes, part.last * piece_alignment) - first);
    });
  }

  void release(void* address) noexcept override {
    if (address == nullptr) return;
    const auto allocation = sizes_.find(address);
    allocated_ -= allocation->second;
    sizes_.erase(allocation);
    std::free(address);
  }

  cpu::thread_team team_;
  device_info info_{cpu_traits};
  std::map<void*, std::size_t> sizes_;
  std::uint64_t allocated_ = 0;
  std::mutex solvers_mutex_;
  std::map<std::string, std::shared_ptr<cpu::solver>> solvers_;
  watchdog guard_;
  alarm_clock alarm_;
};

}  // namespace

std::unique_ptr<backend> open_cpu(const std::string& selector) { return std::make_unique<cpu_backend>(selector); }

backend_report report_cpu() {
  const processor_info processors = find_processors();
  return {.name = "cpu",
          .usable = true,
          .facts = {{"device", fmt::format("cpu: {}, {} hardware threads; cpu:N for N threads", processors.model,
                                           processors.usable)},
                    {"memory", fmt::format("{:.0f} GiB", static_cast<double>(processors.memory_bytes) / (1U << 30U))},
                    {"solvers", fmt::format("{}", fmt::join(cpu::solver_names(), ", "))}}};
}

}  // namespace mlmq::backends
