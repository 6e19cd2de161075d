// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "graph/check.hpp"
#include "library/impl.hpp"
#include "library/predecessors.hpp"

namespace mlmq {
namespace detail {

namespace {

/// As many as callers have at hand together who look at one answer while the next is found.
constexpr std::size_t most_spare = 2;

}  // namespace

backends::device_memory spare_memory::take() {
  const std::lock_guard lock(mutex_);
  if (all_.empty()) return {};
  backends::device_memory last = std::move(all_.back());
  all_.pop_back();
  return last;
}

bool spare_memory::keep(backends::device_memory& memory) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || all_.size() >= most_spare) return false;
  all_.push_back(std::move(memory));
  return true;
}

void spare_memory::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  all_.clear();
}

kept_distances::~kept_distances() {
  const std::shared_ptr<spare_memory> spare = home.lock();
  if (spare == nullptr || !spare->keep(memory)) device->free(std::move(memory));
}

const std::vector<graph::distance_bits>& solution_data::words() const {
  if (kept == nullptr) return distances;
  std::call_once(brought, [this] {
    // What has a distance beyond 32 bits was brought here when it was found.
    if (!distances.empty()) return;
    std::vector<graph::distance_bits> found(vertex_count());
    translated([&] { kept->device->own->read(found.data(), kept->memory.address(), found.size() * sizeof found[0]); });
    if (type() == graph::weight_type::float32) {
      constexpr auto infinite = std::bit_cast<graph::distance_bits>(std::numeric_limits<float>::infinity());
      std::replace(found.begin(), found.end(), infinite, graph::unreached);
    }
    distances = std::move(found);
  });
  return distances;
}

}  // namespace detail

vertex solution::source() const noexcept { return data_->source; }
const choice& solution::choice() const noexcept { return data_->chosen; }
const solve_times& solution::times() const noexcept { return data_->times; }
const std::vector<std::pair<std::string, double>>& solution::counters() const noexcept { return data_->counters; }

const std::vector<timeline_interval>& solution::timeline() const noexcept { return data_->timeline; }

number_type solution::type() const noexcept {
  return data_->type() == graph::weight_type::uint32 ? number_type::uint32 : number_type::float32;
}

double solution::distance(vertex v) const {
  if (v >= data_->vertex_count()) {
    throw input_error(detail::not_a_vertex(data_->graph, v));
  }
  return graph::distance_value(data_->type(), data_->words()[v]);
}

std::span<const std::uint32_t> solution::distances_uint32() const {
  if (type() != number_type::uint32) throw input_error("the distances are float32: use distances_float32()");
  static_assert(unreachable == graph::unreached);
  return data_->words();
}

std::span<const float> solution::distances_float32() const {
  if (type() != number_type::float32) throw input_error("the distances are uint32: use distances_uint32()");
  std::call_once(data_->floats_made, [&] {
    const std::vector<graph::distance_bits>& words = data_->words();
    data_->floats.reserve(words.size());
    for (const graph::distance_bits bits : words) {
      data_->floats.push_back(bits == graph::unreached ? std::numeric_limits<float>::infinity()
                                                       : std::bit_cast<float>(bits));
    }
  });
  return data_->floats;
}

device_array solution::device_distances() const {
  if (data_->kept == nullptr) {
    throw input_error("the distances are not in the memory of a device: see solve_options::keep_on_device");
  }
  return {.data = data_->kept->memory.address(),
          .count = data_->vertex_count(),
          .type = type(),
          .device = data_->kept->device->facts.selector};
}

bool solution::exact() const { return !graph::has_saturated(data_->type(), data_->words()); }

std::vector<vertex> solution::predecessors(unsigned threads) const {
  return graph::predecessors(detail::access::get(data_->graph).csr, data_->kind == problem::bfs, data_->source,
                             data_->words(), threads);
}

std::vector<vertex> solution::path(vertex v) const {
  if (v >= data_->vertex_count()) throw input_error(detail::not_a_vertex(data_->graph, v));
  std::vector<vertex> steps;
  if (data_->words()[v] == graph::unreached) return steps;
  std::call_once(data_->tree_made, [&] { data_->tree = predecessors(); });
  for (; v != no_vertex; v = data_->tree[v]) steps.push_back(v);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::string solution::check() const {
  const graph::csr_graph& csr = detail::access::get(data_->graph).csr;
  return graph::check_distances(data_->kind == problem::bfs ? graph::with_unit_weights(csr) : csr, data_->source,
                                data_->words())
      .message;
}

}  // namespace mlmq
