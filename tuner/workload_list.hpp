// SPDX-License-Identifier: Apache-2.0
// Which workloads an experiment means, found without loading one.
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

/// The workloads that the experiment asks for, or those of `instead` (files, glob patterns, folders, texts that generate
/// one, or files that list workloads, .yaml, from the command line) when it is not empty.
/// @param file_options options of the kind, as an entry has them, for every file whose entry does not have them
/// @throws input_error for a pattern that matches nothing, what the kind cannot generate, an unknown option, and rules of
///   queries that the problem does not have; for file options that an entry contradicts, or that no file is for
[[nodiscard]] std::vector<workload_input> list_workloads(const experiment_file& experiment, const problem& of,
                                                         std::span<const std::string> instead,
                                                         const std::map<std::string, std::string>& file_options = {});

/// Those that users name without an experiment; they have no queries. @throws input_error as list_workloads()
[[nodiscard]] std::vector<workload_input> list_workloads(const workload_kind& kind, std::span<const std::string> named);

/// Returns the files that a name on the command line leads to, of any kind of workload: a file, the matches of a pattern,
/// the workloads in a folder, and for a file that lists workloads (.yaml) all of these too. Entries that lead to no file
/// are skipped.
/// @param is_workload returns whether a file in a folder is read, by its name
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::string& name, const std::function<bool(const std::filesystem::path&)>& is_workload);

/// What one entry of an experiment file stands for; it has the entry's queries, if any.
/// @param listed_in the file that it is in, to which its paths are relative
/// @throws input_error as list_workloads()
[[nodiscard]] std::vector<workload_input> list_workloads(const workload_kind& kind, const workload_request& request,
                                                         const std::filesystem::path& listed_in);

/// Those of the workloads that a part of a sweep reads, in their order: all, unless it divides workloads. Then the largest
/// go first, each to the part that has least so far, where every workload counts as much as there probably is to do with
/// it and a million more for what it costs besides. All parts must be given the same workloads.
[[nodiscard]] std::vector<workload_input> workloads_of(const shard& part, const problem& of,
                                                       const std::vector<workload_input>& all);

}  // namespace mlmq::tuner
