// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/device_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "problems/kernel/host_array.hpp"

namespace mlmq::kernel {
namespace {

constexpr std::uint8_t unwritten = 0xFF;  ///< NaN in every floating-point type

db::function_record record_of(const std::string& function, const backends::function_launch& launch,
                              const backends::function_properties& properties, const backends::kernel& variant,
                              const backends::device_info& device) {
  db::function_record record;
  record.name = function;
  if (!device.modelled) {
    record.registers = static_cast<int>(properties.registers);
    record.local_bytes = properties.local_bytes;
  }
  record.shared_bytes = properties.shared_bytes + launch.shared_bytes;
  const auto threads = static_cast<unsigned>(launch.block.count());
  const unsigned warps = (threads + device.warp_size - 1) / device.warp_size;
  const unsigned blocks = variant.blocks_per_multiprocessor(launch.function, threads, launch.shared_bytes);
  if (device.warp_slots > 0) record.occupancy = std::min(1.0, static_cast<double>(blocks * warps) / device.warp_slots);
  return record;
}

void add_resources(std::vector<db::function_record>& functions, const db::function_record& added) {
  const auto entry = std::ranges::find(functions, added.name, &db::function_record::name);
  if (entry == functions.end()) {
    functions.push_back(added);
    return;
  }
  entry->shared_bytes = std::max(entry->shared_bytes, added.shared_bytes);
  entry->occupancy = std::min(entry->occupancy, added.occupancy);
}

}  // namespace

void device_arrays::fit(const bindings& values, const device_arrays* unmodified) {
  arrays_.resize(kernel_.arrays.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const array_definition& array = kernel_.arrays[i];
    resident& placed = arrays_[i];
    const element_type& type = values.type(array.type);
    const std::size_t count = values.whole_number(array.count, 1, most_elements);
    if (placed.type == &type && placed.count == count) continue;
    const std::size_t bytes = count * type.element_bytes();
    placed = {};
    const resident* same = unmodified == nullptr ? nullptr : &unmodified->arrays_.at(i);
    if (same != nullptr && (same->type != &type || same->count != count)) same = nullptr;
    if (array.role != array_role::out && (same == nullptr || array.is_symbol)) {
      placed.contents = same != nullptr ? same->contents : initial_contents(array, type, count, kernel_.folder);
    }
    if (!array.is_symbol) {
      placed.memory = device_.allocate(bytes, "array " + array.name);
      placed.address = placed.memory.address();
      if (array.role != array_role::out) {
        if (same != nullptr) {
          device_.copy(placed.memory, same->memory, bytes);
        } else {
          device_.upload(placed.memory, placed.contents.data(), bytes);
        }
      }
    }
    if (array.role == array_role::inout) {
      placed.unmodified = device_.allocate(bytes, "contents of array " + array.name);
      device_.copy(placed.unmodified, placed.memory, bytes);
    }
    placed.type = &type;
    placed.count = count;
  }
}

void device_arrays::upload_all() {
  for (resident& array : arrays_) {
    if (array.memory.address() == nullptr || array.contents.empty()) continue;
    device_.upload(array.memory, array.contents.data(), array.contents.size());
    if (array.unmodified.address() != nullptr) {
      device_.upload(array.unmodified, array.contents.data(), array.contents.size());
    }
  }
}

void device_arrays::restore_written() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    resident& array = arrays_[i];
    const array_role role = kernel_.arrays[i].role;
    if (role == array_role::out) device_.fill(array.memory, 0, array.memory.bytes(), unwritten);
    if (role == array_role::inout) device_.copy(array.memory, array.unmodified, array.memory.bytes());
  }
}

void device_arrays::upload_symbols(const backends::kernel& variant, missing_symbol missing) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!kernel_.arrays[i].is_symbol) continue;
    const std::string& name = kernel_.arrays[i].name;
    const std::vector<std::byte>& contents = arrays_[i].contents;
    try {
      const backends::device_memory variable = device_.symbol(variant, name);
      if (variable.bytes() < contents.size()) {
        throw backends::launch_error(fmt::format("the variable {} has {} bytes, but its contents have {}", name,
                                                 variable.bytes(), contents.size()));
      }
      device_.upload(variable, contents.data(), contents.size());
    } catch (const input_error& error) {
      if (missing == missing_symbol::is_error)
        throw backends::launch_error(error.what());  // other variants may have it
    }
  }
}

std::vector<std::byte> device_arrays::download(std::size_t array) {
  std::vector<std::byte> results(arrays_.at(array).memory.bytes());
  device_.download(results.data(), arrays_[array].memory, results.size());
  return results;
}

bound_launches::bound_launches(const std::vector<launch_definition>& launches, const definition& kernel,
                               const bindings& values, const std::vector<std::string>& functions,
                               const backends::kernel& variant, const backends::device_info& device,
                               device_arrays& arrays) {
  const auto store_scalar = [&](const scalar_definition& scalar) -> void* {
    const element_type& type = values.type(scalar.type);
    auto& stored = scalars_.emplace_back(std::make_unique<std::array<std::byte, 32>>());
    const double value = values.number(scalar.value).real();
    for (std::size_t i = 0; i < type.numbers; ++i) write_number(type, stored->data(), i, value);
    if (type.kind != number_kind::real && read_number(type, stored->data(), 0) != value) {
      throw backends::launch_error(fmt::format("{}'{}' is {}, which {} cannot hold", scalar.value.place.prefix(),
                                               scalar.value.text, value, type.name));
    }
    return stored->data();
  };
  for (const launch_definition& launch : launches) {
    bound& added = launches_.emplace_back();
    const std::string function = values.substituted(launch.function.text);
    added.spec.function =
        static_cast<std::size_t>(std::find(functions.begin(), functions.end(), function) - functions.begin());
    added.spec.block = values.extent(launch.block);
    added.spec.grid = values.extent(launch.grid);
    added.spec.cluster = values.extent(launch.cluster);
    added.spec.shared_bytes =
        values.whole_number(launch.shared_bytes, 0, std::max<std::uint64_t>(device.shared_bytes_per_block, 1));
    added.spec.cooperative = launch.is_cooperative;
    const backends::function_properties properties = variant.properties_of(added.spec.function);
    const unsigned most_threads = properties.most_threads;
    if (added.spec.block.count() > most_threads) {
      throw backends::launch_error(fmt::format("{}: a block of {}x{}x{} threads; {} allows {} threads per block",
                                               function, added.spec.block.x, added.spec.block.y, added.spec.block.z,
                                               device.name, most_threads));
    }
    add_resources(functions_, record_of(function, added.spec, properties, variant, device));
    for (const argument& passed : launch.arguments) {
      added.arguments.push_back(passed.is_array ? static_cast<void*>(arrays.address(passed.position))
                                                : store_scalar(kernel.scalars.at(passed.position)));
    }
  }
  for (bound& launch : launches_) launch.spec.arguments = launch.arguments;
}

void bound_launches::launch(backends::backend& device, const backends::kernel& variant) const {
  for (const bound& launch : launches_) device.launch_function(variant, launch.spec);
}

}  // namespace mlmq::kernel
