// SPDX-License-Identifier: Apache-2.0
// Encodes numbers and tables for the page: short, and readable without this program.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/result_set.hpp"

namespace mlmq::report {

/// Formats a number with four significant digits, like JSON: "1.124", "0.5", "1.2e+06"; "" if it is not finite.
[[nodiscard]] std::string short_number(double value);

/// Returns the rounded value as a JSON number; null if it is not finite.
[[nodiscard]] nlohmann::json rounded(double value);

/// Returns the letter for an outcome other than ok in rows of times.
[[nodiscard]] char letter_of(db::outcome failure);

/// Formats the entries of a row in the order of the configurations, separated by commas. An entry is the median in
/// milliseconds; or letter_of() a failure, followed by the milliseconds after which it was stopped ("t60"), if known;
/// or "~N": the next N configurations were not measured. Missing entries at the end were not measured either.
[[nodiscard]] std::string times_text(const table_row& row);

/// Formats the confidence interval (about 95 %) of each median in the same way: half of its width in tenths of a
/// percent of the median (db::median_uncertainty()); empty if unknown and for failures.
[[nodiscard]] std::string intervals_text(const table_row& row);

/// Returns the number of samples of a trial, stored or dropped by 'mlmq db compact'.
[[nodiscard]] std::size_t sample_count(const db::finished_trial& trial);

}  // namespace mlmq::report
