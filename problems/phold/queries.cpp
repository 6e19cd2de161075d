// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::phold {
namespace {

constexpr std::array settings_of_ends{
    tuner::named_meaning{"until",
                         "virtual time: all events before it are executed; several values make several queries"},
    tuner::named_meaning{
        "events",
        "instead of until: about this many events; the virtual time, in whole lookaheads, in which a long-running "
        "model executes at least that many [the standard query: 4000000]"}};

constexpr double standard_events = 4e6;
constexpr double most_events = 1e13;

std::optional<double> positive(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0) {
    return std::nullopt;
  }
  return number;
}

void check(const tuner::query_rule& rule) {
  tuner::require_known_settings(rule, settings_of_ends);
  for (const tuner::setting& setting : rule.settings) {
    for (const std::string& value : setting.values) {
      const auto number = positive(value);
      if (!number) setting.fail(fmt::format("expected a number above 0, got '{}'", value));
      if (setting.name == "events" && *number > most_events) {
        setting.fail(fmt::format("{} events, expected at most 10^13", value));
      }
    }
  }
  if (rule.find("until") != nullptr && rule.find("events") != nullptr) {
    rule.find("events")->fail("it cannot be combined with 'until'");
  }
}

/// Returns "" if the model can be simulated until that time, otherwise the reason.
std::string wrong_with(const model_settings& settings, double until) {
  const double latest = latest_end(settings);
  if (until > latest) return fmt::format("this model can only be simulated until {}", shortest_decimal(latest));
  return std::llround(until * ticks_per_unit) < 1 ? "the time is shorter than a tick of 2^-20" : "";
}

double end_for(const model_settings& settings, double events) {
  return settings.lookahead * std::ceil(events / (settings.events_per_time() * settings.lookahead));
}

tuner::query query_until(double until) { return {{"until", shortest_decimal(until)}}; }

std::vector<tuner::query> queries_of(const model_settings& settings, const tuner::query_rule& rule) {
  check(rule);
  const tuner::setting* const until = rule.find("until");
  const tuner::setting* const events = rule.find("events");
  std::vector<tuner::query> queries;
  if (until == nullptr && events == nullptr) {
    return {query_until(std::min(end_for(settings, standard_events), latest_end(settings)))};
  }
  const tuner::setting& setting = until != nullptr ? *until : *events;
  for (const std::string& value : setting.values) {
    const double number = positive(value).value();
    const double end = until != nullptr ? number : end_for(settings, number);
    if (const std::string wrong = wrong_with(settings, end); !wrong.empty()) {
      setting.fail(fmt::format("{}: {}", value, wrong));
    }
    queries.push_back(query_until(end));
  }
  return queries;
}

}  // namespace

std::span<const tuner::named_meaning> end_settings() { return settings_of_ends; }

std::uint64_t count_ends(const tuner::query_rules& rules) {
  if (rules.empty()) return 1;
  std::uint64_t count = 0;
  for (const tuner::query_rule& rule : rules) {
    check(rule);
    std::uint64_t of_rule = 1;
    for (const tuner::setting& setting : rule.settings)
      of_rule = std::max<std::uint64_t>(of_rule, setting.values.size());
    count += of_rule;
  }
  return count;
}

std::vector<tuner::query> choose_ends(const model_settings& settings, const tuner::query_rules& rules) {
  if (rules.empty()) return queries_of(settings, {});
  std::vector<tuner::query> queries;
  for (const tuner::query_rule& rule : rules) {
    for (tuner::query& query : queries_of(settings, rule)) {
      if (std::find(queries.begin(), queries.end(), query) == queries.end()) queries.push_back(std::move(query));
    }
  }
  return queries;
}

std::uint64_t end_of(const model_settings& settings, const tuner::query& query) {
  const auto until = positive(query.at("until"));
  if (!until) throw input_error(fmt::format("query '{}': 'until' must be a virtual time above 0", query.text()));
  if (const std::string wrong = wrong_with(settings, *until); !wrong.empty()) {
    throw input_error(fmt::format("query '{}': {}", query.text(), wrong));
  }
  return static_cast<std::uint64_t>(std::llround(*until * ticks_per_unit));
}

}  // namespace mlmq::phold
