// SPDX-License-Identifier: Apache-2.0
// Which problems have peers. The folder of a problem registers them, apart from the problem itself: what solves the
// problem needs nothing that starts other programs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/peer.hpp"

namespace mlmq::compare {

/// The peers of one problem.
struct peer_entry {
  std::string problem;
  std::string file;  ///< among the experiments that come with the program, for who names none
  /// @throws input_error "FILE:LINE: …" for whatever is wrong with the file
  std::unique_ptr<peer_list> (*load)(const std::filesystem::path& file, const std::string& problem) = nullptr;
};

/// Registers peers for its lifetime. In a library made by mlmq_add_peers(NAME …) or mlmq_peer_library(NAME …) an object of
/// static storage, with external linkage under the name mlmq_registers_peers_of_NAME, by which the linker finds it.
class peer_registration {
 public:
  /// @param registered_in the file of the caller, for messages
  peer_registration(std::initializer_list<peer_entry> entries, const char* registered_in = __builtin_FILE());
  peer_registration(const peer_registration&) = delete;
  peer_registration& operator=(const peer_registration&) = delete;
  ~peer_registration();

 private:
  std::vector<std::string> added_;  // problems
  bool refused_ = false;            // another one has peers for one of the problems
};

/// Null when the problem has no peers. @throws work_error when two have registered peers for one problem, with their files
[[nodiscard]] const peer_entry* peers_of(std::string_view problem);

}  // namespace mlmq::compare
