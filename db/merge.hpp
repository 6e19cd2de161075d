// SPDX-License-Identifier: Apache-2.0
// Merges databases of results: shards of a sweep, or the results of several machines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace mlmq::db {

/// Decides which of two different results of one trial is kept.
enum class duplicate_rule {
  refuse,    ///< neither: different results are an error
  earliest,  ///< the result that finished first
  latest,    ///< the result that finished last
};

/// Returns the rule with this name: "refuse", "earliest" or "latest". @throws input_error for any other name
[[nodiscard]] duplicate_rule duplicate_rule_from(std::string_view name);

/// Effects of a merge on the trials.
struct merge_report {
  std::size_t files = 0;            ///< merged into the output
  std::size_t added = 0;            ///< trials that the output did not have
  std::size_t finished = 0;         ///< trials that were pending there and now have a result
  std::size_t replaced = 0;         ///< trials whose result was replaced by another one
  std::size_t already_present = 0;  ///< trials that the output already had
};

/// Adds everything in `inputs` to `output`, which is created when it is missing: devices, hosts, workloads,
/// configurations, variants, experiments, models, and trials with their samples, counters, timelines and provenance.
/// Rows with the same content hash are merged into one. The result does not depend on the order of the inputs, and
/// merging again changes nothing. A trial that was running in an input is pending afterwards, unless another file has
/// its result.
///
/// Sessions and finals are not merged: they belong to one experiment on one machine, where one worker interleaved the
/// finalists. A final of the merged trials requires a new sweep.
///
/// Two results of one trial are the same if outcome, samples, counters and timeline are equal (the provenance of the
/// earlier one is kept), or if one is compact (db/compact.hpp) and its median, spread and counters are equal (the
/// whole one is kept); otherwise `rule` decides. If anything fails, or the process is killed, the output stays
/// unchanged.
/// @throws input_error naming the output and the input, for another schema version, an input that is the output, the
/// same identity with other content, or different results of one trial (duplicate_rule::refuse); otherwise like
/// store::open
merge_report merge_databases(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs,
                             duplicate_rule rule = duplicate_rule::refuse);

}  // namespace mlmq::db
