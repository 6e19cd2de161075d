// SPDX-License-Identifier: Apache-2.0
#include "cli/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace mlmq::cli {
namespace {

struct duration_unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<duration_unit, 5> duration_units = {
    {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};

/// Returns null for an unknown name.
const duration_unit* find_unit(std::string_view name) {
  for (const duration_unit& unit : duration_units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

const duration_unit& unit_named(std::string_view name) {
  const duration_unit* const unit = find_unit(name);
  if (unit == nullptr) throw std::logic_error(fmt::format("there is no unit '{}' of durations", name));
  return *unit;
}

struct parsed_duration {
  double number = 0;
  const duration_unit* unit = nullptr;
};

/// Parses a number with a unit.
std::optional<parsed_duration> parse_duration(std::string_view text) {
  parsed_duration result;
  const char* const text_end = text.data() + text.size();
  const auto [number_end, failure] = std::from_chars(text.data(), text_end, result.number);
  if (failure != std::errc() || !std::isfinite(result.number)) return std::nullopt;
  const std::string_view unit_name(number_end, static_cast<std::size_t>(text_end - number_end));
  result.unit = find_unit(unit_name);
  if (result.unit == nullptr) return std::nullopt;
  return result;
}

/// Formats a duration in the largest unit in which it is at least 1.
std::string duration_label(double value, const duration_unit& stored) {
  const double seconds = value * stored.seconds;
  const duration_unit* best = duration_units.begin();
  for (const duration_unit& unit : duration_units) {
    if (seconds >= unit.seconds) best = &unit;
  }
  return fmt::format("{:g}{}", seconds / best->seconds, best->name);
}

}  // namespace

CLI::Option* add_duration_option(CLI::App& command, const std::string& name, double& value,
                                 const duration_format& format, const std::string& description) {
  const duration_unit& stored = unit_named(format.stored_unit);
  const auto value_in = [&stored](const parsed_duration& duration) {
    return duration.unit == &stored ? duration.number : duration.number * (duration.unit->seconds / stored.seconds);
  };
  const bool zero_allowed = format.zero_allowed;
  CLI::Option* const option = command.add_option_function<std::string>(
      name, [&value, value_in](const std::string& text) { value = value_in(parse_duration(text).value()); },
      description);
  option->type_name("DURATION");
  option->check([value_in, zero_allowed](const std::string& text) -> std::string {
    const std::optional<parsed_duration> duration = parse_duration(text);
    const double stored_value = duration ? value_in(*duration) : -1;
    if (std::isfinite(stored_value) && (stored_value > 0 || (zero_allowed && stored_value == 0))) return "";
    return fmt::format("'{}' is not a duration {} 0, such as 10s, 4min or 2h", text, zero_allowed ? "from" : "above");
  });
  if (value > 0) option->default_str(duration_label(value, stored));
  return option;
}

}  // namespace mlmq::cli
