// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/device_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "problems/kernel/host_array.hpp"

namespace mlmq::kernel {
namespace {

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

[[noreturn]] void refuse(const tuner::source_place& place, const std::string& name, const std::string& declared,
                         const std::string& function, const backends::function_parameter& parameter) {
  throw backends::launch_error(fmt::format("{}'{}' is {}, but {} has a parameter of type '{}' there", place.prefix(),
                                           name, declared, function, parameter.type));
}

/// Splits "float const*" into the type that it points to and whether that is const. Nothing for other types.
struct pointed_type {
  std::string name;
  bool is_const = false;
};
std::optional<pointed_type> pointed(std::string type) {
  if (!type.ends_with('*')) return std::nullopt;
  type.pop_back();
  pointed_type result;
  for (const std::string word : {" const", " volatile", " const"}) {
    if (!type.ends_with(word)) continue;
    type.resize(type.size() - word.size());
    result.is_const = result.is_const || word == " const";
  }
  result.name = std::move(type);
  return result;
}

/// Returns whether memory of one type may be accessed as the other: the numbers have one representation, up to the sign
/// of integers.
bool have_equal_numbers(const element_type& a, const element_type& b) {
  const bool differ_in_truths = (a.npy == "|b1") != (b.npy == "|b1");
  return a.bytes == b.bytes && !differ_in_truths && (a.kind == b.kind || (!a.is_real() && !b.is_real()));
}

/// @throws backends::launch_error unless an array of `type` is what the parameter points to. The types of structures
/// are
///   not known here, so a pointer to one takes any array.
void require_fit(const array_definition& array, const element_type& type, const std::string& function,
                 const backends::function_parameter& parameter) {
  const std::string declared = fmt::format("an array of {}", type.name);
  const std::optional<pointed_type> target = pointed(parameter.type);
  if (!target || target->name.ends_with('*')) refuse(array.place, array.name, declared, function, parameter);
  const element_type* const actual = find_type(target->name);
  if (actual != nullptr && !type.is_structure() && !have_equal_numbers(type, *actual)) {
    refuse(array.place, array.name, declared, function, parameter);
  }
}

/// @throws backends::launch_error unless a scalar with these contents is what the parameter takes
void require_fit(const scalar_definition& scalar, const bindings& values, const std::vector<std::byte>& contents,
                 const std::string& function, const backends::function_parameter& parameter) {
  const element_type& type = values.type(scalar.type);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (pointed(parameter.type)) {
    // A null pointer is passed as a whole number.
    if (contents.size() == sizeof(void*) && !type.is_real() && std::ranges::all_of(contents, is_zero)) return;
    refuse(scalar.place, scalar.name, fmt::format("a {} that is passed by value", type.name), function, parameter);
  }
  if (parameter.bytes != 0 && parameter.bytes != contents.size()) {
    refuse(scalar.place, scalar.name, fmt::format("a {} of {} bytes", type.name, contents.size()), function,
           {.type = fmt::format("{} with {} bytes", parameter.type, parameter.bytes)});
  }
  const element_type* const actual = find_type(parameter.type);
  if (actual == nullptr || type.is_structure()) return;
  const bool has_sign = read_number(type, contents.data(), 0) < 0 || read_number(*actual, contents.data(), 0) < 0;
  const bool changes_sign = has_sign && type.kind != actual->kind;
  if (!have_equal_numbers(type, *actual) || type.numbers != actual->numbers || changes_sign) {
    refuse(scalar.place, scalar.name, fmt::format("a {}", type.name), function, parameter);
  }
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

void device_arrays::restore_written(std::uint8_t pattern) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    resident& array = arrays_[i];
    const array_role role = kernel_.arrays[i].role;
    if (role == array_role::out) device_.fill(array.memory, 0, array.memory.bytes(), pattern);
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
  std::map<std::size_t, bool> is_written;  // by position of an array with a role other than in
  for (const launch_definition& launch : launches) {
    bound& added = launches_.emplace_back();
    const std::string function = values.substituted_in_code(launch.function.text);
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
    const auto text_of = [](const backends::extent& size) { return fmt::format("{},{},{} ", size.x, size.y, size.z); };
    identity_ += fmt::format("{} {}{}{}{} {}", added.spec.function, text_of(added.spec.block), text_of(added.spec.grid),
                             text_of(added.spec.cluster), added.spec.shared_bytes, added.spec.cooperative);
    const auto& parameters = properties.parameters;
    if (launch.arguments.size() != parameters.size()) {
      throw backends::launch_error(fmt::format("{}{} arguments are passed to {}, which has {} parameters",
                                               launch.function.place.prefix(), launch.arguments.size(), function,
                                               parameters.size()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const argument& passed = launch.arguments[i];
      if (passed.is_array) {
        require_fit(kernel.arrays.at(passed.position), arrays.type(passed.position), function, parameters[i]);
        added.arguments.push_back(arrays.address(passed.position));
        identity_ +=
            fmt::format(" {} {} {}", passed.position, arrays.type(passed.position).name, arrays.count(passed.position));
        const bool is_input = kernel.arrays[passed.position].role == array_role::in;
        const bool is_const = pointed(parameters[i].type)->is_const;
        if (is_input && !is_const) mutable_inputs_.insert(passed.position);
        if (!is_input) is_written[passed.position] = is_written[passed.position] || !is_const;
        continue;
      }
      const scalar_definition& scalar = kernel.scalars.at(passed.position);
      const std::vector<std::byte> contents = contents_of(scalar, values, kernel.folder);
      require_fit(scalar, values, contents, function, parameters[i]);
      auto& stored = scalars_.emplace_back(std::make_unique<std::byte[]>(contents.size()));
      std::ranges::copy(contents, stored.get());
      identity_ += ' ' + content_hash().add(std::span(contents)).hex();
      added.arguments.push_back(stored.get());
    }
  }
  for (bound& launch : launches_) launch.spec.arguments = launch.arguments;
  for (const auto& [position, is_mutable] : is_written) {
    const array_definition& array = kernel.arrays[position];
    // A reference need not write what is not compared.
    if (is_mutable || &launches != &kernel.launches) continue;
    throw backends::launch_error(
        fmt::format("{}'{}' is an array that is written, but only constant pointers to it are passed",
                    array.place.prefix(), array.name));
  }
}

void bound_launches::launch(backends::backend& device, const backends::kernel& variant) const {
  for (const bound& launch : launches_) device.launch_function(variant, launch.spec);
}

}  // namespace mlmq::kernel
