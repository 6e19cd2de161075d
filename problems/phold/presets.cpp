// SPDX-License-Identifier: Apache-2.0
// The queues of the third paper (gpu-priority-queues) with its settings: queues from §III, the rest from §IV.A. Each
// window is a launch in which each entity executes its earliest event. One thread owns a queue, and blocks have 256
// threads; with CB-PAR, a block of 32 threads owns a queue. If the paper has two directions, the preset has the better
// one.
#include <array>

#include "problems/phold/phold.hpp"

namespace mlmq::phold {
namespace {

constexpr std::array paper_queues{
    tuner::preset{"paper-cb-seq",
                  "solver=queues,queue=ring,direction=back,threads=256,mode=earliest,launches=each_window",
                  "gpu-priority-queues, CB-SEQ, back to front"},
    tuner::preset{"paper-cb-seq-front",
                  "solver=queues,queue=ring,direction=front,threads=256,mode=earliest,launches=each_window",
                  "gpu-priority-queues, CB-SEQ, front to back"},
    tuner::preset{"paper-cb-seq-sp",
                  "solver=queues,queue=ring_cached,cache=8,threads=256,mode=earliest,launches=each_window",
                  "gpu-priority-queues, CB-SEQ-SP"},
    tuner::preset{"paper-cb-par",
                  "solver=queues,queue=ring_parallel,lanes=32,direction=back,threads=32,mode=earliest,"
                  "launches=each_window",
                  "gpu-priority-queues, CB-PAR, back to front"},
    tuner::preset{"paper-cb-par-front",
                  "solver=queues,queue=ring_parallel,lanes=32,direction=front,threads=32,mode=earliest,"
                  "launches=each_window",
                  "gpu-priority-queues, CB-PAR, front to back"},
    tuner::preset{"paper-heap", "solver=queues,queue=heap,arity=2,threads=256,mode=earliest,launches=each_window",
                  "gpu-priority-queues, implicit heap"},
    tuner::preset{"paper-splay",
                  "solver=queues,queue=splay,allocator=next_fit,threads=256,mode=earliest,launches=each_window",
                  "gpu-priority-queues, splay tree"}};

}  // namespace

std::span<const tuner::preset> phold_problem::presets() const { return paper_queues; }

}  // namespace mlmq::phold
