// SPDX-License-Identifier: Apache-2.0
// Other people's programs that search shortest paths ("peers"): how to start one, and how to read what it prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/io.hpp"
#include "problems/shortest_paths/peers/answer.hpp"
#include "tuner/source_place.hpp"

namespace mlmq::problems::search_peers {

/// A regular expression with one group, which holds a number.
struct number_pattern {
  std::string text;
  std::regex expression;
  double factor = 1;  ///< what the number is multiplied with
};

/// An entry of the peers' file.
struct peer {
  std::string name;
  std::string text;  ///< its entry in the file, in a canonical form: part of the identity of its results
  tuner::source_place place;

  std::string problem = "sssp";
  std::string device;              ///< kind of device that it runs on (backends::device_info::kind), not a modelled one
  std::string program;             ///< name on PATH, or a path; may be empty
  std::string variable;            ///< environment variable with the path of the program; may be empty
  std::vector<std::string> probe;  ///< a command that fails where the peer cannot be used; may be empty
  std::vector<std::string> command;  ///< with placeholders
  graph::file_format format = graph::file_format::galois;
  std::string ending;          ///< of the graph's file name, with the point
  std::vector<double> deltas;  ///< values of {delta} to choose the best of, in average weights; may be empty
  std::uint64_t warmup = 0;    ///< times of a process that do not count, from the first
  std::uint64_t turns = 0;     ///< rounds that it takes part in; 0: all
  std::chrono::milliseconds time_limit{60'000};  ///< of one process

  number_pattern time;                 ///< factor: to milliseconds
  std::optional<number_pattern> work;  ///< vertices that it took from its queue, or expanded
  std::optional<number_pattern> reached;
  std::optional<number_pattern> sum;
  std::optional<number_pattern> largest;
  std::optional<std::regex> right;           ///< what it prints with every time when it finds its own answer right
  std::optional<std::uint64_t> only_source;  ///< it knows no other vertex to start from
  bool writes_distances = false;             ///< the command has {output}
  bool whole_weights = false;                ///< it would misread others
  std::string note;                          ///< what a reader of its times has to know; may be empty
  double infinity = 0;                       ///< distances in {output} from which a vertex was not reached

  /// Where the program is, once found: see locate().
  std::string located;
};

/// Looks for the program and sets `located`. "" or why the peer cannot be used on this machine.
[[nodiscard]] std::string locate(peer& wanted);

/// What a run of a peer says.
struct peer_output {
  std::vector<double> milliseconds;  ///< every time that was printed, in order
  std::optional<double> work;        ///< the last that was printed, as for the answer
  claimed_answer answer;
  std::size_t times_right = 0;  ///< how often `right` was found
};

/// Line by line, so that a pattern never reaches beyond its line. Lines longer than 4,096 characters are passed over.
[[nodiscard]] peer_output read_output(const peer& from, std::string_view output);

/// What placeholders of a command stand for.
struct placeholder_values {
  std::string graph;
  std::uint64_t source = 0;
  std::uint64_t repeat = 1;
  unsigned threads = 1;
  unsigned device = 0;                 ///< N of cuda:N
  std::optional<std::uint64_t> delta;  ///< in units of the weights
  std::string output;
  std::string directory;  ///< that goes after the graph is done
};

[[nodiscard]] std::vector<std::string> command_line(const peer& what, const placeholder_values& values);

}  // namespace mlmq::problems::search_peers
