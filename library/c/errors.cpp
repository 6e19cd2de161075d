// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <new>

#include "base/printable.hpp"
#include "library/c/handles.hpp"

namespace mlmq::c {
namespace {

/// The last error of this thread. `shown` is a literal if there was no memory for the message.
struct last_failure {
  std::string text;
  const char* shown = "";
};
thread_local last_failure last;

thread_local std::stop_token attached;

mlmq_status note(mlmq_status status, const char* message) noexcept {
  try {
    // Keep the compiler's log unabridged.
    last.text = status == MLMQ_COMPILE_ERROR ? message : with_short_quotes(message);
    last.shown = last.text.c_str();
  } catch (...) {
    last.shown = "not enough memory on this machine, not even for an error message";
  }
  return status;
}

}  // namespace

mlmq_status note_failure() noexcept {
  try {
    throw;
  } catch (const stopped&) {
    return note(MLMQ_STOPPED, "stopped by the callback");
  } catch (const stopped_error& error) {
    return note(MLMQ_STOPPED, error.what());
  } catch (const input_error& error) {
    return note(MLMQ_INPUT_ERROR, error.what());
  } catch (const unsuitable_error& error) {
    return note(MLMQ_UNSUITABLE_ERROR, error.what());
  } catch (const compile_error& error) {
    return note(MLMQ_COMPILE_ERROR, error.what());
  } catch (const memory_error& error) {
    return note(MLMQ_MEMORY_ERROR, error.what());
  } catch (const device_error& error) {
    return note(error.lost ? MLMQ_DEVICE_LOST : MLMQ_DEVICE_ERROR, error.what());
  } catch (const search_error& error) {
    switch (error.why) {
      case search_error::reason::time_limit:
        return note(MLMQ_TIME_LIMIT, error.what());
      case search_error::reason::queue_full:
        return note(MLMQ_QUEUE_FULL, error.what());
      case search_error::reason::failed:
        break;
    }
    return note(MLMQ_SEARCH_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return note(MLMQ_OUT_OF_MEMORY, "not enough memory on this machine");
  } catch (const std::length_error&) {
    return note(MLMQ_OUT_OF_MEMORY, "an array would exceed the largest size that this machine supports");
  } catch (const std::exception& error) {
    return note(MLMQ_WORK_ERROR, error.what());
  } catch (...) {
    return note(MLMQ_WORK_ERROR, "unknown error: an exception that does not derive from std::exception");
  }
}

const std::stop_token& attached_token() noexcept { return attached; }

void check_struct_size(std::size_t size, std::size_t smallest, const char* name) {
  // No structure of options is larger than this; a larger size means that struct_size was never set.
  constexpr std::size_t largest = 4096;
  if (size >= smallest && size <= largest) return;
  throw input_error(fmt::format("{}: invalid struct_size {}; call {}_init() first", name, size, name));
}

bool to_bool(int value, const char* name) {
  if (value == 0 || value == 1) return value == 1;
  throw input_error(fmt::format("{}: {}, expected 0 or 1", name, value));
}

std::vector<std::string> to_strings(const char* const* first, std::size_t count) {
  std::vector<std::string> result;
  for (const char* const text : span_of(first, count, "configurations")) {
    result.emplace_back(required(text, "configurations"));
  }
  return result;
}

model model_or_standard(const mlmq_model* selected) {
  return selected == nullptr ? model::standard() : selected->value;
}

const char* name_of(number_type type) noexcept {
  switch (type) {
    case number_type::uint32:
      return "uint32";
    case number_type::float32:
      return "float32";
    case number_type::float64:
      break;
  }
  return "float64";
}

mlmq_number_type type_of(number_type type) {
  switch (type) {
    case number_type::uint32:
      return MLMQ_UINT32;
    case number_type::float32:
      return MLMQ_FLOAT32;
    case number_type::float64:
      break;
  }
  return MLMQ_FLOAT64;
}

number_type type_of(mlmq_number_type type) {
  switch (type) {
    case MLMQ_UINT32:
      return number_type::uint32;
    case MLMQ_FLOAT32:
      return number_type::float32;
    case MLMQ_FLOAT64:
      return number_type::float64;
  }
  throw input_error(fmt::format("type: {} is not an mlmq_number_type", static_cast<int>(type)));
}

char* owned_text(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void write_message(char** message, const std::string& text) {
  *required(message, "message") = text.empty() ? nullptr : owned_text(text);
}

}  // namespace mlmq::c

using namespace mlmq::c;

const char* mlmq_last_error(void) { return last.shown; }

const char* mlmq_status_name(mlmq_status status) {
  static constexpr std::array names = {
      "ok",          "input_error", "work_error", "unsuitable_error", "compile_error", "memory_error", "device_error",
      "device_lost", "time_limit",  "queue_full", "search_error",     "out_of_memory", "stopped"};
  static_assert(names.size() == MLMQ_STOPPED + 1);
  const auto i = static_cast<std::size_t>(status);
  return i < names.size() ? names[i] : "unknown";
}

void mlmq_free(void* memory) { std::free(memory); }

mlmq_status mlmq_stop_source_create(mlmq_stop_source** source) {
  return guarded([&] {
    mlmq_stop_source*& result = *required(source, "source");  // checked before anything is allocated
    result = new mlmq_stop_source{};
  });
}

void mlmq_stop_source_free(mlmq_stop_source* source) { delete source; }

void mlmq_stop_source_attach(const mlmq_stop_source* source) {
  attached = source == nullptr ? std::stop_token() : source->value.get_token();
}

void mlmq_stop_source_request(mlmq_stop_source* source) { source->value.request_stop(); }
