// SPDX-License-Identifier: Apache-2.0
#include "selector/export_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "selector/header_literals.hpp"

namespace mlmq::selector {
namespace {

struct axis {
  std::size_t value = 0;
  float centre = 0;
  float scale = 0;
  float low = 0;
  float high = 0;
};

std::string literal(const axis& one) {
  using selector::literal;
  return fmt::format("{{{},{},{},{},{}}}", one.value, literal(one.centre), literal(one.scale), literal(one.low),
                     literal(one.high));
}

template <typename T>
std::string structs(std::string_view type, std::string_view name, const std::vector<T>& items) {
  std::string text = fmt::format("inline constexpr {} {}[] = {{\n", type, name);
  for (const T& item : items) text += "    " + literal(item) + ",\n";
  return text + "};\n";
}

/// The arrays of one fit. An array cannot be empty: then it has something that nobody reads.
std::string fit_text(const std::string& name, const time_fit& fit, const std::vector<std::size_t>& places) {
  const auto numbers = [&](const char* what, std::vector<float> items) {
    if (items.empty()) items.push_back(0);
    return array<float>("float", name + what, items);
  };
  std::vector<axis> axes;
  for (std::size_t i = 0; i < fit.features.size(); ++i)
    axes.push_back({places.at(fit.features[i]), fit.centre[i], fit.scale[i], fit.low[i], fit.high[i]});
  std::string text = fmt::format(
      "inline constexpr std::size_t {0}_axis_count = {1};\ninline constexpr std::size_t {0}_landmark_count = {2};\n",
      name, axes.size(), fit.landmark_count());
  if (axes.empty()) axes.push_back({});
  text += structs("time_axis", name + "_axes", axes);
  text += numbers("_landmarks", fit.landmarks) + numbers("_weights", fit.weights);
  return text + numbers("_least", fit.least) + numbers("_most", fit.most) + numbers("_least_items", fit.least_items);
}

constexpr std::string_view types = R"(
/// A feature of an expected time: where it is, centred, scaled, and kept within what was recorded.
struct time_axis {
  std::size_t value;
  float centre;
  float scale;
  float low;
  float high;
};
)";

constexpr std::string_view functions = R"(
/// About log2(1 + value), made of the bits of a float.
inline float time_position(float value) {
  const float shifted = 1.0F + (value > 0 ? value : 0.0F);
  std::int32_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  return static_cast<float>(bits) * 0x1p-23F - 127.0F;
}

/// The logarithm of milliseconds for each vertex and edge is linear in the axes, plus what landmarks, graphs of the record,
/// deviate from that, as far as the graph is like them.
template <std::size_t axis_count, std::size_t landmark_count>
inline void expect(const float* known, double items, const time_axis* axes, const float* landmarks,
                   const float* coefficients, const float* least, const float* most, const float* least_items,
                   double* milliseconds) {
  float distance[landmark_count + 1] = {};
  float term[1 + axis_count + landmark_count] = {1};
  for (std::size_t f = 0; f < axis_count; ++f) {
    const time_axis& axis = axes[f];
    const float value = known[axis.value];
    const float at = value == value ? (time_position(value) - axis.centre) * axis.scale : 0.0F;
    const float place = at < axis.low ? axis.low : at > axis.high ? axis.high : at;
    term[1 + f] = place;
    for (std::size_t i = 0; i < landmark_count; ++i) {
      const float apart = place - landmarks[f * landmark_count + i];
      distance[i] += apart < 0 ? -apart : apart;
    }
  }
  for (std::size_t i = 0; i < landmark_count; ++i) {
    const float root = 1.0F / (1.0F + distance[i] * landmark_scale * 0.25F);
    const float square = root * root;
    term[1 + axis_count + i] = square * square;
  }
  float sum[time_count + 1] = {};
  for (std::size_t i = 0; i < time_count; ++i) sum[i] = coefficients[i];
  for (std::size_t t = 1; t < 1 + axis_count + landmark_count; ++t) {
    for (std::size_t i = 0; i < time_count; ++i) sum[i] += term[t] * coefficients[t * time_count + i];
  }
  for (std::size_t i = 0; i < time_count; ++i) {
    const float logarithm = sum[i] < least[i] ? least[i] : sum[i] > most[i] ? most[i] : sum[i];
    const std::int32_t bits = static_cast<std::int32_t>((logarithm + 127.0F) * 0x1p23F);
    float rate = 0;
    std::memcpy(&rate, &bits, sizeof rate);
    const double fewest = static_cast<double>(least_items[i]);
    milliseconds[i] = static_cast<double>(rate) * (items < fewest ? fewest : items);
  }
}

}  // namespace detail

/// The configuration for processors of an expected time; "" for the first, which is the device's.
constexpr const char* time_label(std::size_t i) { return detail::time_labels[i]; }

/// Expected milliseconds of the best candidate on the device and of each configuration for processors, as far as the
/// size of a graph tells. `milliseconds`: time_count of them.
inline void expected_by_size(double vertices, double edges, double* milliseconds) {
  const float size[] = {static_cast<float>(vertices), static_cast<float>(edges)};
  detail::expect<detail::size_axis_count, detail::size_landmark_count>(
      size, vertices + edges, detail::size_axes, detail::size_landmarks, detail::size_weights, detail::size_least,
      detail::size_most, detail::size_least_items, milliseconds);
}

/// The same from its features: one for each of graph_feature_names; NaN: unknown.
inline void expected_times(const float* graph_features, double vertices, double edges, double* milliseconds) {
  detail::expect<detail::time_axis_count, detail::time_landmark_count>(
      graph_features, vertices + edges, detail::time_axes, detail::time_landmarks, detail::time_weights,
      detail::time_least, detail::time_most, detail::time_least_items, milliseconds);
}
)";

std::string calibration_text(const time_model* times) {
  using selector::literal;
  std::string items;
  std::size_t count = 0;
  for (std::size_t i = 0; times != nullptr && i < times->searchers.size(); ++i) {
    for (const calibration& one : times->searchers[i].calibrations) {
      items += fmt::format("    {{{}, {}, {}, {}}},\n", i + 1, literal(one.graph), one.source,
                           shortest_decimal(one.milliseconds));
      ++count;
    }
  }
  if (count == 0) items = "    {0, \"\", 0, 0},\n";
  return fmt::format(
      "/// What a configuration took on the processors of the record, on a graph that any machine can make.\n"
      "struct calibration {{\n  std::size_t time;\n  const char* graph;\n  unsigned long long source;\n"
      "  double milliseconds;\n}};\ninline constexpr std::size_t calibration_count = {};\n"
      "inline constexpr calibration calibrations[] = {{\n{}}};\n",
      count, items);
}

std::vector<std::size_t> places_of(const time_model& times, std::span<const std::string> asked) {
  std::vector<std::size_t> places;
  for (const std::string& name : times.features) {
    const auto found = std::find(asked.begin(), asked.end(), name);
    if (found == asked.end())
      throw input_error(fmt::format(
          "selector model: its expected times need the feature '{}', which its choice does not ask for", name));
    places.push_back(static_cast<std::size_t>(found - asked.begin()));
  }
  return places;
}

}  // namespace

std::string times_text(const time_model* times, std::span<const std::string> asked) {
  std::vector<std::size_t> places;
  std::vector<std::string> labels{""};
  if (times != nullptr) {
    check_times(*times);
    places = places_of(*times, asked);
    for (const time_model::searcher& one : times->searchers) labels.push_back(one.label);
  }
  const time_model none;
  const time_model& expected = times == nullptr ? none : *times;
  std::string text =
      "/// Expected times: of the best candidate, then of configurations for processors. 0: it has none.\n";
  text += fmt::format("inline constexpr std::size_t time_count = {};\n", times == nullptr ? 0 : labels.size());
  text += fmt::format("inline constexpr char time_problem[] = {};\n", literal(expected.problem));
  text += fmt::format("inline constexpr char time_processors[] = {};\n", literal(expected.processors));
  text += fmt::format("inline constexpr unsigned time_processor_threads = {};\n", expected.processor_threads);
  text += calibration_text(times);
  text += "\nnamespace detail {\n";
  text += types;
  text += fmt::format("inline constexpr float landmark_scale = {};\n", literal(landmark_scale));
  text += array<std::string>("const char*", "time_labels", labels);
  text += "/// By size.\n" + fit_text("size", expected.by_size, {0, 1});
  text += "/// By features.\n" + fit_text("time", expected.by_features, places);
  text += functions;
  return text;
}

}  // namespace mlmq::selector
