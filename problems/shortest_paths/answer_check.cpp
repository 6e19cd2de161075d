// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/answer_check.hpp"

#include <algorithm>
#include <utility>

#include "compare_words_abi.cuh"
#include "graph/check.hpp"

namespace mlmq::problems {
namespace {

constexpr unsigned threads = 256;
/// More blocks would only wait for memory.
constexpr unsigned blocks_per_multiprocessor = 4;

}  // namespace

answer_check::answer_check(backends::backend& device, const graph::csr_graph& graph,
                           const backends::device_memory& distances, place where)
    : device_(device), graph_(graph), distances_(distances), where_(where) {}

answer_check::place answer_check::best_place(const backends::device_info& device) {
  return device.grid && !device.modelled ? place::device : place::host;
}

std::vector<graph::distance_bits> answer_check::download() const {
  std::vector<graph::distance_bits> values(graph_.vertex_count());
  device_.download(values.data(), distances_, values.size() * sizeof(graph::distance_bits));
  return values;
}

std::string answer_check::operator()(graph::vertex_id source) {
  if (is_proven(source)) return "";
  found_.resize(graph_.vertex_count());
  device_.download(found_.data(), distances_, found_.size() * sizeof(graph::distance_bits));
  const graph::check_result result = graph::check_distances(graph_, source, found_);
  if (!result.ok) return result.message;
  saturated_ = graph::has_saturated(graph_.weights(), found_);
  keep(source);
  return "";
}

bool answer_check::is_proven(graph::vertex_id source) {
  if (proven_source_ != source) return false;
  if (where_ == place::device) return is_equal_on_device();
  found_.resize(graph_.vertex_count());
  device_.download(found_.data(), distances_, found_.size() * sizeof(graph::distance_bits));
  return found_ == proven_;
}

bool answer_check::is_equal_on_device() const {
  const comparison_arguments arguments{.one = distances_.as<u32>(),
                                       .other = on_device_->proven.as<u32>(),
                                       .differ = on_device_->differ.as<u32>(),
                                       .words = graph_.vertex_count()};
  const unsigned most = blocks_per_multiprocessor * device_.info().multiprocessors;
  const unsigned blocks = std::clamp(on_device_->compare->resident_blocks(0), 1U, most);
  device_.measure([&] {
    device_.fill(on_device_->differ, 0, on_device_->differ.bytes(), 0);
    device_.launch(
        *on_device_->compare,
        {.grid_blocks = blocks, .shared_bytes = 0, .arguments = &arguments, .argument_bytes = sizeof arguments});
  });
  u32 differ = 1;
  device_.download(&differ, on_device_->differ, sizeof differ);
  return differ == 0;
}

void answer_check::keep(graph::vertex_id source) {
  proven_source_.reset();
  if (where_ == place::device) {
    try {
      if (!on_device_) {
        on_device_ = on_device{
            .compare = device_.compile(
                {.file = "compare_words.cu", .entry = "compare_words", .block_threads = threads, .defines = {}}),
            .proven = device_.allocate(found_.size() * sizeof(graph::distance_bits), "a proven answer"),
            .differ = device_.allocate(sizeof(u32), "the result of a comparison")};
      }
      device_.upload(on_device_->proven, found_.data(), on_device_->proven.bytes());
    } catch (const backends::out_of_device_memory&) {
      // The searches need the room more.
      on_device_.reset();
      where_ = place::host;
    }
  }
  if (where_ == place::host) proven_ = found_;
  proven_source_ = source;
}

}  // namespace mlmq::problems
