// SPDX-License-Identifier: Apache-2.0
// Registry of the problems that have peers. The folder of a problem registers them separately from the problem, because
// solving does not need the code that starts other programs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/compare/peer.hpp"

namespace mlmq::compare {

/// The peers of one problem.
struct peer_entry {
  std::string problem;
  std::string file;  ///< default file, among the experiments shipped with the program
  /// Loads the peers. @throws input_error "FILE:LINE: …" for any error in the file
  std::unique_ptr<peer_list> (*load)(const std::filesystem::path& file, const std::string& problem) = nullptr;
};

/// Registers peers for its lifetime. A library made by mlmq_add_peers(NAME …) or mlmq_peer_library(NAME …) defines one
/// as an object with static storage and external linkage named mlmq_registers_peers_of_NAME, by which the linker finds
/// it.
class peer_registration {
 public:
  /// @param registered_in  source file of the caller, for messages
  peer_registration(std::initializer_list<peer_entry> entries, const char* registered_in = __builtin_FILE());
  peer_registration(const peer_registration&) = delete;
  peer_registration& operator=(const peer_registration&) = delete;
  ~peer_registration();

 private:
  std::vector<std::string> added_;  // problems that this object registered
  bool refused_ = false;            // whether a problem already had peers
};

/// Returns the peers of a problem, or null. @throws work_error naming both files if two registrations name the same
/// problem
[[nodiscard]] const peer_entry* peers_of(std::string_view problem);

}  // namespace mlmq::compare
