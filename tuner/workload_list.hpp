// SPDX-License-Identifier: Apache-2.0
// Lists the workloads of an experiment without loading them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/shard.hpp"

namespace mlmq::tuner {

/// A workload file that the command line names, with options behind colons.
struct named_file {
  std::string file;
  std::vector<setting> options;
};

/// Splits "FILE:NAME=VALUE:…", such as "a.map:corners=cut". The names of generated workloads, which have no dot or
/// slash before the first colon, and of existing files have no options.
[[nodiscard]] named_file split_file_options(const std::string& name);

/// Returns the workloads of the experiment, or those of `instead` if it is not empty.
/// @param instead names from the command line: files, glob patterns, folders, generators, or lists of workloads
/// (.yaml); files
///     also with options, see split_file_options()
/// @param file_options workload options for all files whose entry does not set them
/// @throws input_error for a pattern without matches, an unknown generator or option, invalid query rules, a file
///     option that contradicts an entry, and file options without any file
[[nodiscard]] std::vector<workload_input> list_workloads(const experiment_file& experiment, const problem& problem,
                                                         std::span<const std::string> instead,
                                                         const std::map<std::string, std::string>& file_options = {});

/// Returns workloads that users name without an experiment; they have no queries. @throws input_error like above
[[nodiscard]] std::vector<workload_input> list_workloads(const workload_kind& kind, std::span<const std::string> named);

/// Returns the files of a name on the command line, for any workload kind: a file, the matches of a pattern, the
/// workloads in a folder, and all files of a list of workloads (.yaml). Entries without files are skipped.
/// @param is_workload returns whether a file in a folder is a workload, by its name
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::string& name, const std::function<bool(const std::filesystem::path&)>& is_workload);

/// Returns the workloads of one entry of an experiment file, with the entry's queries, if any.
/// @param listed_in file of the entry, to which its paths are relative
/// @throws input_error like above
[[nodiscard]] std::vector<workload_input> list_workloads(const workload_kind& kind, const workload_request& request,
                                                         const std::filesystem::path& listed_in);

/// Returns the workloads that a shard reads, in their order: all, unless the sweep is divided by workloads. Then the
/// workloads are assigned largest first to the shard with the least load; the cost of a workload is its expected size
/// plus a fixed overhead of a million. All shards must be given the same workloads.
[[nodiscard]] std::vector<workload_input> workloads_of(const shard& part, const problem& problem,
                                                       const std::vector<workload_input>& inputs);

}  // namespace mlmq::tuner
