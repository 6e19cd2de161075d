// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/kernel_compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "backends/kernel_sources.hpp"
#include "base/cache_lock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/stopwatch.hpp"
#include "kernels/simt/simulator_api.hpp"

namespace mlmq::backends::simulator {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes compile_limit{2};

/// A file that is gone at the end unless it has been renamed.
class temporary_file {
 public:
  explicit temporary_file(const fs::path& beside) {
    static std::atomic<unsigned> count{0};
    path_ = beside;
    path_ += fmt::format(".{}.{}.tmp", ::getpid(), count++);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

kernel_compiler::kernel_compiler(fs::path kernels, fs::path includes)
    : kernels_(std::move(kernels)),
      includes_(std::move(includes)),
      cache_(cache_folder() / "simt"),
      compiler_(find_host_compiler()) {}

std::string kernel_compiler::name() const { return compiler_ ? compiler_->name() : std::string(); }

std::vector<std::string> kernel_compiler::command(const kernel_source& source) const {
  std::vector<std::string> words = compiler_->command;
  // The kernel's own warnings belong to its tests, not into a sweep. Reports name files relative to their folder.
  for (const char* const option : {"-x", "c++", "-std=c++20", "-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden",
                                   "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off"}) {
    words.emplace_back(option);
  }
  words.push_back(fmt::format("-DMLMQ_BLOCK_THREADS={}", source.block_threads));
  for (const auto& [name, value] : source.defines) words.push_back(fmt::format("-D{}={}", name, value));
  return words;
}

std::shared_ptr<const loaded_kernel> kernel_compiler::compile(const kernel_source& source) const {
  const auto start = std::chrono::steady_clock::now();
  if (source.block_threads == 0 || source.block_threads % 32 != 0 || source.block_threads > 1024) {
    throw input_error(fmt::format("{}: {} threads per block; it must be a multiple of 32 up to 1024", source.file,
                                  source.block_threads));
  }
  const fs::path file = kernels_ / source.file;
  if (!fs::is_regular_file(file)) {
    throw input_error(fmt::format("{}: there is no such kernel file in {}", source.file, kernels_.string()));
  }
  if (!compiler_) {
    throw work_error(
        "simt: the simulator compiles kernels with the C++ compiler of this machine, and none works: install the "
        "package g++, or set CXX");
  }
  const kernel_sources sources = kernel_sources::load({kernels_.string(), includes_.string()}, source.file);
  const std::string source_hash = variant_hash(sources, source, "");
  content_hash key;
  key.add(source_hash).add(compiler_->version);
  for (const std::string& word : command(source)) key.add(word);
  const fs::path object = cache_ / (key.hex() + ".so");

  bool cached = fs::exists(object);
  if (!cached) {
    // Workers side by side need the same variants at the same time.
    const cache_lock alone(cache_, key.hex());
    cached = fs::exists(object);
    if (!cached) make(source, object);
  }
  std::optional<shared_object> loaded;
  try {
    loaded.emplace(object);
  } catch (const work_error&) {
    // A damaged file in the cache is replaced once.
    if (!cached) throw;
    cached = false;
    make(source, object);
    loaded.emplace(object);
  }
  auto kernel = std::make_shared<loaded_kernel>(loaded_kernel{.object = std::move(*loaded), .properties = {}});
  void* const entry = kernel->object.find(source.entry);
  const auto* const bytes = static_cast<const u32*>(kernel->object.find(source.entry + "_argument_bytes"));
  const auto* const version = static_cast<const u32*>(kernel->object.find(source.entry + "_api_version"));
  if (entry == nullptr || bytes == nullptr || version == nullptr) {
    throw input_error(fmt::format("{}: it has no SIMT_KERNEL({}, …)", source.file, source.entry));
  }
  if (*version != simt::simulator::api_version) {
    throw input_error(fmt::format("{}: {} was written for version {} of the simulator, this is version {}", source.file,
                                  (includes_ / "simt").string(), *version, simt::simulator::api_version));
  }
  kernel->entry = reinterpret_cast<void (*)(const void*)>(entry);
  kernel->argument_bytes = *bytes;
  kernel->properties.compile_ms = milliseconds_since(start);
  kernel->properties.from_cache = cached;
  kernel->properties.source_hash = source_hash;
  return kernel;
}

void kernel_compiler::make(const kernel_source& source, const fs::path& object) const {
  std::error_code failure;
  fs::create_directories(cache_, failure);
  if (failure) throw work_error(fmt::format("{}: cannot be made: {}", cache_.string(), failure.message()));
  const temporary_file made(object);
  std::vector<std::string> words = command(source);
  for (const fs::path& folder : {kernels_, includes_}) {
    words.push_back("-I" + folder.string());
    words.push_back(fmt::format("-fmacro-prefix-map={}/=", folder.string()));
  }
  words.insert(words.end(), {"-o", made.path().string(), (kernels_ / source.file).string()});
  const process_result result = run_process(words, compile_limit);
  if (result.timed_out) {
    throw compile_error(
        fmt::format("{}: the compiler took longer than {} minutes", source.file, compile_limit.count()));
  }
  if (result.exit_code != 0) throw compile_error(result.output);
  // Other processes may make the same file: each has its own until it is whole, and the last one wins.
  fs::rename(made.path(), object, failure);
  if (failure) throw work_error(fmt::format("{}: cannot be written: {}", object.string(), failure.message()));
}

}  // namespace mlmq::backends::simulator
