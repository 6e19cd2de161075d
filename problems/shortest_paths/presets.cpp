// SPDX-License-Identifier: Apache-2.0
// The pairs of queues of MLMQ as the paper organises them: an L0 vector of each thread (3.4), warps that read L2
// themselves (Listing 1), queues of data blocks (Listing 3) and heaps of a warp's own (4.2), one block for each
// multiprocessor, and TH_V 16 (4.1). The paper gives no numbers for batches, buckets, Δ, wb, NF and F. Batches of 8, 16
// buckets of which 4 are open, and Δ are those with which the authors' program is reported to run on roads; the others
// fit small and large graphs.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "problems/shortest_paths/parameters.hpp"

namespace mlmq::problems {
namespace {

struct queue_name {
  const char* name;        ///< in the preset, as in the paper
  const char* parameters;  ///< of the queue
};

constexpr std::array l1_queues{queue_name{"", "l1=none"}, queue_name{"l1v-", "l1=vector,wb=16"},
                               queue_name{"l1nf-", "l1=near_far,nf=5,l1_delta=5"},
                               queue_name{"l1fq-", "l1=filter,l1_delta=5"}, queue_name{"l1slf-", "l1=slf"}};
constexpr std::array l2_queues{queue_name{"l2v", "l2=vector"}, queue_name{"l2dq", "l2=bucket,bmax=16,bnum=4,delta=64"},
                               queue_name{"l2pq", "l2=heap"}, queue_name{"l2mpq", "l2=multi_heap"}};

struct preset_text {
  std::string name;
  std::string label;
};

std::vector<preset_text> preset_texts() {
  std::vector<preset_text> texts;
  for (const queue_name& l1 : l1_queues) {
    for (const queue_name& l2 : l2_queues) {
      texts.push_back({.name = fmt::format("paper-{}{}", l1.name, l2.name),
                       .label = fmt::format("l0=vector,l0_spill=full,{},{},l2_reader=every_warp,l2_batch=8,"
                                            "heavy_degree=16,threads=512,blocks_per_multiprocessor=1",
                                            l1.parameters, l2.parameters)});
    }
  }
  return texts;
}

}  // namespace

std::span<const tuner::preset> search_presets() {
  static const std::vector<preset_text> texts = preset_texts();
  static const std::vector<tuner::preset> presets = [] {
    std::vector<tuner::preset> listed;
    for (const preset_text& text : texts) {
      listed.push_back({.name = text.name, .label = text.label, .source = "MLMQ, 3.2, 3.4, 4.1, 4.2"});
    }
    return listed;
  }();
  return presets;
}

}  // namespace mlmq::problems
