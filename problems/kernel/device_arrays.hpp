// SPDX-License-Identifier: Apache-2.0
// The arrays of a kernel on one device, and the arguments of its launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/definition.hpp"

namespace mlmq::kernel {

inline constexpr std::uint8_t unwritten = 0xFF;  ///< pattern of unwritten bytes: NaN in every real type

/// What happens if a compiled variant has no variable of a symbol.
enum class missing_symbol { is_error, is_ignored };

/// All arrays of a definition, with their contents before a run.
class device_arrays {
 public:
  device_arrays(backends::backend& device, const definition& kernel) : device_(device), kernel_(kernel) {}

  /// Allocates and fills the arrays for these values; arrays that keep type and size keep their memory and contents.
  /// @param unmodified  arrays of the same definition with their contents before a run, which are copied where type and
  ///                    size are equal; null: none
  /// @throws backends::launch_error, backends::out_of_device_memory, input_error
  void fit(const bindings& values, const device_arrays* unmodified = nullptr);
  /// Uploads all contents again, after a run that may have written anywhere.
  void upload_all();
  /// Queues work that gives the written arrays their contents before a run. Arrays that are only written get a pattern,
  /// so that results of an earlier run are never taken for those of this one.
  void restore_written(std::uint8_t pattern = unwritten);
  /// Copies the contents of __constant__ and __device__ variables to a compiled variant.
  /// @throws backends::launch_error if a variable is smaller than its contents, or missing, unless that is ignored
  void upload_symbols(const backends::kernel& variant, missing_symbol missing);
  [[nodiscard]] std::vector<std::byte> download(std::size_t array);
  [[nodiscard]] const backends::device_memory& memory(std::size_t array) const { return arrays_.at(array).memory; }
  /// Returns the memory of an array, which these arrays no longer have.
  [[nodiscard]] backends::device_memory take(std::size_t array) { return std::move(arrays_.at(array).memory); }
  /// Returns the contents before a run; empty for arrays that are only written.
  [[nodiscard]] const std::vector<std::byte>& contents(std::size_t array) const { return arrays_.at(array).contents; }

  [[nodiscard]] const element_type& type(std::size_t array) const { return *arrays_.at(array).type; }
  [[nodiscard]] std::size_t count(std::size_t array) const { return arrays_.at(array).count; }
  /// Returns the place of the array's address, for arguments of launches.
  [[nodiscard]] void** address(std::size_t array) { return &arrays_.at(array).address; }

 private:
  struct resident {
    const element_type* type = nullptr;
    std::size_t count = 0;
    std::vector<std::byte> contents;     ///< before a run; empty for arrays that are only written
    backends::device_memory memory;      ///< none for symbols
    backends::device_memory unmodified;  ///< contents of an array that is read and written
    void* address = nullptr;
  };

  backends::backend& device_;
  const definition& kernel_;
  std::vector<resident> arrays_;
};

/// Launches of a kernel with evaluated sizes and arguments.
class bound_launches {
 public:
  /// @throws backends::launch_error if the variant cannot be launched so, or if number, types or sizes of the arguments
  ///   differ from the parameters of a function
  /// @throws input_error for a scalar's file
  bound_launches(const std::vector<launch_definition>& launches, const definition& kernel, const bindings& values,
                 const std::vector<std::string>& functions, const backends::kernel& variant,
                 const backends::device_info& device, device_arrays& arrays);

  /// Returns the resources of the launched functions; of a function that is launched several times, the largest ones.
  [[nodiscard]] std::vector<db::function_record> functions() const { return functions_; }

  /// Returns the arrays with 'role: in' that are passed as pointers to mutable numbers, by position.
  [[nodiscard]] const std::set<std::size_t>& mutable_inputs() const { return mutable_inputs_; }

  /// Returns a text that is equal for equal launches with equal arguments.
  [[nodiscard]] const std::string& identity() const { return identity_; }

  /// Queues all launches.
  void launch(backends::backend& device, const backends::kernel& variant) const;

 private:
  struct bound {
    backends::function_launch spec;
    std::vector<void*> arguments;
  };
  std::vector<std::unique_ptr<std::byte[]>> scalars_;  // contents that launches point to
  std::vector<bound> launches_;
  std::vector<db::function_record> functions_;
  std::set<std::size_t> mutable_inputs_;
  std::string identity_;
};

}  // namespace mlmq::kernel
