// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/phold_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace mlmq::phold {
namespace {

using tuner::workload_input;

constexpr std::string_view word = "phold";
constexpr std::uint64_t most_entities = std::uint64_t{1} << 24;
constexpr std::uint64_t most_events = std::uint64_t{1} << 24;
constexpr std::uint64_t most_in_all = std::uint64_t{1} << 30;
constexpr double least_rate = 1e-6;
constexpr double most_rate = 1000;
constexpr double least_lookahead = 1e-3;
constexpr double most_lookahead = 1e5;
/// The longest delay that 64 random bits produce, in mean delays: 64 · ln 2.
constexpr double longest_delay = 44.4;

constexpr std::array options_of_models{
    tuner::named_meaning{"entities", "simulated entities, each with a queue [1024]"},
    tuner::named_meaning{"events", "average number of events per entity, which stays constant [128]"},
    tuner::named_meaning{"rate", "λ of the exponential delays, whose mean is 1 / rate [0.1]"},
    tuner::named_meaning{"lookahead", "minimum time between an event and the event that it creates [10]"},
    tuner::named_meaning{"seed", "random seed [1]"}};

std::vector<std::string> known_keys() {
  std::vector<std::string> names;
  for (const tuner::named_meaning& option : options_of_models) names.emplace_back(option.name);
  return names;
}

[[noreturn]] void refuse(const workload_input& input, const std::string& message) {
  throw input_error(fmt::format("{}'{}' is not a PHOLD model: {}", input.place.prefix(), input.generated, message));
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::uint64_t count_in(const workload_input& input, const std::string& name, const std::string& text,
                       std::uint64_t least, std::uint64_t most) {
  const auto number = number_in<std::uint64_t>(text);
  if (!number || *number < least || *number > most) {
    refuse(input, fmt::format("{} must be a whole number from {} to {}, got '{}'", name, least, most, text));
  }
  return *number;
}

double real_in(const workload_input& input, const std::string& name, const std::string& text, double least,
               double most) {
  const auto number = number_in<double>(text);
  if (!number || !(*number >= least && *number <= most)) {
    refuse(input, fmt::format("{} must be a number from {} to {}, got '{}'", name, shortest_decimal(least),
                              shortest_decimal(most), text));
  }
  return *number;
}

model_settings settings_in(const workload_input& input) {
  const std::vector<std::string> parts = split(input.generated, ':');
  if (parts.front() != word) refuse(input, "expected phold:entities=N:events=M:rate=R");
  model_settings settings;
  std::vector<std::string> seen;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string name = parts[i].substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : parts[i].substr(equals + 1);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) refuse(input, "'" + name + "' is given twice");
    seen.push_back(name);
    if (name == "entities") {
      settings.entities = count_in(input, name, text, 1, most_entities);
    } else if (name == "events") {
      settings.events = count_in(input, name, text, 1, most_events);
    } else if (name == "rate") {
      settings.rate = real_in(input, name, text, least_rate, most_rate);
    } else if (name == "lookahead") {
      settings.lookahead = real_in(input, name, text, least_lookahead, most_lookahead);
    } else if (name == "seed") {
      settings.seed = count_in(input, name, text, 0, INT64_MAX);
    } else {
      refuse(input, fmt::format("unknown option '{}'{}; known: {}", name, did_you_mean(name, known_keys()),
                                fmt::join(known_keys(), ", ")));
    }
  }
  if (settings.population() > most_in_all) {
    refuse(input, fmt::format("it has {} events, expected at most 2^30 in all", settings.population()));
  }
  return settings;
}

/// Returns the canonical name, without settings that have their default.
std::string name_of(const model_settings& settings, bool with_seed) {
  std::string name = fmt::format("{}:entities={}:events={}:rate={}", word, settings.entities, settings.events,
                                 shortest_decimal(settings.rate));
  const model_settings usual;
  if (settings.lookahead != usual.lookahead) name += ":lookahead=" + shortest_decimal(settings.lookahead);
  if (with_seed && settings.seed != usual.seed) name += fmt::format(":seed={}", settings.seed);
  return name;
}

/// Returns the fraction of its lifetime that an event is within one lookahead of its execution.
double share_in_window(const model_settings& settings) {
  const double delays = settings.lookahead * settings.rate;
  return delays / (1 + delays);
}

db::workload_record record_of(const model_settings& settings, const workload_input& input) {
  const auto entities = static_cast<double>(settings.entities);
  const auto events = static_cast<double>(settings.events);
  db::workload_record record;
  record.kind = word;
  record.hash = content_hash().add(word).add(name_of(settings, false)).add(std::to_string(settings.seed)).hex();
  record.name = input.name;
  record.workload_class = static_cast<double>(settings.events) * share_in_window(settings) < 1 ? "sparse" : "dense";
  record.bytes = settings.population() * sizeof(u64);
  record.family = input.family;
  record.features = {{"active_entities", entities * -std::expm1(-events * share_in_window(settings))},
                     {"bytes", static_cast<double>(record.bytes)},
                     {"entities", entities},
                     {"events", events},
                     {"events_per_window", static_cast<double>(settings.population()) * share_in_window(settings)},
                     {"lookahead", settings.lookahead},
                     {"lookahead_per_delay", settings.lookahead * settings.rate},
                     {"population", static_cast<double>(settings.population())},
                     {"rate", settings.rate},
                     {"share_in_window", share_in_window(settings)}};
  return record;
}

class models final : public tuner::workload_kind {
 public:
  [[nodiscard]] std::string name() const override { return std::string(word); }
  [[nodiscard]] std::span<const tuner::named_meaning> options() const override { return options_of_models; }
  [[nodiscard]] bool is_file(const std::filesystem::path& /*file*/) const override { return false; }
  [[nodiscard]] bool is_generated_by(std::string_view text) const override {
    return text == word || text.starts_with(std::string(word) + ':');
  }

  void describe(workload_input& input, std::span<const tuner::setting> settings) const override {
    if (!input.file.empty()) {
      throw input_error(
          fmt::format("{}'{}': PHOLD models cannot be read from files", input.place.prefix(), input.file));
    }
    for (const tuner::setting& setting : settings)
      input.generated += fmt::format(":{}={}", setting.name, setting.value());
    const model_settings parsed = settings_in(input);
    input.name = name_of(parsed, true);
    input.family = name_of(parsed, false);
    input.workload_class = static_cast<double>(parsed.events) * share_in_window(parsed) < 1 ? "sparse" : "dense";
  }

  [[nodiscard]] std::string size_unit() const override { return "events"; }

  [[nodiscard]] std::uint64_t expected_size(const workload_input& input) const override {
    return settings_in(input).population();
  }

  [[nodiscard]] std::unique_ptr<tuner::workload> load(const workload_input& input) const override {
    auto loaded = std::make_unique<phold_workload>();
    loaded->settings = settings_in(input);
    loaded->record = record_of(loaded->settings, input);
    return loaded;
  }
};

}  // namespace

double latest_end(const model_settings& settings) {
  const double most_ticks = std::ldexp(1.0, 64 - static_cast<int>(identity_bits)) / ticks_per_unit;
  return std::floor(most_ticks - settings.lookahead - longest_delay / settings.rate - 1);
}

model model_of(const model_settings& settings) {
  // Median delay in ticks: mantissa · 2^exponent with a 26-bit mantissa.
  int exponent = 0;
  constexpr int mantissa_bits = 26;
  const double fraction = std::frexp(std::numbers::ln2 / settings.rate * ticks_per_unit, &exponent);
  return {.key = mix64({settings.seed, 0x70686F6C64}),
          .lookahead = static_cast<u64>(std::llround(settings.lookahead * ticks_per_unit)),
          .entities = static_cast<u32>(settings.entities),
          .delay_mantissa = static_cast<u32>(std::ldexp(fraction, mantissa_bits)),
          .delay_shift = static_cast<u32>(32 + mantissa_bits - exponent)};
}

const tuner::workload_kind& phold_kind() {
  static const models kind;
  return kind;
}

const model_settings& settings_of(const tuner::workload& workload) {
  return dynamic_cast<const phold_workload&>(workload).settings;
}

}  // namespace mlmq::phold
