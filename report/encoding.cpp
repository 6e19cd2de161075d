// SPDX-License-Identifier: Apache-2.0
#include "report/encoding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace mlmq::report {
namespace {

/// @param text formats one entry
template <class Text>
std::string row_text(const table_row& row, const Text& text) {
  std::string result;
  std::size_t next = 0;
  for (const table_entry& entry : row.entries) {
    if (next > 0) result += ',';
    if (entry.configuration > next) result += fmt::format("~{},", entry.configuration - next);
    result += text(*entry.trial);
    next = entry.configuration + 1;
  }
  return result;
}

}  // namespace

std::string short_number(double value) {
  if (!std::isfinite(value)) return "";
  return fmt::format("{:.4g}", value == 0 ? 0 : value);
}

nlohmann::json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double near = std::strtod(short_number(value).c_str(), nullptr);
  if (near == std::floor(near) && std::abs(near) < 1e15) return static_cast<std::int64_t>(near);
  return near;
}

char letter_of(db::outcome failure) {
  switch (failure) {
    case db::outcome::timeout:
      return 't';
    case db::outcome::wrong_answer:
      return 'w';
    case db::outcome::overflow:
      return 'o';
    case db::outcome::crashed:
      return 'x';
    case db::outcome::compile_error:
      return 'k';
    case db::outcome::launch_error:
      return 'l';
    case db::outcome::constraint:
      return 'n';
    case db::outcome::ok:
      break;
  }
  throw std::invalid_argument("ok is no failure");
}

std::string times_text(const table_row& row) {
  return row_text(row, [](const db::finished_trial& trial) {
    if (trial.result == db::outcome::ok) return short_number(trial.median_ms.value_or(NAN));
    return letter_of(trial.result) + short_number(stopped_after(trial));
  });
}

std::string intervals_text(const table_row& row) {
  return row_text(row, [](const db::finished_trial& trial) -> std::string {
    const std::size_t samples = sample_count(trial);
    if (trial.result != db::outcome::ok || samples < 3 || !std::isfinite(trial.spread)) return "";
    // Like db::median_uncertainty(), computed from the recorded spread.
    const double half = 1.57 * trial.spread / std::sqrt(static_cast<double>(samples));
    return fmt::format("{:.0f}", std::round(half * 1000));
  });
}

std::size_t sample_count(const db::finished_trial& trial) {
  if (trial.samples > 0) return trial.samples;
  const auto environment = nlohmann::json::parse(trial.environment_json, nullptr, false);
  const auto dropped = environment.find("samples");
  if (dropped == environment.end() || !dropped->is_number_unsigned()) return 0;
  return dropped->get<std::size_t>();
}

}  // namespace mlmq::report
