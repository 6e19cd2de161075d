// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "problems/shortest_paths/peers/peer.hpp"
#include "problems/shortest_paths/peers/peer_file.hpp"
#include "problems/shortest_paths/peers/peer_session.hpp"

namespace mlmq::problems::search_peers {
namespace {

compare::peer as_contestant(const peer& program) {
  compare::peer described{
      .name = program.name,
      .hash = content_hash().add("peer").add(program.text).add(hash_text(read_file(program.located))).hex(),
      .device_kind = program.device,
      .parameter_sets = {},
      .turns = program.turns};
  for (const double delta : program.deltas) described.parameter_sets.push_back(parameters_with(delta));
  if (described.parameter_sets.empty()) described.parameter_sets.emplace_back();
  return described;
}

class peers_of_file final : public compare::peer_list {
 public:
  peers_of_file(const std::filesystem::path& file, const std::string& problem) : unit_weights_(problem == "bfs") {
    for (peer& program : load_peers(file)) {
      if (program.problem != problem) continue;
      const std::string missing = locate(program);
      if (!missing.empty()) {
        notes_.push_back(fmt::format("{}: skipped: {}", program.name, missing));
        continue;
      }
      if (!program.note.empty()) notes_.push_back(fmt::format("{}: {}", program.name, program.note));
      contestants_.push_back(as_contestant(program));
      programs_.push_back(std::move(program));
    }
  }

  [[nodiscard]] std::span<const compare::peer> peers() const override { return contestants_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return notes_; }

  [[nodiscard]] std::unique_ptr<compare::peer_session> open(const tuner::workload& workload, const tuner::query& query,
                                                            const backends::device_info& device) const override {
    return open_session(programs_, workload, query, unit_weights_, device);
  }

 private:
  bool unit_weights_;
  std::vector<peer> programs_;
  std::vector<compare::peer> contestants_;  // one per program
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file, const std::string& problem) {
  return std::make_unique<peers_of_file>(file, problem);
}

}  // namespace mlmq::problems::search_peers
