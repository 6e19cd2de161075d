// SPDX-License-Identifier: Apache-2.0
// Implementation of the handles in mlmq/mlmq.h, and error handling of its functions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mlmq/mlmq.h"
#include "mlmq/mlmq.hpp"

struct mlmq_device {
  mlmq::device value;
};
struct mlmq_memory {
  std::shared_ptr<void> value;
};
struct mlmq_digraph {
  mlmq::digraph value;
};
struct mlmq_model {
  mlmq::model value;
};
struct mlmq_choice {
  mlmq::choice value;
};

struct mlmq_summary {
  /// A configuration that was tried.
  struct trial {
    std::string configuration;
    std::size_t searches = 0;
    double milliseconds = 0;
  };

  std::size_t searches = 0;
  mlmq_choice choice;
  mlmq::solve_times times;
  std::vector<std::pair<std::string, double>> counters = {};
  std::vector<mlmq::timeline_interval> timeline = {};
  std::vector<trial> tried = {};
  std::uint64_t digest = 0;
};

struct mlmq_stop_source {
  std::stop_source value;
};
struct mlmq_solver {
  mlmq::solver value;
  mlmq::digraph graph;
  mlmq::problem problem;
};
struct mlmq_solution {
  mlmq::solution value;
  std::size_t count;  ///< number of distances
  mlmq_summary summary;
};
struct mlmq_grid {
  mlmq::grid value;
};
struct mlmq_path_finder {
  mlmq::path_finder value;
};
struct mlmq_path_answers {
  mlmq::path_answers value;
  mlmq_summary summary;
};

namespace mlmq::c {

/// Thrown when a callback requests a stop.
struct stopped {};

/// Returns the status of the exception being handled, and stores its message for mlmq_last_error().
[[nodiscard]] mlmq_status note_failure() noexcept;

/// Returns the token of the stop source that this thread has attached.
[[nodiscard]] const std::stop_token& attached_token() noexcept;

/// Runs `work` and converts exceptions to a status.
template <class Work>
[[nodiscard]] mlmq_status guarded(const Work& work) noexcept {
  try {
    const stop_scope scope(attached_token());
    work();
    return MLMQ_OK;
  } catch (...) {
    return note_failure();
  }
}

/// @throws input_error if the pointer is NULL
template <class Pointer>
Pointer required(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw input_error(fmt::format("{}: NULL, expected a valid pointer", name));
  return pointer;
}

/// Returns a span of `count` elements. @throws input_error if `first` is NULL and `count` is not 0
template <class T>
[[nodiscard]] std::span<T> span_of(T* first, std::size_t count, const char* name) {
  if (count > 0) required(first, name);
  return {first, count};
}

/// @throws input_error for a size that no version of the structure has had
void check_struct_size(std::size_t size, std::size_t smallest, const char* name);

/// Returns the caller's structure, extended by `defaults` for members that the caller's version does not have.
/// @param smallest  size of the first version of the structure
/// @throws input_error if the structure is not initialised, or sets members that this library does not have
template <class Struct>
[[nodiscard]] Struct with_defaults(const Struct* caller_struct, Struct defaults, std::size_t smallest,
                                   const char* name) {
  if (caller_struct == nullptr) return defaults;
  const std::size_t size = caller_struct->struct_size;
  check_struct_size(size, smallest, name);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(caller_struct);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char b) { return b != 0; })) {
    throw input_error(
        fmt::format("{}: sets members that libmlmq {} does not have; the caller was built for a newer version", name,
                    library_version()));
  }
  std::memcpy(&defaults, caller_struct, std::min(size, sizeof(Struct)));
  return defaults;
}

/// Writes the members of `value` that the caller's version of the structure has.
template <class Struct>
void write_struct(Struct* caller_struct, Struct value, std::size_t smallest, const char* name) {
  const std::size_t size = required(caller_struct, name)->struct_size;
  check_struct_size(size, smallest, name);
  value.struct_size = size;
  std::memcpy(caller_struct, &value, std::min(size, sizeof(Struct)));
}

/// Implements the init functions.
template <class Struct>
void init_struct(Struct* caller_struct, std::size_t size, Struct defaults) noexcept {
  if (caller_struct == nullptr || size < sizeof defaults.struct_size) return;
  defaults.struct_size = size;
  std::memset(static_cast<void*>(caller_struct), 0, size);
  std::memcpy(caller_struct, &defaults, std::min(size, sizeof(Struct)));
}

/// @throws input_error unless the value is 0 or 1
[[nodiscard]] bool to_bool(int value, const char* name);

[[nodiscard]] std::vector<std::string> to_strings(const char* const* first, std::size_t count);
[[nodiscard]] mlmq::model model_or_standard(const mlmq_model* selected);

/// Returns "uint32", "float32" or "float64".
[[nodiscard]] const char* name_of(number_type type) noexcept;
[[nodiscard]] mlmq_number_type type_of(number_type type);
/// @throws input_error for an invalid type
[[nodiscard]] number_type type_of(mlmq_number_type type);

/// Calls `work` with a span of `count` numbers of this type at `data`.
/// @throws input_error like span_of() and type_of()
template <class Work>
auto with_numbers(mlmq_number_type type, void* data, std::size_t count, const char* name, const Work& work) {
  switch (type_of(type)) {
    case number_type::float32:
      return work(span_of(static_cast<float*>(data), count, name));
    case number_type::float64:
      return work(span_of(static_cast<double*>(data), count, name));
    case number_type::uint32:
      break;
  }
  return work(span_of(static_cast<std::uint32_t*>(data), count, name));
}

/// Returns a copy of the text that the caller frees with mlmq_free().
[[nodiscard]] char* owned_text(const std::string& text);

/// Implements mlmq_…_check(): writes NULL for an empty text.
void write_message(char** message, const std::string& text);

/// Implements mlmq_…_path().
template <class To, class From>
void write_path(const std::vector<From>& steps, To* path, std::size_t capacity, std::size_t* count) {
  const std::span<To> out = span_of(path, capacity, "path");
  *required(count, "count") = steps.size();
  for (std::size_t i = 0; i < std::min(steps.size(), out.size()); ++i) {
    if constexpr (std::is_same_v<To, From>) {
      out[i] = steps[i];
    } else {
      out[i] = {.x = steps[i].x, .y = steps[i].y};
    }
  }
}

}  // namespace mlmq::c
