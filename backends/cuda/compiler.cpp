// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cuda/compile_processes.hpp"
#include "backends/cuda/dynamic_library.hpp"
#include "backends/cuda/shipped_code.hpp"
#include "backends/no_compiler.hpp"
#include "base/code_cache.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/stopwatch.hpp"

#define MLMQ_NAME_OF(symbol) #symbol
#define MLMQ_BIND(member, symbol) library_.bind(member, MLMQ_NAME_OF(symbol))

namespace mlmq::backends {
namespace {

/// Returns the value of $MLMQ_NVRTC, or "".
std::string named_nvrtc() {
  const char* const named = std::getenv("MLMQ_NVRTC");
  return named == nullptr ? "" : named;
}

std::vector<std::string> nvrtc_candidates() {
  if (const std::string named = named_nvrtc(); !named.empty()) return {named};
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable); value != nullptr) folders.push_back(std::string(value) + "/lib64");
  }
  folders.emplace_back(MLMQ_CUDA_LIBRARY_FOLDER);
  folders.emplace_back("/usr/local/cuda/lib64");
  std::vector<std::string> names;
  for (const std::string& folder : folders) names.push_back(folder + "/libnvrtc.so");
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) names.emplace_back(name);
  return names;
}

/// Returns the folders with cuda_fp16.h, cooperative_groups.h and others, as far as they exist.
std::vector<std::string> toolkit_header_folders() {
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable); value != nullptr) homes.emplace_back(value);
  }
  homes.push_back(std::filesystem::path(MLMQ_CUDA_LIBRARY_FOLDER).parent_path().string());
  homes.emplace_back("/usr/local/cuda");
  for (const std::string& home : homes) {
    const std::filesystem::path headers = std::filesystem::path(home) / "include";
    if (!std::filesystem::exists(headers / "cuda_fp16.h")) continue;
    return {headers.string(), (headers / "cccl").string()};
  }
  return {};
}

/// Returns the identity of the toolkit's headers, which plain CUDA C++ may include.
const std::string& toolkit_hash() {
  static const std::string hash = [] {
    content_hash headers;
    for (const std::string& folder : toolkit_header_folders()) {
      for (const char* const header : {"cuda.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h",
                                       "cooperative_groups.h", "cub/version.cuh", "cuda/std/__cccl/version.h"}) {
        if (const auto file = std::filesystem::path(folder) / header; std::filesystem::exists(file)) {
          headers.add(file.string()).add(read_file(file));
        }
      }
    }
    return headers.hex();
  }();
  return hash;
}

class nvrtc {
 public:
  /// Returns NVRTC, opened by the first successful call. @throws work_error
  static const nvrtc& get() {
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<const nvrtc>> opened;
    const std::lock_guard lock(mutex);
    std::unique_ptr<const nvrtc>& library = opened[named_nvrtc()];
    if (library == nullptr) library.reset(new nvrtc);
    return *library;
  }

  decltype(::nvrtcVersion)* version;
  decltype(::nvrtcGetErrorString)* error_string;
  decltype(::nvrtcCreateProgram)* create_program;
  decltype(::nvrtcDestroyProgram)* destroy_program;
  decltype(::nvrtcCompileProgram)* compile_program;
  decltype(::nvrtcGetCUBINSize)* cubin_size;
  decltype(::nvrtcGetCUBIN)* cubin;
  decltype(::nvrtcGetProgramLogSize)* log_size;
  decltype(::nvrtcGetProgramLog)* log;
  decltype(::nvrtcAddNameExpression)* add_name_expression;
  decltype(::nvrtcGetLoweredName)* lowered_name;

  [[nodiscard]] bool is_at_least(int major, int minor) const {
    int is_major = 0;
    int is_minor = 0;
    check(version(&is_major, &is_minor), "NVRTC does not return its version");
    return std::pair(is_major, is_minor) >= std::pair(major, minor);
  }

  void check(nvrtcResult code, const char* operation) const {
    if (code != NVRTC_SUCCESS) throw work_error(std::string(operation) + ": " + error_string(code));
  }

 private:
  nvrtc() try : library_(nvrtc_candidates()) {
    MLMQ_BIND(version, nvrtcVersion);
    MLMQ_BIND(error_string, nvrtcGetErrorString);
    MLMQ_BIND(create_program, nvrtcCreateProgram);
    MLMQ_BIND(destroy_program, nvrtcDestroyProgram);
    MLMQ_BIND(compile_program, nvrtcCompileProgram);
    MLMQ_BIND(cubin_size, nvrtcGetCUBINSize);
    MLMQ_BIND(cubin, nvrtcGetCUBIN);
    MLMQ_BIND(log_size, nvrtcGetProgramLogSize);
    MLMQ_BIND(log, nvrtcGetProgramLog);
    MLMQ_BIND(add_name_expression, nvrtcAddNameExpression);
    MLMQ_BIND(lowered_name, nvrtcGetLoweredName);
  } catch (const work_error& error) {
    throw work_error(
        std::string("NVRTC cannot be opened; install the CUDA toolkit (12.4 or newer) or set CUDA_HOME: ") +
        error.what());
  }

  dynamic_library library_;
};

/// A program being compiled, destroyed with the object.
class program {
 public:
  program(const kernel_sources& sources, const std::string& name) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto& [header, text] : sources.headers) {
      names.push_back(header.c_str());
      texts.push_back(text.c_str());
    }
    nvrtc::get().check(nvrtc::get().create_program(&handle_, sources.text.c_str(), name.c_str(),
                                                   static_cast<int>(names.size()), texts.data(), names.data()),
                       "NVRTC cannot create a program");
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() { nvrtc::get().destroy_program(&handle_); }

  /// Compiles the program to machine code. Lines precede it: for each of `functions` its name in the machine code and a
  /// name with the types of its parameters. The latter differs if the function has C linkage.
  /// @param has_signatures  whether the program has the template that signature_template defines
  [[nodiscard]] std::string compile(const std::vector<std::string>& options, const std::vector<std::string>& functions,
                                    bool has_signatures) const {
    const nvrtc& api = nvrtc::get();
    const auto signature_of = [&](const std::string& function) {
      return has_signatures ? fmt::format("mlmq_signature<decltype(&{})>", function) : function;
    };
    for (const std::string& function : functions) {
      for (const std::string& name : {function, signature_of(function)}) {
        api.check(api.add_name_expression(handle_, name.c_str()), "NVRTC does not accept the name of a function");
      }
    }
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const nvrtcResult compiled = api.compile_program(handle_, static_cast<int>(pointers.size()), pointers.data());
    // A fault of the machine, not of the source.
    if (compiled == NVRTC_ERROR_OUT_OF_MEMORY) api.check(compiled, "NVRTC cannot compile");
    if (compiled != NVRTC_SUCCESS) {
      std::size_t size = 0;
      api.log_size(handle_, &size);
      std::string log(size, '\0');
      api.log(handle_, log.data());
      throw compile_error(log.c_str());
    }
    std::size_t size = 0;
    api.check(api.cubin_size(handle_, &size), "NVRTC does not return machine code");
    std::string cubin(size, '\0');
    api.check(api.cubin(handle_, cubin.data()), "NVRTC does not return machine code");
    std::string names;
    for (const std::string& function : functions) {
      const char* name = nullptr;
      api.check(api.lowered_name(handle_, function.c_str(), &name), "NVRTC does not know a function");
      names += std::string(name) + '\n';
      api.check(api.lowered_name(handle_, signature_of(function).c_str(), &name), "NVRTC does not know a function");
      // "_Z14mlmq_signatureI", the type, "Evv"
      const std::string_view signature = name;
      constexpr std::size_t before = 19;
      constexpr std::size_t after = 3;
      names += std::string(has_signatures ? signature.substr(before, signature.size() - before - after) : signature);
      names += '\n';
    }
    return names + cubin;
  }

 private:
  nvrtcProgram handle_ = nullptr;
};

/// A function whose mangled name contains the type of another one.
constexpr const char* signature_template = "\ntemplate <class Function>\n__global__ void mlmq_signature() {}\n";

/// Returns the options for plain CUDA C++. The toolkit's headers are those of the program's own toolkit.
std::vector<std::string> plain_cuda_options(const kernel_sources& sources, const std::string& architecture) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture};
  const auto sets_standard = [](const std::string& option) {
    return option.starts_with("--std") || option.starts_with("-std");
  };
  const std::vector<std::string>& chosen = sources.compiler_options;
  if (std::none_of(chosen.begin(), chosen.end(), sets_standard)) options.emplace_back("--std=c++17");
  options.insert(options.end(), chosen.begin(), chosen.end());
  for (const std::string& folder : toolkit_header_folders()) options.push_back("--include-path=" + folder);
  return options;
}

std::vector<std::string> options_for(const kernel_sources& sources, const kernel_source& variant,
                                     const std::string& architecture) {
  if (variant.is_plain_cuda()) return plain_cuda_options(sources, architecture);
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++20", "-default-device",
                                      "-DMLMQ_BLOCK_THREADS=" + std::to_string(variant.block_threads)};
  // --minimal omits the declarations of textures and of the runtime, which compiles slightly faster to the same code.
  // Kernels in other folders may need these declarations.
  if (variant.folder.empty() && nvrtc::get().is_at_least(12, 4)) options.emplace_back("--minimal");
  for (const auto& [name, value] : variant.defines) options.push_back("-D" + name + "=" + value);
  return options;
}

/// Returns the text that precedes a kernel of ours, which defines what a GPU has no instruction for.
std::string text_before(const kernel_source& variant, const std::string& architecture) {
  const bool has_reductions = std::strtoul(architecture.c_str() + architecture.find('_') + 1, nullptr, 10) >= 80;
  if (variant.is_plain_cuda() || has_reductions) return "";
  return kernel_sources::load(kernel_folder(), "simt/reduce_by_shuffles.cuh").text + "#line 1\n";
}

/// Compiles a variant. @throws compile_error
std::string compile(kernel_sources sources, const kernel_source& variant, const std::string& architecture) {
  bool has_signatures = false;
  if (variant.is_plain_cuda()) {
    std::string code = sources.text;
    for (const auto& [name, text] : sources.headers) code += text;
    // Names of functions with C linkage do not contain the types of parameters.
    has_signatures = code.find("\"C\"") != std::string::npos;
    sources.text = macros_after_headers(code, variant.defines) + "#line 1\n" + sources.text;
    if (has_signatures) sources.text += signature_template;
  } else {
    sources.text = text_before(variant, architecture) + sources.text;
  }
  return program(sources, variant.file)
      .compile(options_for(sources, variant, architecture), variant.functions, has_signatures);
}

/// @throws no_compiler naming the kernel that cannot be compiled
void require_nvrtc(const kernel_source& variant) {
  try {
    (void)nvrtc::get();
  } catch (const work_error& error) {
    throw no_compiler(
        fmt::format("{}, {} threads: this variant is neither in the cache nor shipped with the program. {}",
                    variant.file, variant.block_threads, error.what()));
  }
}

const code_cache& cubin_cache() {
  static const code_cache cache("cuda", ".cubin");
  return cache;
}

}  // namespace

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  nvrtc::get().check(nvrtc::get().version(&major, &minor), "NVRTC does not return its version");
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

std::string compiler_for(const std::string& architecture) {
  try {
    return nvrtc_version();
  } catch (const work_error&) {
    if (const auto shipped = shipped_for(architecture)) return shipped->compiler();
    throw;
  }
}

compiled_variant compile_for_gpu(const kernel_source& source, const std::string& architecture) {
  const auto start = std::chrono::steady_clock::now();
  kernel_source variant = source;
  // For compute-sanitizer's racecheck; simt/cuda.cuh describes the effect.
  if (std::getenv("MLMQ_RACECHECK") != nullptr) variant.defines.insert_or_assign("SIMT_RACECHECK", std::string(1, '1'));
  const kernel_sources sources = kernel_sources::load(search_folders(variant), variant);
  compiled_variant result;
  std::string toolchain = compiler_for(architecture) + " " + architecture;
  if (variant.is_plain_cuda()) toolchain += " with types " + toolkit_hash();
  toolchain += text_before(variant, architecture);
  result.hash = variant_hash(sources, variant, toolchain);
  std::optional<std::string> cached = cubin_cache().find(result.hash);
  if (!cached) cached = find_shipped(result.hash, architecture);
  if (cached) {
    result.cubin = std::move(*cached);
    result.from_cache = true;
  } else {
    require_nvrtc(variant);
    cached_code code = cubin_cache().find_or_make(result.hash, [&] {
      return compiles_in_processes() ? compile_elsewhere(variant, architecture)
                                     : compile(sources, variant, architecture);
    });
    result.cubin = std::move(code.bytes);
    result.from_cache = code.from_cache;
  }
  for (std::size_t i = 0; i < variant.functions.size(); ++i) {
    for (std::vector<std::string>* const names : {&result.functions, &result.signatures}) {
      const std::size_t end = result.cubin.find('\n');
      if (end == std::string::npos) throw work_error(variant.file + ": the cached code of this variant is damaged");
      names->push_back(result.cubin.substr(0, end));
      result.cubin.erase(0, end + 1);
    }
  }
  result.compile_ms = milliseconds_since(start);
  return result;
}

int serve_gpu_compilations() {
  return serve_compilations([](const kernel_source& variant, const std::string& architecture) {
    return compile(kernel_sources::load(search_folders(variant), variant), variant, architecture);
  });
}

void forget_variant(const std::string& hash) {
  cubin_cache().forget(hash);
  refuse_shipped(hash);
}

shipment ship_for_gpu(std::span<const kernel_source> kernels, const std::string& architecture,
                      const std::filesystem::path& folder, unsigned threads) {
  const auto start = std::chrono::steady_clock::now();
  shipment result{.file = machine_code_file(folder, architecture)};
  std::map<std::string, std::string> code;
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<std::size_t> next = 0;
  const auto compile_some = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++) {
      try {
        compiled_variant variant = compile_for_gpu(kernels[i], architecture);
        const std::lock_guard lock(mutex);
        code.insert_or_assign(variant.hash, std::move(variant.cubin));
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = kernels.size();
      }
    }
  };
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(compile_some);
    compile_some();
  }
  if (failure) std::rethrow_exception(failure);
  code_archive::write(result.file, compiler_for(architecture), architecture, code);
  reopen_shipped();
  result.kernels = code.size();
  result.bytes = std::filesystem::file_size(result.file);
  result.seconds = milliseconds_since(start) / 1000;
  return result;
}

}  // namespace mlmq::backends
