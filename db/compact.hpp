// SPDX-License-Identifier: Apache-2.0
// Shrinks the record of a sweep, so that it can be kept together with the program that learned from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace mlmq::db {

/// Timelines in a compact record. They need more space than everything else.
enum class kept_timelines { none, all };

struct compact_report {
  std::size_t trials = 0;   ///< finished trials that were kept
  std::size_t samples = 0;  ///< samples that were dropped
  std::uint64_t bytes = 0;  ///< size of the output
};

/// Writes the finished trials of the inputs into one new database of the same schema, which every reader of databases
/// accepts. Each trial keeps its outcome, median, spread, counters, finish time (to the second), times spent (in whole
/// milliseconds), program version, kernel hash and variant, driver, seed, host, device, and its experiments with their
/// text. Samples, measured clocks and temperatures, workers, sessions, finals, models and unfinished trials
/// are dropped, and timelines unless they are to be kept. The trial's environment stores the number of dropped samples
/// as "samples".
///
/// A merge treats compact and whole records of one trial as equal if medians, spreads and counters are equal, and keeps
/// the whole one. The output needs no accompanying files and can be read on read-only storage. If its name ends in
/// ".gz" it is compressed to about a fifth of the size; such a file can be read like any other, but not written.
/// If it ends in ".trials" the output is text (db/text_record.hpp), which keeps less and can be read likewise.
/// @throws input_error naming the file, if the output exists or an input is invalid like in merge_databases();
/// work_error if the output cannot be written. On any failure there is no output.
compact_report compact_databases(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs,
                                 kept_timelines timelines = kept_timelines::none);

}  // namespace mlmq::db
