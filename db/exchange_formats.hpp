// SPDX-License-Identifier: Apache-2.0
// Tuning records in the formats of other tools. Only for db/export.cpp.
#pragma once

#include <span>
#include <string>

#include "db/format.hpp"
#include "db/parameter_table.hpp"
#include "db/tuning_record.hpp"

namespace mlmq::db {

/// Above this many combinations of values Kernel Tuner takes long to build a search space.
inline constexpr std::size_t most_combinations = 1'000'000;

/// Whether Kernel Tuner is to search the configurations by number, as the values of one parameter "configuration": where
/// its search space would be too large, or where steps that change one parameter do not lead from every configuration
/// that worked to every other (its local searches may then never end).
[[nodiscard]] bool searched_by_number(const tuning_record& record, const parameter_table& table);

/// Kernel Tuner's cache file, one entry a line. The record must have a result: its readers fail on files without.
[[nodiscard]] std::string kernel_tuner_cache(const tuning_record& record, const parameter_table& table);

/// What the numbers of configurations in such a file mean: number, label and parameters, empty where inactive.
[[nodiscard]] table configuration_table(const tuning_record& record, const parameter_table& table);

/// Results of the T4 format, schema 1.0.0.
[[nodiscard]] std::string t4_results(const tuning_record& record, const parameter_table& table);

/// All records as one file of nvbench's JSON format, version 1.0.0. Times are in seconds there.
[[nodiscard]] std::string nvbench_results(std::span<const tuning_record> records);

/// The name that Kernel Tuner gives to a failure; it knows only three.
[[nodiscard]] const char* kernel_tuner_error(outcome result);

}  // namespace mlmq::db
