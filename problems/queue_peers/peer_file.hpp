// SPDX-License-Identifier: Apache-2.0
// External programs that simulate PHOLD, find paths or search from many sources, in a YAML file such as
// experiments/queue_peers.yaml.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/source_place.hpp"

namespace mlmq::queue_peers {

/// A variant of a program. An entry of the file describes several, which differ in {variant}.
struct queue_peer {
  std::string name;
  std::string variant;
  std::string text;  ///< what the file says about it, in canonical form; part of the identity of its results
  tuner::source_place place;

  std::string problem;               ///< phold, astar or sssp_batch
  std::string device;                ///< kind of device that it runs on
  std::string variable;              ///< environment variable with the path of the program, or of its sources
  std::vector<std::string> command;  ///< with placeholders
  std::string corners;               ///< astar: the only corner rule that it has; empty: any
  std::uint64_t turns = 0;           ///< number of rounds in which it runs; 0: all
  std::chrono::milliseconds time_limit{60'000};  ///< time limit of one process
  std::string note;                              ///< note for readers of its times; may be empty

  /// Path of the program, set by locate().
  std::filesystem::path located;
};

/// Parses a file of peers. @throws input_error "FILE:LINE: …"
[[nodiscard]] std::vector<queue_peer> load_peers(const std::filesystem::path& file);

/// Sets `located`. @return "", or the reason why the peer cannot be used on this machine
[[nodiscard]] std::string locate(queue_peer& program);

/// Returns a hash of everything that the peer's results depend on: its entry, and the program or the files of its
/// folder, hidden ones excepted.
[[nodiscard]] std::string hash_of(const queue_peer& program);

}  // namespace mlmq::queue_peers
