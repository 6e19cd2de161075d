// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/peer_registry.hpp"
#include "problems/shortest_paths/peers/peer_list.hpp"

namespace mlmq::problems::search_peers {
extern "C" {
extern const compare::peer_registration mlmq_registers_peers_of_shortest_paths;
const compare::peer_registration mlmq_registers_peers_of_shortest_paths({{"sssp", "peers.yaml", load_peer_list},
                                                                         {"bfs", "peers.yaml", load_peer_list}});
}

}  // namespace mlmq::problems::search_peers
