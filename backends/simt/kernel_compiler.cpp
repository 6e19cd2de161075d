// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/kernel_compiler.hpp"

#include <fmt/format.h>

#include <chrono>

#include "backends/kernel_sources.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/stopwatch.hpp"
#include "base/temporary_folder.hpp"
#include "kernels/simt/simulator_api.hpp"

namespace mlmq::backends::simulator {

namespace fs = std::filesystem;

kernel_compiler::kernel_compiler(fs::path kernels, fs::path includes)
    : kernels_(std::move(kernels)), includes_(std::move(includes)), compiler_(find_host_compiler()) {}

std::string kernel_compiler::name() const { return compiler_ ? compiler_->name() : std::string(); }

std::vector<std::string> kernel_compiler::folders_for(const kernel_source& source) const {
  std::vector<std::string> folders = {kernels_.string(), includes_.string()};
  if (!source.folder.empty()) folders.insert(folders.begin(), source.folder);
  return folders;
}

std::vector<std::string> kernel_compiler::command(const kernel_source& source) const {
  std::vector<std::string> words = compiler_->command;
  // Warnings of kernels belong in their tests, not in a sweep. Reports name files relative to their folder.
  for (const char* const option : {"-x", "c++", "-std=c++20", "-Og", "-w", "-shared", "-fPIC", "-fvisibility=hidden",
                                   "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off"}) {
    words.emplace_back(option);
  }
  words.push_back(fmt::format("-DMLMQ_BLOCK_THREADS={}", source.block_threads));
  for (const auto& [name, value] : source.defines) words.push_back(fmt::format("-D{}={}", name, value));
  return words;
}

std::shared_ptr<const loaded_kernel> kernel_compiler::compile(const kernel_source& source) const {
  const auto start = std::chrono::steady_clock::now();
  if (source.block_threads == 0 || source.block_threads % simt::warp_size != 0 || source.block_threads > 1024) {
    throw input_error(fmt::format("{}: {} threads per block, expected a multiple of 32 up to 1024", source.file,
                                  source.block_threads));
  }
  const std::vector<std::string> folders = folders_for(source);
  if (!fs::is_regular_file(fs::path(folders.front()) / source.file)) {
    throw input_error(fmt::format("{}: there is no such kernel file in {}", source.file, folders.front()));
  }
  require_compiler();
  const kernel_sources sources = kernel_sources::load(folders, source.file);
  const std::string source_hash = variant_hash(sources, source, "");
  content_hash key;
  key.add(source_hash).add(compiler_->version);
  for (const std::string& word : command(source)) key.add(word);
  // Parallel workers need the same variants at the same time.
  const cached_code code = cache_.find_or_make(key.hex(), [&] { return make(source); });
  auto kernel = std::make_shared<loaded_kernel>(
      loaded_kernel{.object = shared_object(code.bytes, source.file), .properties = {}});
  void* const entry = kernel->object.find(source.entry);
  const auto* const bytes = static_cast<const u32*>(kernel->object.find(source.entry + "_argument_bytes"));
  const auto* const version = static_cast<const u32*>(kernel->object.find(source.entry + "_api_version"));
  if (entry == nullptr || bytes == nullptr || version == nullptr) {
    throw input_error(fmt::format("{}: the file has no SIMT_KERNEL({}, …)", source.file, source.entry));
  }
  if (*version != simt::simulator::api_version) {
    throw input_error(fmt::format("{}: {} was written for version {} of the simulator, but this is version {}",
                                  source.file, (includes_ / "simt").string(), *version, simt::simulator::api_version));
  }
  kernel->entry = reinterpret_cast<void (*)(const void*)>(entry);
  kernel->argument_bytes = *bytes;
  kernel->properties.compile_ms = milliseconds_since(start);
  kernel->properties.from_cache = code.from_cache;
  kernel->properties.source_hash = source_hash;
  return kernel;
}

void kernel_compiler::require_compiler() const {
  if (compiler_) return;
  throw work_error(
      "simt: the simulator compiles kernels with this machine's C++ compiler, but found none that works: install the "
      "package g++, or set CXX");
}

std::string kernel_compiler::make(const kernel_source& source) const {
  const temporary_folder place("compile");
  const fs::path object = place.path() / "kernel.so";
  std::vector<std::string> words = command(source);
  const std::vector<std::string> folders = folders_for(source);
  for (const std::string& folder : folders) {
    words.push_back("-I" + folder);
    words.push_back(fmt::format("-fmacro-prefix-map={}/=", folder));
  }
  words.insert(words.end(), {"-o", object.string(), (fs::path(folders.front()) / source.file).string()});
  if (const auto errors = run_compiler(words, source.file)) throw compile_error(*errors);
  return read_file(object);
}

}  // namespace mlmq::backends::simulator
