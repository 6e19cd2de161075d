// SPDX-License-Identifier: Apache-2.0
// The queues of the third paper (gpu-priority-queues) as open lists, with its settings: queues from §III, the rest from
// §IV.A, such as 8 cells at once, half floats, and a search that ends when the goal is taken. The paper uses 64 threads
// per search, this kernel one warp. If the paper has two directions, the preset has the better one.
#include <array>

#include "problems/astar/path_finding.hpp"

namespace mlmq::astar {
namespace {

constexpr std::array paper_queues{
    tuner::preset{"paper-cb-seq", "mode=paper,cells=8,open=small_queue,queue=ring,lanes=1,direction=back,threads=64",
                  "gpu-priority-queues, CB-SEQ, back to front"},
    tuner::preset{"paper-cb-seq-front",
                  "mode=paper,cells=8,open=small_queue,queue=ring,lanes=1,direction=front,threads=64",
                  "gpu-priority-queues, CB-SEQ, front to back"},
    tuner::preset{"paper-cb-seq-sp", "mode=paper,cells=8,open=small_queue,queue=ring_cached,lanes=1,cache=8,threads=64",
                  "gpu-priority-queues, CB-SEQ-SP"},
    tuner::preset{"paper-cb-par",
                  "mode=paper,cells=8,open=small_queue,queue=ring_parallel,lanes=32,direction=back,threads=64",
                  "gpu-priority-queues, CB-PAR, back to front"},
    tuner::preset{"paper-cb-par-front",
                  "mode=paper,cells=8,open=small_queue,queue=ring_parallel,lanes=32,direction=front,threads=64",
                  "gpu-priority-queues, CB-PAR, front to back"},
    tuner::preset{"paper-heap", "mode=paper,cells=8,open=small_queue,queue=heap,lanes=1,arity=2,threads=64",
                  "gpu-priority-queues, implicit heap"},
    tuner::preset{"paper-splay",
                  "mode=paper,cells=8,open=small_queue,queue=splay,lanes=1,allocator=next_fit,threads=64",
                  "gpu-priority-queues, splay tree"}};

}  // namespace

std::span<const tuner::preset> path_finding::presets() const { return paper_queues; }

}  // namespace mlmq::astar
