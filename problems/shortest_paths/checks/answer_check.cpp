// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/checks/answer_check.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "compare_words_abi.cuh"
#include "graph/check.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::problems {
namespace {

/// The kernel is memory-bound, so more blocks do not help.
constexpr unsigned blocks_per_multiprocessor = 4;

template <class Bits>
void download_as(graph::distance_array& distances, backends::backend& device, std::size_t count,
                 const backends::device_memory& device_distances) {
  if (!std::holds_alternative<uninitialized_vector<Bits>>(distances)) distances = uninitialized_vector<Bits>();
  auto& values = std::get<uninitialized_vector<Bits>>(distances);
  values.resize(count);
  device.download(values.data(), device_distances, values.size() * sizeof(Bits));
}

/// Reuses the memory of `distances`.
void download_to(graph::distance_array& distances, backends::backend& device, const graph::csr_graph& graph,
                 const backends::device_memory& device_distances) {
  if (graph.weights() == graph::weight_type::float64) {
    download_as<graph::wide_distance_bits>(distances, device, graph.vertex_count(), device_distances);
  } else {
    download_as<graph::distance_bits>(distances, device, graph.vertex_count(), device_distances);
  }
}

}  // namespace

answer_check::answer_check(backends::backend& device, const graph::csr_graph& graph,
                           const backends::device_memory& distances, place location)
    : device_(device), graph_(graph), distances_(distances), location_(location) {}

answer_check::place answer_check::best_place(const backends::device_info& device) {
  return device.grid && !device.modelled ? place::device : place::host;
}

graph::distance_array answer_check::download() const {
  graph::distance_array values;
  download_to(values, device_, graph_, distances_);
  return values;
}

void answer_check::download_answer() { download_to(downloaded_, device_, graph_, distances_); }

std::string answer_check::operator()(graph::vertex_id source) {
  if (is_proven(source)) return "";
  download_answer();
  const graph::check_result result =
      std::visit([&](const auto& distances) { return graph::check_distances(graph_, source, distances); }, downloaded_);
  if (!result.ok) return result.message;
  const auto* const narrow = std::get_if<uninitialized_vector<graph::distance_bits>>(&downloaded_);
  saturated_ = narrow != nullptr
                   ? graph::has_saturated(graph_.weights(), *narrow)
                   : graph::has_saturated(std::get<uninitialized_vector<graph::wide_distance_bits>>(downloaded_));
  keep(source);
  return "";
}

bool answer_check::is_proven(graph::vertex_id source) {
  if (proven_source_ != source) return false;
  if (location_ == place::device) return is_equal_on_device();
  download_answer();
  return downloaded_ == proven_;
}

bool answer_check::is_equal_on_device() const {
  const comparison_arguments arguments{.first = distances_.as<u32>(),
                                       .second = on_device_->proven.as<u32>(),
                                       .differs = on_device_->differs.as<u32>(),
                                       .words = on_device_->proven.bytes() / sizeof(u32)};
  const unsigned most = blocks_per_multiprocessor * device_.info().multiprocessors;
  const unsigned blocks = std::clamp(on_device_->compare->resident_blocks(0), 1U, most);
  u32 differ = 1;
  const backends::host_copy result_copy{.source = &on_device_->differs, .destination = &differ, .bytes = sizeof differ};
  device_.measure_and_download(
      [&] {
        device_.fill(on_device_->differs, 0, on_device_->differs.bytes(), 0);
        device_.launch(
            *on_device_->compare,
            {.grid_blocks = blocks, .shared_bytes = 0, .arguments = &arguments, .argument_bytes = sizeof arguments});
      },
      std::span(&result_copy, 1));
  return differ == 0;
}

void answer_check::keep(graph::vertex_id source) {
  proven_source_.reset();
  if (location_ == place::device) {
    try {
      if (!on_device_) {
        on_device_ = on_device{
            .compare = device_.compile(helper_variant("compare_words", device_.info())),
            .proven = device_.allocate(graph_.vertex_count() * distance_bytes(graph_.weights()), "a proven answer"),
            .differs = device_.allocate(sizeof(u32), "the result of a comparison")};
      }
      std::visit(
          [&](const auto& distances) {
            device_.upload(on_device_->proven, distances.data(), on_device_->proven.bytes());
          },
          downloaded_);
    } catch (const backends::out_of_device_memory&) {
      // Frees the memory, because the searches need it more.
      on_device_.reset();
      location_ = place::host;
    }
  }
  if (location_ == place::host) proven_ = downloaded_;
  proven_source_ = source;
}

}  // namespace mlmq::problems
