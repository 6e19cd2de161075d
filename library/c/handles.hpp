// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of mlmq/mlmq.h, and how its functions fail.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
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
  std::function<bool()> exact = [] { return true; };
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
  std::size_t count;  ///< of distances
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
struct mlmq_phold_simulator {
  mlmq::phold_simulator value;
};
struct mlmq_phold_run {
  mlmq::phold_run value;
  mlmq_summary summary;
};

namespace mlmq::c {

/// Thrown where a callback wants to stop.
struct stopped {};

/// The status of the exception that is being handled; its message is mlmq_last_error() from now on.
[[nodiscard]] mlmq_status note_failure() noexcept;

/// The token of the stop source that this thread has attached.
[[nodiscard]] const std::stop_token& attached_token() noexcept;

/// Does `work`; no exception leaves.
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

/// @throws input_error when it is NULL
template <class Pointer>
Pointer required(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw input_error(fmt::format("{}: NULL, expected a pointer to something", name));
  return pointer;
}

/// Elements `first` to `first + count - 1`. @throws input_error when there are some, and no pointer
template <class T>
[[nodiscard]] std::span<T> span_of(T* first, std::size_t count, const char* name) {
  if (count > 0) required(first, name);
  return {first, count};
}

/// @throws input_error for a size that no version of the structure has had
void check_struct_size(std::size_t size, std::size_t smallest, const char* name);

/// The structure that the caller's program knows: what it does not know is as in `defaults`.
/// @param smallest its size in the first version that had it: the offset of what was added since
/// @throws input_error for one that was not initialised, or that sets what this library does not know
template <class Struct>
[[nodiscard]] Struct taken(const Struct* given, Struct defaults, std::size_t smallest, const char* name) {
  if (given == nullptr) return defaults;
  const std::size_t size = given->struct_size;
  check_struct_size(size, smallest, name);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char b) { return b != 0; })) {
    throw input_error(
        fmt::format("{}: sets what libmlmq {} does not have: made for a newer one", name, library_version()));
  }
  std::memcpy(&defaults, given, std::min(size, sizeof(Struct)));
  return defaults;
}

/// Writes as much of `value` as the caller's program knows.
template <class Struct>
void give(Struct* to, Struct value, std::size_t smallest, const char* name) {
  const std::size_t size = required(to, name)->struct_size;
  check_struct_size(size, smallest, name);
  value.struct_size = size;
  std::memcpy(to, &value, std::min(size, sizeof(Struct)));
}

/// What an init function does.
template <class Struct>
void init(Struct* to, std::size_t size, Struct defaults) noexcept {
  if (to == nullptr || size < sizeof defaults.struct_size) return;
  defaults.struct_size = size;
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(to, &defaults, std::min(size, sizeof(Struct)));
}

/// @throws input_error for neither 0 nor 1
[[nodiscard]] bool truth(int value, const char* name);

[[nodiscard]] std::vector<std::string> texts(const char* const* first, std::size_t count);
[[nodiscard]] mlmq::model model_or_standard(const mlmq_model* given);

/// "uint32", "float32", "float64".
[[nodiscard]] const char* name_of(number_type type) noexcept;
[[nodiscard]] mlmq_number_type type_of(number_type type);
/// @throws input_error when there is no such type
[[nodiscard]] number_type type_of(mlmq_number_type type);

/// Calls `work` with a span of `count` numbers of this type at `data`.
/// @throws input_error as span_of() and type_of()
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

/// A copy of the text for mlmq_free().
[[nodiscard]] char* owned_text(const std::string& text);

/// What mlmq_…_check() gives: nothing for "".
void give_message(char** message, const std::string& text);

/// What mlmq_…_path() gives.
template <class To, class From>
void give_path(const std::vector<From>& found, To* path, std::size_t capacity, std::size_t* count) {
  const std::span<To> out = span_of(path, capacity, "path");
  *required(count, "count") = found.size();
  for (std::size_t i = 0; i < std::min(found.size(), out.size()); ++i) {
    if constexpr (std::is_same_v<To, From>) {
      out[i] = found[i];
    } else {
      out[i] = {.x = found[i].x, .y = found[i].y};
    }
  }
}

}  // namespace mlmq::c
