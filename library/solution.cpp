// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <variant>

#include "base/error.hpp"
#include "base/thread_team.hpp"
#include "graph/check.hpp"
#include "library/access.hpp"
#include "library/conversions.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/errors.hpp"
#include "library/predecessors.hpp"
#include "library/solution_data.hpp"

namespace mlmq {
namespace detail {

namespace {

template <class Number>
uninitialized_vector<Number> download_kept(const solution_data& solution) {
  uninitialized_vector<Number> numbers(solution.vertex_count());
  translated([&] {
    solution.device_distances->device->backend->read(numbers.data(), solution.device_distances->memory.address(),
                                                     numbers.size() * sizeof(Number));
  });
  return numbers;
}

/// Downloads kept distances and restores the values that a search leaves: `none` for unreachable vertices.
template <class Float, class Bits>
uninitialized_vector<Bits> kept_as(const solution_data& solution, Bits none) {
  uninitialized_vector<Bits> distances = download_kept<Bits>(solution);
  if (solution.scale().searched != graph::weight_type::uint32) {
    std::ranges::replace(distances, std::bit_cast<Bits>(std::numeric_limits<Float>::infinity()), none);
  }
  return distances;
}

/// Like kept_as(), for decimals.
uninitialized_vector<graph::distance_bits> kept_decimals(const solution_data& solution) {
  const double units = solution.scale().units();
  uninitialized_vector<graph::distance_bits> words;
  words.reserve(solution.vertex_count());
  for (const double distance : download_kept<double>(solution)) {
    words.push_back(std::isinf(distance) ? graph::unreached
                                         : static_cast<graph::distance_bits>(std::nearbyint(distance * units)));
  }
  return words;
}

}  // namespace

const graph::distance_array& solution_data::host_distances() const {
  if (device_distances == nullptr) return distances;
  std::call_once(downloaded, [this] {
    distances = scale().decimal_places ? graph::distance_array(kept_decimals(*this))
                : is_wide()            ? graph::distance_array(kept_as<double>(*this, graph::wide_unreached))
                                       : graph::distance_array(kept_as<float>(*this, graph::unreached));
  });
  return distances;
}

namespace {

/// @param none mark of an unreached vertex, larger than all distances
template <class Bits>
reach reach_of_words(const uninitialized_vector<Bits>& words, Bits none, const distance_scale& scale) {
  struct part {
    std::size_t vertices = 0;
    Bits longest = 0;
  };
  constexpr std::size_t block = std::size_t{1} << 18;
  std::vector<part> parts(words.size() / block + 1);
  for_each_block(words.size(), block, [&](std::size_t index, std::size_t first, std::size_t last) {
    part of_block;
    for (std::size_t v = first; v < last; ++v) {
      const bool is_reached = words[v] != none;
      of_block.vertices += is_reached ? 1 : 0;
      of_block.longest = std::max(of_block.longest, is_reached ? words[v] : Bits{0});
    }
    parts[index] = of_block;
  });
  part total;
  for (const part& of_block : parts) {
    total.vertices += of_block.vertices;
    total.longest = std::max(total.longest, of_block.longest);
  }
  return {.vertices = total.vertices, .longest = total.vertices > 0 ? scale.value_of(total.longest) : 0};
}

}  // namespace

reach reach_of(const solution& answer) {
  const solution_data& data = access::get(answer);
  return data.is_wide() ? reach_of_words(data.wide(), graph::wide_unreached, data.scale())
                        : reach_of_words(data.narrow(), graph::unreached, data.scale());
}

}  // namespace detail

vertex solution::source() const noexcept { return data_->source; }
const choice& solution::choice() const noexcept { return data_->chosen; }
const solve_times& solution::times() const noexcept { return data_->times; }
const std::vector<std::pair<std::string, double>>& solution::counters() const noexcept { return data_->counters; }

const std::vector<timeline_interval>& solution::timeline() const noexcept { return data_->timeline; }

number_type solution::type() const noexcept { return data_->scale().delivered(); }

namespace {

/// Returns the name of the accessor for distances of a type.
const char* accessor_of(number_type type) {
  switch (type) {
    case number_type::uint32:
      return "distances_uint32()";
    case number_type::float32:
      return "distances_float32()";
    case number_type::float64:
      break;
  }
  return "distances_float64()";
}

void require_type(number_type actual, number_type requested) {
  if (actual == requested) return;
  throw input_error(
      fmt::format("the distances are {}: use {}", graph::name_of(detail::type_of(actual)), accessor_of(actual)));
}

template <class Float, class Bits>
std::vector<Float> as_floats(const uninitialized_vector<Bits>& distances, Bits none) {
  std::vector<Float> floats;
  floats.reserve(distances.size());
  for (const Bits bits : distances) {
    floats.push_back(bits == none ? std::numeric_limits<Float>::infinity() : std::bit_cast<Float>(bits));
  }
  return floats;
}

}  // namespace

double solution::distance(vertex v) const {
  if (v >= data_->vertex_count()) throw input_error(detail::not_a_vertex(data_->graph, v));
  const detail::distance_scale scale = data_->scale();
  return data_->is_wide() ? scale.value_of(data_->wide()[v]) : scale.value_of(data_->narrow()[v]);
}

std::span<const std::uint32_t> solution::distances_uint32() const {
  require_type(type(), number_type::uint32);
  static_assert(unreachable == graph::unreached);
  return data_->narrow();
}

std::span<const float> solution::distances_float32() const {
  require_type(type(), number_type::float32);
  std::call_once(data_->floats_made, [&] { data_->floats = as_floats<float>(data_->narrow(), graph::unreached); });
  return data_->floats;
}

std::span<const double> solution::distances_float64() const {
  require_type(type(), number_type::float64);
  std::call_once(data_->floats_made, [&] {
    if (const detail::distance_scale scale = data_->scale(); scale.decimal_places) {
      data_->doubles.resize(data_->vertex_count());
      scale.write_values(data_->narrow(), data_->doubles);
    } else {
      data_->doubles = as_floats<double>(data_->wide(), graph::wide_unreached);
    }
  });
  return data_->doubles;
}

device_array solution::device_distances() const {
  if (data_->device_distances == nullptr) {
    throw input_error("the distances are not in device memory: set solve_options::keep_on_device");
  }
  return {.data = data_->device_distances->memory.address(),
          .count = data_->vertex_count(),
          .type = type(),
          .device = data_->device_distances->device->facts.selector};
}

std::vector<vertex> solution::predecessors(unsigned threads) const {
  const graph::csr_graph& csr = detail::access::get(data_->graph).csr;
  if (data_->is_wide()) return graph::predecessors(csr, data_->source, data_->wide(), threads);
  return graph::predecessors(csr, data_->kind == problem::bfs, data_->source, data_->narrow(), threads);
}

std::vector<vertex> solution::path(vertex v) const {
  if (v >= data_->vertex_count()) throw input_error(detail::not_a_vertex(data_->graph, v));
  std::vector<vertex> steps;
  const bool is_reached =
      data_->is_wide() ? data_->wide()[v] != graph::wide_unreached : data_->narrow()[v] != graph::unreached;
  if (!is_reached) return steps;
  std::call_once(data_->tree_made, [&] { data_->tree = predecessors(); });
  for (; v != no_vertex; v = data_->tree[v]) steps.push_back(v);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::string solution::check() const {
  const graph::csr_graph& csr = detail::access::get(data_->graph).csr;
  if (data_->is_wide()) return graph::check_distances(csr, data_->source, data_->wide()).message;
  return graph::check_distances(data_->kind == problem::bfs ? graph::with_unit_weights(csr) : csr, data_->source,
                                data_->narrow())
      .message;
}

}  // namespace mlmq
