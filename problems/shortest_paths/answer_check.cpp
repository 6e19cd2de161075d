// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/answer_check.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "compare_words_abi.cuh"
#include "graph/check.hpp"
#include "problems/shortest_paths/helper_kernels.hpp"
#include "problems/shortest_paths/resident_graph.hpp"

namespace mlmq::problems {
namespace {

/// More blocks would only wait for memory.
constexpr unsigned blocks_per_multiprocessor = 4;

template <class Bits>
void download_as(graph::distance_array& to, backends::backend& device, std::size_t count,
                 const backends::device_memory& from) {
  if (!std::holds_alternative<std::vector<Bits>>(to)) to = std::vector<Bits>();
  auto& values = std::get<std::vector<Bits>>(to);
  values.resize(count);
  device.download(values.data(), from, values.size() * sizeof(Bits));
}

/// Reuses the memory of `to`.
void download_to(graph::distance_array& to, backends::backend& device, const graph::csr_graph& graph,
                 const backends::device_memory& from) {
  if (graph.weights() == graph::weight_type::float64) {
    download_as<graph::wide_distance_bits>(to, device, graph.vertex_count(), from);
  } else {
    download_as<graph::distance_bits>(to, device, graph.vertex_count(), from);
  }
}

}  // namespace

answer_check::answer_check(backends::backend& device, const graph::csr_graph& graph,
                           const backends::device_memory& distances, place where)
    : device_(device), graph_(graph), distances_(distances), where_(where) {}

answer_check::place answer_check::best_place(const backends::device_info& device) {
  return device.grid && !device.modelled ? place::device : place::host;
}

graph::distance_array answer_check::download() const {
  graph::distance_array values;
  download_to(values, device_, graph_, distances_);
  return values;
}

void answer_check::find() { download_to(found_, device_, graph_, distances_); }

std::string answer_check::operator()(graph::vertex_id source) {
  if (is_proven(source)) return "";
  find();
  const graph::check_result result =
      std::visit([&](const auto& found) { return graph::check_distances(graph_, source, found); }, found_);
  if (!result.ok) return result.message;
  const auto* const narrow = std::get_if<std::vector<graph::distance_bits>>(&found_);
  saturated_ = narrow != nullptr ? graph::has_saturated(graph_.weights(), *narrow)
                                 : graph::has_saturated(std::get<std::vector<graph::wide_distance_bits>>(found_));
  keep(source);
  return "";
}

bool answer_check::is_proven(graph::vertex_id source) {
  if (proven_source_ != source) return false;
  if (where_ == place::device) return is_equal_on_device();
  find();
  return found_ == proven_;
}

bool answer_check::is_equal_on_device() const {
  const comparison_arguments arguments{.one = distances_.as<u32>(),
                                       .other = on_device_->proven.as<u32>(),
                                       .differ = on_device_->differ.as<u32>(),
                                       .words = on_device_->proven.bytes() / sizeof(u32)};
  const unsigned most = blocks_per_multiprocessor * device_.info().multiprocessors;
  const unsigned blocks = std::clamp(on_device_->compare->resident_blocks(0), 1U, most);
  u32 differ = 1;
  const backends::wanted_copy wanted{.from = &on_device_->differ, .to = &differ, .bytes = sizeof differ};
  device_.measure_and_download(
      [&] {
        device_.fill(on_device_->differ, 0, on_device_->differ.bytes(), 0);
        device_.launch(
            *on_device_->compare,
            {.grid_blocks = blocks, .shared_bytes = 0, .arguments = &arguments, .argument_bytes = sizeof arguments});
      },
      std::span(&wanted, 1));
  return differ == 0;
}

void answer_check::keep(graph::vertex_id source) {
  proven_source_.reset();
  if (where_ == place::device) {
    try {
      if (!on_device_) {
        on_device_ = on_device{
            .compare = device_.compile(helper_variant("compare_words", device_.info())),
            .proven = device_.allocate(graph_.vertex_count() * distance_bytes(graph_.weights()), "a proven answer"),
            .differ = device_.allocate(sizeof(u32), "the result of a comparison")};
      }
      std::visit(
          [&](const auto& found) { device_.upload(on_device_->proven, found.data(), on_device_->proven.bytes()); },
          found_);
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
