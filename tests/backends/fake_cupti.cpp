// SPDX-License-Identifier: Apache-2.0
// A library with CUPTI's functions and one chip, which tests open instead of CUPTI. It counts in two passes: the value
// of a metric is the length of its name plus the number of ranges. Calls in another order than CUPTI's, and parameters
// of another size, fail. $MLMQ_FAKE_CUPTI=forbidden: as when only administrators may count.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int invalid_parameter = 1;
constexpr int invalid_operation = 7;
constexpr int invalid_metric = 17;
constexpr int no_privileges = 35;

enum class stage { idle, enabled, configured, started, in_range };
stage now = stage::idle;
int ranges = 0;
std::size_t metrics = 0;
int host_here = 0;
int profiler_here = 0;
std::uint8_t* data = nullptr;

/// The first fields of all parameters.
struct header {
  std::size_t size;
  void* reserved;
};
bool has_size(const header* params, std::size_t expected) {
  return params->size == expected && params->reserved == nullptr;
}
/// Returns the field at an offset.
template <class Field>
Field& field(header* params, std::size_t offset) {
  return *reinterpret_cast<Field*>(reinterpret_cast<std::byte*>(params) + offset);
}

/// Goes from one stage to the next.
int advance(header* params, std::size_t size, stage before, stage next) {
  if (!has_size(params, size) || field<void*>(params, 16) != &profiler_here) return invalid_parameter;
  if (now != before) return invalid_operation;
  now = next;
  return success;
}

}  // namespace

extern "C" {
int cuptiGetResultString(int code, const char** text) {
  *text = code == invalid_metric ? "CUPTI_ERROR_INVALID_METRIC_NAME" : "CUPTI_ERROR_OTHER";
  return success;
}
int cuptiProfilerInitialize(header* params) { return has_size(params, 16) ? success : invalid_parameter; }
int cuptiDeviceGetChipName(header* params) {
  if (!has_size(params, 32) || field<std::size_t>(params, 16) != 0) return invalid_parameter;
  field<const char*>(params, 24) = "GF1";
  return success;
}
int cuptiProfilerGetCounterAvailability(header* params) {
  const char* const mode = std::getenv("MLMQ_FAKE_CUPTI");
  if (mode != nullptr && std::strcmp(mode, "forbidden") == 0) return no_privileges;
  if (!has_size(params, 40)) return invalid_parameter;
  field<std::size_t>(params, 24) = 3;
  if (auto* const image = field<std::uint8_t*>(params, 32); image != nullptr) std::memcpy(image, "abc", 3);
  return success;
}
int cuptiProfilerHostInitialize(header* params) {
  if (!has_size(params, 48) || std::strcmp(field<const char*>(params, 24), "GF1") != 0 ||
      std::memcmp(field<const std::uint8_t*>(params, 32), "abc", 3) != 0) {
    return invalid_parameter;
  }
  field<void*>(params, 40) = &host_here;
  metrics = 0;
  return success;
}
int cuptiProfilerHostDeinitialize(header* params) { return has_size(params, 24) ? success : invalid_parameter; }
int cuptiProfilerHostConfigAddMetrics(header* params) {
  if (!has_size(params, 40) || field<void*>(params, 16) != &host_here) return invalid_parameter;
  const char* const mode = std::getenv("MLMQ_FAKE_CUPTI");
  for (std::size_t i = 0; i < field<std::size_t>(params, 32); ++i) {
    if (mode != nullptr && std::strcmp(mode, field<const char**>(params, 24)[i]) == 0) return invalid_metric;
    ++metrics;
  }
  return success;
}
int cuptiProfilerHostGetConfigImageSize(header* params) {
  field<std::size_t>(params, 24) = metrics;
  return has_size(params, 32) ? success : invalid_parameter;
}
int cuptiProfilerHostGetConfigImage(header* params) {
  if (!has_size(params, 40) || field<std::size_t>(params, 24) != metrics) return invalid_parameter;
  std::memset(field<std::uint8_t*>(params, 32), 7, metrics);
  return success;
}
int cuptiProfilerHostEvaluateToGpuValues(header* params) {
  if (!has_size(params, 72) || now != stage::configured) return invalid_operation;
  const std::uint8_t counted = field<const std::uint8_t*>(params, 24)[0];
  for (std::size_t i = 0; i < field<std::size_t>(params, 56); ++i) {
    const std::size_t length = std::strlen(field<const char**>(params, 48)[i]);
    field<double*>(params, 64)[i] = static_cast<double>(length + counted);
  }
  return success;
}
int cuptiRangeProfilerEnable(header* params) {
  if (!has_size(params, 32) || now != stage::idle) return invalid_operation;
  field<void*>(params, 24) = &profiler_here;
  now = stage::enabled;
  return success;
}
int cuptiRangeProfilerDisable(header* params) {
  now = stage::idle;
  return has_size(params, 24) ? success : invalid_parameter;
}
int cuptiRangeProfilerGetCounterDataSize(header* params) {
  if (!has_size(params, 64) || field<std::size_t>(params, 32) != metrics || field<std::size_t>(params, 40) != 1 ||
      field<std::uint32_t>(params, 48) != 1) {
    return invalid_parameter;
  }
  field<std::size_t>(params, 56) = 4;
  return success;
}
int cuptiRangeProfilerCounterDataImageInitialize(header* params) {
  if (!has_size(params, 40) || field<std::size_t>(params, 24) != 4) return invalid_parameter;
  std::memset(field<std::uint8_t*>(params, 32), 0, 4);
  return success;
}
int cuptiRangeProfilerSetConfig(header* params) {
  constexpr int user_range = 2;
  constexpr int user_replay = 3;
  if (field<std::size_t>(params, 24) != metrics || field<const std::uint8_t*>(params, 32)[0] != 7 ||
      field<int>(params, 56) != user_range || field<int>(params, 60) != user_replay) {
    return invalid_parameter;
  }
  ranges = 0;
  data = field<std::uint8_t*>(params, 48);
  return advance(params, 90, stage::enabled, stage::configured);
}
int cuptiRangeProfilerStart(header* params) { return advance(params, 24, stage::configured, stage::started); }
int cuptiRangeProfilerPushRange(header* params) {
  if (field<const char*>(params, 24) == nullptr) return invalid_parameter;
  return advance(params, 32, stage::started, stage::in_range);
}
int cuptiRangeProfilerPopRange(header* params) {
  ++ranges;
  return advance(params, 24, stage::in_range, stage::started);
}
int cuptiRangeProfilerStop(header* params) {
  field<std::uint8_t>(params, 40) = ranges == 2 ? 1 : 0;
  return advance(params, 41, stage::started, stage::configured);
}
int cuptiRangeProfilerDecodeData(header* params) {
  if (ranges != 2) return invalid_operation;
  data[0] = 2;
  return advance(params, 32, stage::configured, stage::configured);
}
}
