// SPDX-License-Identifier: Apache-2.0
// External programs ("peers") as a file describes them: how to start one, and how to parse its output. See
// docs/guide/compare.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/io.hpp"
#include "tuner/source_place.hpp"

namespace mlmq::peers {

/// A regular expression that matches a number in its group, or anything if it has none.
struct output_pattern {
  std::string name;  ///< name of the number, such as "time_ms"
  std::string text;
  std::regex expression;
  double factor = 1;  ///< factor by which the number is multiplied
};

/// An entry of the file, or one variant of it.
struct peer {
  std::string name;
  std::string variant;  ///< value of {variant}; may be empty
  std::string text;     ///< its entry in the file, in canonical form; part of the identity of its results
  tuner::source_place place;

  std::string problem = "sssp";
  std::string device;              ///< kind of device that it runs on (backends::device_info::kind); not a modelled one
  std::string program;             ///< program name on PATH, or a path; may be empty
  std::string variable;            ///< environment variable with the path of the program; may be empty
  std::vector<std::string> probe;  ///< a command that fails if the peer cannot be used; may be empty
  std::vector<std::string> command;              ///< with placeholders
  std::uint64_t warmup = 0;                      ///< number of times to skip at the start of a process
  std::uint64_t turns = 0;                       ///< number of rounds in which it runs; 0: all
  std::chrono::milliseconds time_limit{60'000};  ///< time limit of one process
  std::string note;                              ///< note for readers of its times; may be empty
  /// The numbers in its output. Empty: lines NAME NUMBER.
  std::vector<output_pattern> patterns;

  // Shortest paths only.
  graph::file_format format = graph::file_format::galois;
  std::string ending;          ///< extension of the graph's file name, with the dot
  std::vector<double> deltas;  ///< values of {delta}, of which the best is chosen, in average weights; may be empty
  std::optional<std::uint64_t> only_source;  ///< the only source that it supports
  bool writes_distances = false;             ///< the command has {output}
  bool whole_weights = false;                ///< whether it only reads integer weights
  double infinity = 0;                       ///< distances in {output} of at least this value mean unreached

  std::string corners;  ///< astar: the only corner rule that it has; empty: any

  /// Path of the program, or of the folder of its sources; set by locate().
  std::string located;

  [[nodiscard]] const output_pattern* pattern(std::string_view pattern_name) const;
};

/// Parses a file of peers. @throws input_error "FILE:LINE: …" for any error in the file
[[nodiscard]] std::vector<peer> load_peers(const std::filesystem::path& file);
[[nodiscard]] std::vector<peer> parse_peers(const std::string& text, const std::filesystem::path& file);

/// Looks for the program and sets `located`.
/// @return "", or the reason why the peer cannot be used on this machine
[[nodiscard]] std::string locate(peer& program);

/// Returns a hash of everything that the results of a located peer depend on: its entry, and the program or the files
/// of its folder, hidden ones excepted.
[[nodiscard]] std::string hash_of(const peer& program);

/// Values of the placeholders in a command, by name.
using placeholder_values = std::map<std::string, std::string>;

/// Returns the command with these values, and with {program}, {folder} and {variant}. Other placeholders become "".
[[nodiscard]] std::vector<std::string> command_line(const peer& program, const placeholder_values& values);

/// Replaces every {NAME} in the word by value_of(NAME).
[[nodiscard]] std::string replace_placeholders(std::string_view word,
                                               const std::function<std::string(const std::string&)>& value_of);

/// The numbers that a peer printed, in their order.
class peer_output {
 public:
  void add(const std::string& name, double number) { numbers_[name].push_back(number); }
  [[nodiscard]] const std::vector<double>& numbers(const std::string& name) const;
  [[nodiscard]] std::optional<double> last(const std::string& name) const;

 private:
  std::map<std::string, std::vector<double>> numbers_;
};

/// Parses the output line by line, so that a pattern cannot match across lines. Skips lines of more than 4,096
/// characters.
[[nodiscard]] peer_output read_output(const peer& program, std::string_view output);

}  // namespace mlmq::peers
