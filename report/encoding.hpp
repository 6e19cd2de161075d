// SPDX-License-Identifier: Apache-2.0
// How numbers and tables are written into the page: short, and readable without this program.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/result_set.hpp"

namespace mlmq::report {

/// Four significant digits, as JSON writes them: "1.124", "0.5", "1.2e+06"; "" for what is not finite.
[[nodiscard]] std::string short_number(double value);

/// The same as a number; null for what is not finite.
[[nodiscard]] nlohmann::json rounded(double value);

/// The letter that stands for an outcome other than ok in rows of times.
[[nodiscard]] char letter_of(db::outcome failure);

/// The entries of a row in the order of the configurations, with commas between them. An entry is the median in
/// milliseconds; or letter_of() a failure, with the milliseconds after which it was stopped ("t60") where they are known;
/// or "~N": the next N configurations were not measured. What is not mentioned at the end was not measured either.
[[nodiscard]] std::string times_text(const table_row& row);

/// The same for the interval of each median: half of its width in tenths of a percent of the median, with about 95 %
/// (db::median_uncertainty()); empty where it is not known and for failures.
[[nodiscard]] std::string intervals_text(const table_row& row);

/// How many samples a trial had, stored or dropped by 'mlmq db compact'.
[[nodiscard]] std::size_t sample_count(const db::finished_trial& trial);

}  // namespace mlmq::report
