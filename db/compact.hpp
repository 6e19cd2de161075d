// SPDX-License-Identifier: Apache-2.0
// The record of a sweep small enough to keep beside the program that learned from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace mlmq::db {

struct compact_report {
  std::size_t trials = 0;   ///< finished ones, kept
  std::size_t samples = 0;  ///< dropped
  std::uint64_t bytes = 0;  ///< size of the output
};

/// Writes the finished trials of the inputs into one new database of the same schema, which everything that reads a
/// database reads. Kept of each trial: outcome, median, spread, counters, when it finished (to the second), times spent (in
/// whole milliseconds), program version, kernel hash and variant, driver, seed, host, device, and its experiments with
/// their text. Dropped: samples, timelines, measured clocks and temperatures, workers, sessions, finals, models, and trials
/// that are not finished. In place of the samples, how many they were is in the trial's environment as "samples".
///
/// A merge takes compact and whole records of one trial for the same when medians, spreads and counters are, and keeps
/// the whole one. The output needs no further file beside it and can be read where nothing can be written. It is
/// compressed when its name ends in ".gz", to a fifth: such a file can be read as any other, but not written.
/// @throws input_error naming the file: an output that exists, an input as merge_databases(); work_error when the output
/// cannot be written. When anything fails there is no output.
compact_report compact_databases(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs);

}  // namespace mlmq::db
