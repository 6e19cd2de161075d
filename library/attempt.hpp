// SPDX-License-Identifier: Apache-2.0
// A configuration to try, and how it was chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "mlmq/configuration.hpp"
#include "problems/recommendation.hpp"
#include "tuner/labelled_configuration.hpp"

namespace mlmq::detail {

using tuner::labelled_configuration;

/// A configuration to try.
struct attempt {
  labelled_configuration configuration;
  bool on_host = false;  ///< whether it runs on the processors of this machine instead of the solver's device
  choice::source chosen_by = choice::source::caller;
  std::optional<double> predicted;
  std::string reason;
  bool is_for_many = false;                          ///< whether a solver of many searches makes the search
  bool is_one_by_one = false;                        ///< see problems::named_candidate
  std::optional<double> expected_ms = std::nullopt;  ///< see problems::recommended_configuration
  std::size_t trial_searches = 0;                    ///< see problems::named_candidate
  std::string trial_of = {};                         ///< see problems::named_candidate
};

/// Converts the origin of a candidate to its public name.
[[nodiscard]] constexpr choice::source source_of(problems::candidate_origin origin) noexcept {
  switch (origin) {
    case problems::candidate_origin::model:
      return choice::source::model;
    case problems::candidate_origin::rule:
      return choice::source::rule;
    case problems::candidate_origin::standard:
      break;
  }
  return choice::source::standard;
}

/// Makes an attempt on the solver's device from a recommendation.
[[nodiscard]] inline attempt attempt_of(problems::recommended_configuration recommended) {
  return {.configuration = std::move(recommended.configuration),
          .on_host = false,
          .chosen_by = source_of(recommended.origin),
          .predicted = recommended.predicted,
          .reason = std::move(recommended.reason),
          .is_one_by_one = recommended.is_one_by_one,
          .expected_ms = recommended.expected_ms,
          .trial_searches = recommended.trial_searches,
          .trial_of = std::move(recommended.trial_of)};
}

/// Makes an attempt on the solver's device from a configuration of the caller.
[[nodiscard]] inline attempt caller_attempt(labelled_configuration configuration, bool is_for_many = false) {
  return {.configuration = std::move(configuration),
          .on_host = false,
          .chosen_by = choice::source::caller,
          .predicted = std::nullopt,
          .reason = "given",
          .is_for_many = is_for_many};
}

/// Describes an attempt for the public interface. @param device  device of the attempt
[[nodiscard]] inline choice choice_of(const attempt& candidate, const backends::device_info& device) {
  return {.configuration = candidate.configuration.label(),
          .device = device.selector,
          .device_name = device.name,
          .chosen_by = candidate.chosen_by,
          .predicted = candidate.predicted,
          .reason = candidate.reason};
}

/// Attempts in the order in which they are tried. Shared, because the chooser keeps them from one search to the next.
using attempt_list = std::vector<std::shared_ptr<const attempt>>;

}  // namespace mlmq::detail
