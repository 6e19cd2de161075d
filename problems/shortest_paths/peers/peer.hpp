// SPDX-License-Identifier: Apache-2.0
// External programs that search shortest paths ("peers"): how to start one, and how to parse its output.
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

/// A regular expression with one group, which matches a number.
struct number_pattern {
  std::string text;
  std::regex expression;
  double factor = 1;  ///< factor by which the number is multiplied
};

/// An entry of the peers' file.
struct peer {
  std::string name;
  std::string text;  ///< its entry in the file, in canonical form; part of the identity of its results
  tuner::source_place place;

  std::string problem = "sssp";
  std::string device;              ///< kind of device that it runs on (backends::device_info::kind); not a modelled one
  std::string program;             ///< program name on PATH, or a path; may be empty
  std::string variable;            ///< environment variable with the path of the program; may be empty
  std::vector<std::string> probe;  ///< a command that fails if the peer cannot be used; may be empty
  std::vector<std::string> command;  ///< with placeholders
  graph::file_format format = graph::file_format::galois;
  std::string ending;          ///< extension of the graph's file name, with the dot
  std::vector<double> deltas;  ///< values of {delta}, of which the best is chosen, in average weights; may be empty
  std::uint64_t warmup = 0;    ///< number of times to skip at the start of a process
  std::uint64_t turns = 0;     ///< number of rounds in which it runs; 0: all
  std::chrono::milliseconds time_limit{60'000};  ///< time limit of one process

  number_pattern time;                 ///< its factor converts to milliseconds
  std::optional<number_pattern> work;  ///< number of vertices that it dequeued or expanded
  std::optional<number_pattern> reached;
  std::optional<number_pattern> sum;
  std::optional<number_pattern> largest;
  std::optional<std::regex> right;           ///< text that it prints with each time if its own check succeeds
  std::optional<std::uint64_t> only_source;  ///< the only source that it supports
  bool writes_distances = false;             ///< the command has {output}
  bool whole_weights = false;                ///< whether it only reads integer weights
  std::string note;                          ///< note for readers of its times; may be empty
  double infinity = 0;                       ///< distances in {output} of at least this value mean unreached

  /// Path of the program, set by locate().
  std::string located;
};

/// Looks for the program and sets `located`.
/// @return "", or the reason why the peer cannot be used on this machine
[[nodiscard]] std::string locate(peer& program);

/// The parsed output of a peer.
struct peer_output {
  std::vector<double> milliseconds;  ///< all printed times, in order
  std::optional<double> work;        ///< the last printed value, like the answer
  claimed_answer answer;
  std::size_t times_right = 0;  ///< number of matches of peer::right
};

/// Parses the output line by line, so that a pattern cannot match across lines. Skips lines of more than 4,096
/// characters.
[[nodiscard]] peer_output read_output(const peer& program, std::string_view output);

/// Values of the placeholders in a command.
struct placeholder_values {
  std::string graph;
  std::uint64_t source = 0;
  std::uint64_t repeat = 1;
  unsigned threads = 1;
  unsigned device = 0;                 ///< N of cuda:N
  std::optional<std::uint64_t> delta;  ///< in units of the weights
  std::string output;
  std::string directory;  ///< temporary folder, removed with the graph
};

[[nodiscard]] std::vector<std::string> command_line(const peer& program, const placeholder_values& values);

}  // namespace mlmq::problems::search_peers
