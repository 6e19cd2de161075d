// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/thread_team.hpp"

namespace mlmq::backends {
namespace {

bool is_of(const std::string& selector, const device_kind& kind) {
  return selector == kind.name || selector.starts_with(kind.name + ":");
}

const device_kind& kind_of(const std::string& selector) {
  std::string selectors = "auto";
  for (const device_kind& kind : device_kinds()) {
    if (is_of(selector, kind)) return kind;
    selectors += ", " + kind.selectors;
  }
  throw input_error("unknown device '" + selector + "'; expected one of " + selectors);
}

/// Returns the devices that "auto" stands for.
std::vector<std::string> automatic() {
  for (const device_kind& kind : device_kinds()) {
    if (kind.preference == 0) continue;
    if (std::vector<std::string> devices = kind.list(); !devices.empty()) return devices;
  }
  throw input_error("device 'auto': no device was found");
}

/// Returns the devices that one entry of a list stands for.
std::vector<std::string> devices_of(const std::string& selector) {
  if (selector == "auto") return automatic();
  const device_kind& kind = kind_of(selector);
  if (selector != kind.name + ":all") return {kind.canonical(selector)};
  std::vector<std::string> devices = kind.list();
  if (devices.empty()) {
    static_cast<void>(kind.open(kind.name));  // throws the reason why no device was found
    throw input_error("device '" + selector + "': no device was found");
  }
  return devices;
}

}  // namespace

device_memory backend::borrow(void* /*address*/, std::size_t /*bytes*/, const std::string& name) {
  throw input_error(name + ": " + info().selector + " does not support memory that the caller has allocated");
}

void backend::read(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) {
  throw work_error(info().selector + ": reading memory of the caller is not supported");
}

void backend::wait_for_stream(void* stream) {
  if (stream != nullptr) throw input_error(info().selector + " has no streams: the stream must be null");
}

void backend::launch_function(const kernel& /*variant*/, const function_launch& /*spec*/) {
  throw launch_error(info().selector + " does not run plain CUDA C++");
}

device_memory backend::symbol(const kernel& /*variant*/, const std::string& name) {
  throw input_error(name + ": " + info().selector + " does not run plain CUDA C++");
}

double backend::measure_and_download(const std::function<void()>& queue_work, std::span<const host_copy> copies) {
  const double milliseconds = measure(queue_work);
  for (const host_copy& copy : copies) download(copy.destination, *copy.source, copy.bytes);
  return milliseconds;
}

// Defaults for devices that use the host's memory.

void backend::copy(const device_memory& target, const device_memory& source, std::size_t bytes) {
  upload(target, source.address(), bytes);
}

void backend::upload_pieces(const device_memory& target, std::size_t bytes, const piece_writer& write) {
  const auto array = std::make_unique_for_overwrite<std::byte[]>(bytes);
  constexpr std::size_t block = std::size_t{1} << 20;
  static_assert(block % piece_alignment == 0);
  for_each_block(bytes, block, [&](std::size_t, std::size_t first, std::size_t last) {
    write(first, std::span(array.get() + first, last - first));
  });
  upload(target, array.get(), bytes);
}

host_memory backend::allocate_host(std::size_t bytes) {
  return {::operator new(bytes), [](void* memory) { ::operator delete(memory); }};
}

void backend::download_concurrently(void* target, const device_memory& source, std::size_t offset, std::size_t bytes) {
  if (bytes != 0) std::memcpy(target, source.as<std::byte>() + offset, bytes);
}

std::unique_ptr<backend> open_device(const std::string& selector) {
  const std::string device = selector == "auto" ? automatic().front() : selector;
  return kind_of(device).open(device);
}

device_info inspect_device(const std::string& selector) {
  const std::string device = selector == "auto" ? automatic().front() : selector;
  return kind_of(device).inspect(device);
}

std::vector<std::string> list_devices(const std::string& selectors, unsigned workers) {
  std::vector<std::string> devices;
  for (const std::string& selector : split(selectors, ',')) {
    for (const std::string& device : devices_of(selector)) {
      if (std::find(devices.begin(), devices.end(), device) != devices.end()) {
        throw input_error("device '" + selectors + "': " + device + " is listed twice");
      }
      devices.push_back(device);
    }
  }
  if (workers == 0) return devices;
  std::vector<std::string> several;
  for (const std::string& device : devices) {
    if (!kind_of(device).traits.modelled) {
      throw input_error("device '" + device + "' has one worker: --workers is for the simulator");
    }
    several.insert(several.end(), workers, device);
  }
  return several;
}

std::vector<std::string> list_search_devices(const std::string& selectors) {
  std::vector<std::string> entries = split(selectors, ',');
  if (std::ranges::find(entries, "auto") != entries.end() && kind_of(automatic().front()).traits.modelled)
    std::ranges::replace(entries, "auto", processors_selector());
  return list_devices(fmt::format("{}", fmt::join(entries, ",")));
}

device_traits traits_of(const std::string& selector) {
  const std::string first = list_devices(selector).front();
  return traits_of_kind(first.substr(0, first.find(':')));
}

std::string unfit_block_reason(unsigned threads, const device_info& device) {
  if (threads % device.warp_size != 0) {
    return fmt::format("threads={}: a block consists of whole warps of {}", threads, device.warp_size);
  }
  if (threads > device.warp_slots * device.warp_size) {
    return fmt::format("threads={}: a multiprocessor of {} holds {} threads", threads, device.name,
                       device.warp_slots * device.warp_size);
  }
  return "";
}

std::vector<backend_report> report_backends() {
  std::vector<backend_report> reports;
  for (const device_kind& kind : device_kinds()) reports.push_back(kind.report());
  return reports;
}

std::vector<std::string> parameter_types(const std::string& mangled_name) {
  const std::string name = demangled(mangled_name);
  const std::string_view text = name;
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos) return {};
  std::size_t open = close;
  for (int depth = 0; open > 0; --open) {
    if (text[open] == ')') ++depth;
    if (text[open] == '(' && --depth == 0) break;
  }
  std::vector<std::string> types;
  std::string type;
  int depth = 0;
  for (const char c : text.substr(open + 1, close - open - 1)) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      types.push_back(std::exchange(type, ""));
    } else if (c != ' ' || !type.empty()) {
      type += c;
    }
  }
  if (!type.empty() && type != "void") types.push_back(type);
  return types;
}

std::string kernel_folder() {
  namespace fs = std::filesystem;
  if (const char* folder = std::getenv("MLMQ_KERNELS"); folder != nullptr) return folder;
  const fs::path installed = module_folder() / ".." / "share" / "mlmq" / "kernels";
  if (fs::is_directory(installed)) return fs::canonical(installed).string();
  return MLMQ_SOURCE_KERNELS;
}

std::vector<std::string> search_folders(const kernel_source& variant) {
  if (variant.folder.empty()) return {kernel_folder()};
  return {variant.folder, kernel_folder()};
}

}  // namespace mlmq::backends
