// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/peer_registry.hpp"
#include "problems/queue_peers/peer_list.hpp"

namespace mlmq::queue_peers {
extern "C" {
extern const compare::peer_registration mlmq_registers_peers_of_queue_peers;
const compare::peer_registration mlmq_registers_peers_of_queue_peers({{"phold", "queue_peers.yaml", load_peer_list},
                                                                      {"astar", "queue_peers.yaml", load_peer_list},
                                                                      {"sssp_batch", "multi_source_peers.yaml",
                                                                       load_peer_list}});
}

}  // namespace mlmq::queue_peers
