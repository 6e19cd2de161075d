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

struct flat_fit {
  std::size_t first_axis = 0;
  std::size_t axes = 0;
  std::size_t first_weight = 0;
  float least = 0;
  float most = 0;
  float least_items = 0;
};

std::string literal(const flat_fit& one) {
  using selector::literal;
  return fmt::format("{{{},{},{},{},{},{}}}", one.first_axis, one.axes, one.first_weight, literal(one.least),
                     literal(one.most), literal(one.least_items));
}

template <typename T>
std::string structs(std::string_view type, std::string_view name, const std::vector<T>& items) {
  std::string text = fmt::format("inline constexpr {} {}[] = {{\n", type, name);
  for (const T& item : items) text += "    " + literal(item) + ",\n";
  return text + "};\n";
}

/// All fits, one after the other: for each time that by size, then that by features.
struct flat_times {
  std::vector<flat_fit> fits;
  std::vector<axis> axes;
  std::vector<float> weights;

  void add(const time_fit& fit, const std::vector<std::size_t>& places) {
    fits.push_back({axes.size(), fit.features.size(), weights.size(), fit.least, fit.most, fit.least_items});
    for (std::size_t i = 0; i < fit.features.size(); ++i)
      axes.push_back({places.at(fit.features[i]), fit.centre[i], fit.scale[i], fit.low[i], fit.high[i]});
    weights.insert(weights.end(), fit.weights.begin(), fit.weights.end());
  }

  void add(const expected_time& time, const std::vector<std::size_t>& places) {
    add(time.by_size, {0, 1});
    add(time.by_features, places);
  }
};

constexpr std::string_view types = R"(
/// A feature of an expected time: where it is, centred, scaled, and kept within what was recorded.
struct time_axis {
  std::size_t value;
  float centre;
  float scale;
  float low;
  float high;
};
/// The logarithm of milliseconds for each vertex and edge, a polynomial of degree two in the axes.
struct time_fit {
  std::size_t first_axis;
  std::size_t axes;
  std::size_t first_weight;
  float least;
  float most;
  float least_items;
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

inline double expected(const time_fit& fit, const float* values, double items) {
  float place[most_time_axes + 1];
  const float* weight = time_weights + fit.first_weight;
  float sum = *weight++;
  for (std::size_t i = 0; i < fit.axes; ++i) {
    const time_axis& axis = time_axes[fit.first_axis + i];
    const float value = values[axis.value];
    const float at = value == value ? (time_position(value) - axis.centre) * axis.scale : 0.0F;
    place[i] = at < axis.low ? axis.low : at > axis.high ? axis.high : at;
    sum += *weight++ * place[i];
  }
  for (std::size_t i = 0; i < fit.axes; ++i) {
    for (std::size_t j = 0; j <= i; ++j) sum += *weight++ * (place[i] * place[j]);
  }
  sum = sum < fit.least ? fit.least : sum > fit.most ? fit.most : sum;
  const std::int32_t bits = static_cast<std::int32_t>((sum + 127.0F) * 0x1p23F);
  float rate = 0;
  std::memcpy(&rate, &bits, sizeof rate);
  const double least_items = static_cast<double>(fit.least_items);
  return static_cast<double>(rate) * (items < least_items ? least_items : items);
}

}  // namespace detail

/// The configuration for processors of an expected time; "" for the first, which is the device's.
constexpr const char* time_label(std::size_t i) { return detail::time_labels[i]; }

/// Expected milliseconds of the best candidate on the device and of each configuration for processors, as far as the
/// size of a graph tells. `milliseconds`: time_count of them.
inline void expected_by_size(double vertices, double edges, double* milliseconds) {
  const float size[] = {static_cast<float>(vertices), static_cast<float>(edges)};
  for (std::size_t i = 0; i < time_count; ++i)
    milliseconds[i] = detail::expected(detail::time_fits[2 * i], size, vertices + edges);
}

/// The same from its features: one for each of graph_feature_names; NaN: unknown.
inline void expected_times(const float* graph_features, double vertices, double edges, double* milliseconds) {
  for (std::size_t i = 0; i < time_count; ++i)
    milliseconds[i] = detail::expected(detail::time_fits[2 * i + 1], graph_features, vertices + edges);
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
  flat_times flat;
  std::vector<std::string> labels{""};
  if (times != nullptr) {
    check_times(*times);
    const std::vector<std::size_t> places = places_of(*times, asked);
    flat.add(times->device, places);
    for (const time_model::searcher& one : times->searchers) {
      flat.add(one.time, places);
      labels.push_back(one.label);
    }
  }
  const std::size_t count = times == nullptr ? 0 : labels.size();
  std::size_t most = 0;
  for (const flat_fit& fit : flat.fits) most = std::max(most, fit.axes);
  // An array cannot be empty: what nobody reads.
  if (flat.fits.empty()) flat.fits.push_back({});
  if (flat.axes.empty()) flat.axes.push_back({});
  if (flat.weights.empty()) flat.weights.push_back(0);
  std::string text =
      "/// Expected times: of the best candidate, then of configurations for processors. 0: it has none.\n";
  text += fmt::format("inline constexpr std::size_t time_count = {};\n", count);
  text += fmt::format("inline constexpr char time_problem[] = {};\n", literal(times == nullptr ? "" : times->problem));
  text += fmt::format("inline constexpr char time_processors[] = {};\n",
                      literal(times == nullptr ? "" : times->processors));
  text += calibration_text(times);
  text += "\nnamespace detail {\n";
  text += types;
  text += fmt::format("inline constexpr std::size_t most_time_axes = {};\n", most);
  text += array<std::string>("const char*", "time_labels", labels);
  text += "/// By size, then by features.\n" + structs("time_fit", "time_fits", flat.fits);
  text += structs("time_axis", "time_axes", flat.axes);
  text += array<float>("float", "time_weights", flat.weights);
  text += functions;
  return text;
}

}  // namespace mlmq::selector
