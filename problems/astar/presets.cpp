// SPDX-License-Identifier: Apache-2.0
// The queues of the third paper (gpu-priority-queues) as open lists, with its settings: queues from §III, the rest from
// §IV.A, such as eight cells at once by 64 threads, half floats, a search that ends when the goal is taken, and a
// launch for each of the two phases. A block works on 256 queues of a thread, or on two of a warp, whose cells need 64
// threads. If the paper has two directions, the preset of the better one has no ending.
#include <array>

#include "problems/astar/path_finding.hpp"

namespace mlmq::astar {
namespace {

constexpr std::array paper_queues{
    tuner::preset{"paper-cb-seq",
                  "solver=phases,cells=8,open=small_queue,queue=ring,lanes=1,direction=back,threads=256",
                  "gpu-priority-queues, CB-SEQ, back to front"},
    tuner::preset{"paper-cb-seq-front",
                  "solver=phases,cells=8,open=small_queue,queue=ring,lanes=1,direction=front,threads=256",
                  "gpu-priority-queues, CB-SEQ, front to back"},
    tuner::preset{"paper-cb-seq-sp",
                  "solver=phases,cells=8,open=small_queue,queue=ring_cached,lanes=1,cache=8,threads=256",
                  "gpu-priority-queues, CB-SEQ-SP"},
    tuner::preset{"paper-cb-par",
                  "solver=phases,cells=8,open=small_queue,queue=ring_parallel,lanes=32,direction=back,threads=64",
                  "gpu-priority-queues, CB-PAR, back to front"},
    tuner::preset{"paper-cb-par-front",
                  "solver=phases,cells=8,open=small_queue,queue=ring_parallel,lanes=32,direction=front,threads=64",
                  "gpu-priority-queues, CB-PAR, front to back"},
    tuner::preset{"paper-heap", "solver=phases,cells=8,open=small_queue,queue=heap,lanes=1,arity=2,threads=256",
                  "gpu-priority-queues, implicit heap"},
    tuner::preset{"paper-splay",
                  "solver=phases,cells=8,open=small_queue,queue=splay,lanes=1,allocator=next_fit,threads=256",
                  "gpu-priority-queues, splay tree"}};

}  // namespace

std::span<const tuner::preset> path_finding::presets() const { return paper_queues; }

}  // namespace mlmq::astar
