// SPDX-License-Identifier: Apache-2.0
#include "library/block_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "library/access.hpp"
#include "library/batch_runner.hpp"
#include "library/digraph_data.hpp"

namespace mlmq {

reduction reduction::within(std::vector<double> cutoffs, std::vector<double> opportunities) {
  return {.kind = quantity::sums_within, .limits = std::move(cutoffs), .opportunities = std::move(opportunities)};
}
reduction reduction::decayed(mlmq::decay decay, double scale, std::vector<double> opportunities) {
  return {.kind = quantity::decayed_sum, .opportunities = std::move(opportunities), .decay = decay, .scale = scale};
}
reduction reduction::histogram(std::vector<double> limits) {
  return {.kind = quantity::histogram, .limits = std::move(limits)};
}
reduction reduction::closeness() { return {.kind = quantity::closeness}; }
reduction reduction::eccentricity() { return {.kind = quantity::eccentricity}; }
reduction reduction::nearest(std::vector<vertex> members, std::size_t count) {
  return {.kind = quantity::nearest, .members = std::move(members), .count = count};
}

std::size_t reduction::columns() const {
  switch (kind) {
    case quantity::sums_within:
    case quantity::histogram:
      return limits.size();
    case quantity::closeness:
      return 2;
    case quantity::nearest:
      return 2 * count;
    case quantity::decayed_sum:
    case quantity::eccentricity:
      break;
  }
  return 1;
}

namespace detail {
namespace {

using reduction_type = reduction::quantity;

constexpr std::size_t most_nearest = most_reduction_words / 2;
/// Bits of the largest sum.
constexpr int sum_bits = 62;
/// Halvings after which nothing of a term is left.
constexpr double most_halvings = 64;

reduction_kind kernel_kind(const reduction& quantity) {
  switch (quantity.kind) {
    case reduction_type::sums_within:
    case reduction_type::histogram:
      return reduction_kind::binned_sums;
    case reduction_type::closeness:
      return reduction_kind::distance_sum;
    case reduction_type::eccentricity:
      return reduction_kind::farthest;
    case reduction_type::nearest:
      return reduction_kind::nearest;
    case reduction_type::decayed_sum:
      break;
  }
  if (quantity.decay == decay::exponential) return reduction_kind::exponential_sum;
  return quantity.decay == decay::gaussian ? reduction_kind::gaussian_sum : reduction_kind::linear_sum;
}

/// @param scale in the unit of the distances
double rate_of(decay shape, double scale) {
  constexpr double halvings_per_e = 1.4426950408889634;
  if (shape == decay::exponential) return halvings_per_e / scale;
  if (shape == decay::gaussian) return halvings_per_e / (2 * scale * scale);
  return 1 / scale;
}

/// Returns the distance from which on a decayed term is 0.
double reach_of(const reduction& quantity) {
  if (quantity.decay == decay::linear) return quantity.scale;
  const double halvings = most_halvings / rate_of(quantity.decay, quantity.scale);
  return quantity.decay == decay::exponential ? halvings : std::sqrt(halvings);
}

/// Returns the exponent e of the finest unit 2^-e in which no sum up to `largest` needs more than sum_bits bits.
int exponent_for(double largest) {
  if (!(largest > 0)) return 0;
  return std::min(sum_bits - 1 - std::ilogb(largest), std::numeric_limits<double>::max_exponent - 1);
}

/// @throws input_error if rounding to units of 2^-exponent changes an opportunity by more than one part in a million
std::uint64_t value_in_units(double opportunity, int exponent, vertex v) {
  const double exact = std::ldexp(opportunity, exponent);
  const double rounded = std::round(exact);
  if (std::abs(rounded - exact) > 1e-6 * exact) {
    throw input_error(fmt::format(
        "opportunities: {} at vertex {} is too small compared with their sum, which is counted in units of 2^-{}",
        opportunity, v, sum_bits - 1));
  }
  return static_cast<std::uint64_t>(rounded);
}

void check_limits(const char* name, const std::vector<double>& limits) {
  if (limits.empty() || limits.size() > most_reduction_words)
    throw input_error(fmt::format("{}: {} numbers, expected 1 to {}", name, limits.size(), most_reduction_words));
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (!(limits[i] >= 0))
      throw input_error(fmt::format("{}: {} (index {}), expected a number of at least 0", name, limits[i], i));
    if (i > 0 && limits[i] <= limits[i - 1])
      throw input_error(fmt::format("{}: {} after {}, expected ascending numbers", name, limits[i], limits[i - 1]));
  }
}

void check_opportunities(const digraph& graph, const std::vector<double>& opportunities) {
  if (opportunities.empty()) return;
  if (opportunities.size() != graph.vertex_count()) {
    throw input_error(fmt::format("opportunities: {} numbers, but {} has {} vertices", opportunities.size(),
                                  graph.name(), graph.vertex_count()));
  }
  for (std::size_t v = 0; v < opportunities.size(); ++v) {
    if (!(opportunities[v] >= 0) || !std::isfinite(opportunities[v]))
      throw input_error(
          fmt::format("opportunities: {} at vertex {}, expected a finite number of at least 0", opportunities[v], v));
  }
  if (!std::isfinite(std::reduce(opportunities.begin(), opportunities.end())))
    throw input_error("opportunities: their sum is too large");
}

void check_members(const digraph& graph, const reduction& quantity) {
  if (quantity.members.empty()) throw input_error("nearest: no vertices to choose from");
  for (std::size_t i = 0; i < quantity.members.size(); ++i) require_vertex(graph, "member", i, quantity.members[i]);
  if (quantity.count == 0 || quantity.count > most_nearest)
    throw input_error(fmt::format("nearest: a count of {}, expected 1 to {}", quantity.count, most_nearest));
}

/// @throws input_error for options that only apply to searches whose distances are handed over
void check_options(const batch_options& options) {
  if (!options.targets.empty()) throw input_error("targets: only solve_many() has them");
  if (options.keep_on_device) throw input_error("keep_on_device: only solve_many() keeps distances");
}

}  // namespace

void check_reductions(const digraph& graph, std::span<const reduction> quantities, const batch_options& options) {
  if (quantities.empty()) throw input_error("no reductions: expected at least one");
  check_options(options);
  for (const reduction& quantity : quantities) {
    switch (quantity.kind) {
      case reduction_type::sums_within:
        check_limits("cutoffs", quantity.limits);
        check_opportunities(graph, quantity.opportunities);
        break;
      case reduction_type::decayed_sum:
        if (!(quantity.scale > 0) || !std::isfinite(quantity.scale))
          throw input_error(fmt::format("scale: {}, expected a finite number above 0", quantity.scale));
        check_opportunities(graph, quantity.opportunities);
        break;
      case reduction_type::histogram:
        check_limits("limits", quantity.limits);
        break;
      case reduction_type::nearest:
        check_members(graph, quantity);
        break;
      case reduction_type::closeness:
      case reduction_type::eccentricity:
        break;
    }
  }
}

void check_pair_count(std::size_t pairs) {
  if (pairs < std::numeric_limits<std::uint32_t>::max()) return;
  throw input_error(fmt::format("pairs: {}, expected fewer than 2^32 - 1", pairs));
}

void check_pairs(const digraph& graph, std::span<const vertex> sources, std::span<const vertex> targets,
                 const batch_options& options) {
  check_options(options);
  if (sources.size() != targets.size())
    throw input_error(fmt::format("pairs: {} sources, but {} targets", sources.size(), targets.size()));
  check_pair_count(sources.size());
  for (std::size_t i = 0; i < targets.size(); ++i) require_vertex(graph, "target", i, targets[i]);
}

void check_quantities(const digraph& graph, std::span<const std::uint32_t> quantities) {
  if (quantities.size() == graph.edge_count()) return;
  throw input_error(
      fmt::format("quantities: {} numbers, but {} has {} edges", quantities.size(), graph.name(), graph.edge_count()));
}

reduction_tables::reduction_tables(const digraph& graph, problem kind, std::span<const reduction> quantities)
    : kind_(kind), quantities_(quantities), tables_(quantities.size()) {
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const reduction& quantity = quantities[i];
    tables_[i].columns = quantity.columns();
    multi_source::reduction words{.kind = kernel_kind(quantity)};
    int exponent = 0;
    if (quantity.kind == reduction_type::nearest) {
      words.vertices.assign(quantity.members.begin(), quantity.members.end());
      words.count = quantity.count;
    } else if (quantity.opportunities.empty()) {
      words.vertices.resize(graph.vertex_count());
      std::iota(words.vertices.begin(), words.vertices.end(), graph::vertex_id{0});
      words.has_all_vertices = true;
      // Decayed terms are fractions of the value.
      if (quantity.kind == reduction_type::decayed_sum) {
        exponent = exponent_for(static_cast<double>(graph.vertex_count()));
        words.values.assign(graph.vertex_count(), std::uint64_t{1} << exponent);
      }
    } else {
      exponent = exponent_for(std::reduce(quantity.opportunities.begin(), quantity.opportunities.end()));
      for (vertex v = 0; v < graph.vertex_count(); ++v) {
        if (quantity.opportunities[v] == 0) continue;
        words.vertices.push_back(v);
        words.values.push_back(value_in_units(quantity.opportunities[v], exponent, v));
      }
    }
    reductions_.push_back(std::move(words));
    exponents_.push_back(exponent);
  }
}

void reduction_tables::begin(const digraph& graph) {
  scale_ = {access::get(graph).csr, kind_};
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const reduction& quantity = quantities_[i];
    multi_source::reduction& words = reductions_[i];
    words.limits.clear();
    for (const double limit : quantity.limits) words.limits.push_back(scale_.word_within(limit));
    if (quantity.kind == reduction_type::decayed_sum)
      words.rate = rate_of(quantity.decay, quantity.scale * scale_.units());
  }
}

std::size_t reduction_tables::row_bytes() const {
  std::size_t words = 0;
  for (const multi_source::reduction& quantity : reductions_)
    words += multi_source::reduction_width(quantity, scale_.searched);
  return words * sizeof(std::uint64_t);
}

double reduction_tables::cutoff() const {
  double largest = 0;
  for (const reduction& quantity : quantities_) {
    if (quantity.kind == reduction_type::decayed_sum) {
      largest = std::max(largest, reach_of(quantity));
    } else {
      if (quantity.limits.empty()) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, quantity.limits.back());
    }
  }
  return largest;
}

void reduction_tables::prepare(reader_list& readers, backends::backend& device, std::size_t, std::size_t) const {
  // Reducers order the vertices on the device by rows, once for all blocks.
  if (!readers.empty()) return;
  for (const multi_source::reduction& quantity : reductions_)
    readers.push_back(multi_source::make_reducer(device, scale_.searched, quantity));
}

void reduction_tables::take(const result_words& results) {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const std::size_t width = multi_source::reduction_width(reductions_[i], scale_.searched);
    std::vector<double>& values = tables_[i].values;
    for (std::size_t row = 0; row < results[i].size(); row += width) {
      const std::span<const std::uint64_t> words = std::span(results[i]).subspan(row, width);
      if (quantities_[i].kind == reduction_type::closeness) {
        values.push_back(multi_source::distance_sum_of(scale_.searched, words) / scale_.units());
        values.push_back(static_cast<double>(words.back()));
        continue;
      }
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < width; ++k) {
        const std::uint64_t word = words[k];
        switch (quantities_[i].kind) {
          case reduction_type::sums_within:
            sum += word;
            values.push_back(std::ldexp(static_cast<double>(sum), -exponents_[i]));
            break;
          case reduction_type::eccentricity:
            values.push_back(scale_.distance_in(word));
            break;
          case reduction_type::nearest:
            if (k < quantities_[i].count) {
              values.push_back(word == no_result ? std::numeric_limits<double>::infinity() : scale_.distance_in(word));
            } else {
              values.push_back(word == no_result ? -1.0 : static_cast<double>(quantities_[i].members[word]));
            }
            break;
          case reduction_type::closeness:
          case reduction_type::decayed_sum:
          case reduction_type::histogram:
            values.push_back(std::ldexp(static_cast<double>(word), -exponents_[i]));
            break;
        }
      }
    }
  }
}

namespace {

/// The quantities of a search by their definition, in floating point.
class defined_quantities {
 public:
  defined_quantities(const reduction& quantity, std::span<const double> distances)
      : quantity_(quantity), distances_(distances) {}

  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> result;
    switch (quantity_.kind) {
      case reduction_type::sums_within:
        for (const double limit : quantity_.limits) result.push_back(sum([=](double d) { return d <= limit ? 1 : 0; }));
        break;
      case reduction_type::histogram:
        for (std::size_t i = 0; i < quantity_.limits.size(); ++i) {
          const double last = quantity_.limits[i];
          const double before = i == 0 ? -1 : quantity_.limits[i - 1];
          result.push_back(sum([=](double d) { return d > before && d <= last ? 1 : 0; }));
        }
        break;
      case reduction_type::decayed_sum:
        result.push_back(sum([this](double d) { return decayed(d / quantity_.scale); }));
        break;
      case reduction_type::closeness:
        result = {sum([](double d) { return d; }), sum([](double) { return 1; })};
        break;
      case reduction_type::eccentricity:
        result.push_back(0);
        for (const double d : distances_) result[0] = std::isinf(d) ? result[0] : std::max(result[0], d);
        break;
      case reduction_type::nearest:
        return nearest();
    }
    return result;
  }

 private:
  [[nodiscard]] double decayed(double d) const {
    if (quantity_.decay == decay::exponential) return std::exp(-d);
    return quantity_.decay == decay::gaussian ? std::exp(-d * d / 2) : std::max(0.0, 1 - d);
  }

  /// Returns the sum of the opportunities that are reached, each times factor(distance).
  template <class Factor>
  [[nodiscard]] double sum(const Factor& factor) const {
    long double result = 0;
    for (std::size_t v = 0; v < distances_.size(); ++v) {
      if (std::isinf(distances_[v])) continue;
      const double opportunity = quantity_.opportunities.empty() ? 1 : quantity_.opportunities[v];
      result += static_cast<long double>(opportunity) * static_cast<long double>(factor(distances_[v]));
    }
    return static_cast<double>(result);
  }

  [[nodiscard]] std::vector<double> nearest() const {
    std::vector<std::pair<double, vertex>> reached;
    for (const vertex member : quantity_.members) {
      if (!std::isinf(distances_[member])) reached.emplace_back(distances_[member], member);
    }
    std::ranges::stable_sort(reached, {}, &std::pair<double, vertex>::first);
    reached.resize(std::min(reached.size(), quantity_.count));
    std::vector<double> result(quantity_.count, std::numeric_limits<double>::infinity());
    result.resize(2 * quantity_.count, -1);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      result[i] = reached[i].first;
      result[quantity_.count + i] = reached[i].second;
    }
    return result;
  }

  const reduction& quantity_;
  std::span<const double> distances_;
};

}  // namespace

std::string reduction_tables::find_error(std::size_t search, std::span<const double> right) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const std::vector<double> expected = defined_quantities(quantities_[i], right).values();
    // Every term of a sum of values may be off by a unit, and powers by one part in 10^8.
    const bool has_units = !reductions_[i].values.empty();
    const double rounded = has_units ? std::ldexp(static_cast<double>(right.size()), -exponents_[i]) : 0;
    const double relative = has_units ? 1e-6 : 1e-12;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double actual = tables_[i].value(search, k);
      if (actual == expected[k] || std::abs(actual - expected[k]) <= rounded + relative * expected[k]) continue;
      return fmt::format("column {} of result {} is {}, expected {}", k, i, actual, expected[k]);
    }
  }
  return "";
}

grouped_pairs::grouped_pairs(std::size_t vertices, problem kind, std::span<const vertex> sources,
                             std::span<const vertex> targets)
    : kind_(kind), first_pair_{0}, targets_(sources.size()), pair_at_(sources.size()), distances_(sources.size()) {
  std::vector<std::uint32_t> next(vertices + 1, 0);  // place of the next pair of each source
  for (const vertex source : sources) ++next[source + 1];
  for (vertex v = 0; v < vertices; ++v) {
    if (next[v + 1] == 0) {
      next[v + 1] = next[v];
      continue;
    }
    sources_.push_back(v);
    next[v + 1] += next[v];
    first_pair_.push_back(next[v + 1]);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::uint32_t place = next[sources[i]]++;
    targets_[place] = targets[i];
    pair_at_[place] = static_cast<std::uint32_t>(i);
  }
}

void grouped_pairs::sum_along_paths(path_graph_cache& graphs, std::span<const std::uint32_t> quantities) {
  graphs_ = &graphs;
  quantities_ = quantities;
  path_sums_.resize(distances_.size());
}

void grouped_pairs::begin(const digraph& graph) {
  scale_ = {access::get(graph).csr, kind_};
  if (graphs_ != nullptr) path_graph_ = graphs_->find(graph, quantities_);
}

std::size_t grouped_pairs::row_bytes() const {
  const std::size_t pair_bytes = sizeof(double) + (graphs_ == nullptr ? 0 : sizeof(std::uint64_t));
  return (targets_.size() + sources_.size() - 1) / sources_.size() * pair_bytes;
}

void grouped_pairs::prepare(reader_list& readers, backends::backend& device, std::size_t first,
                            std::size_t count) const {
  const auto begin = first_pair_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<std::uint32_t> first_pair(begin, begin + static_cast<std::ptrdiff_t>(count) + 1);
  const auto targets = std::span(targets_).subspan(first_pair.front(), first_pair.back() - first_pair.front());
  const std::uint32_t offset = first_pair.front();
  for (std::uint32_t& place : first_pair) place -= offset;
  readers.clear();
  readers.push_back(
      multi_source::make_pair_reader(device, scale_.searched, first_pair, {targets.begin(), targets.end()}));
  if (path_graph_ == nullptr) return;
  const std::span<const vertex> sources = std::span(sources_).subspan(first, count);
  readers.push_back(make_path_sum_reader(device, path_graph_,
                                         {.sources = {sources.begin(), sources.end()},
                                          .first_pair = std::move(first_pair),
                                          .vertices = {targets.begin(), targets.end()}}));
}

std::string grouped_pairs::find_error(std::size_t search, std::span<const double> right) const {
  for (std::size_t place = first_pair_[search]; place < first_pair_[search + 1]; ++place) {
    const double actual = distances_[pair_at_[place]];
    const double expected = right[targets_[place]];
    if (actual != expected)
      return fmt::format("the distance to vertex {} is {}, expected {}", targets_[place], actual, expected);
  }
  return "";
}

void grouped_pairs::take(const result_words& results) {
  const std::vector<std::uint64_t>& words = results.front();
  for (std::size_t i = 0; i < words.size(); ++i, ++taken_) {
    distances_[pair_at_[taken_]] =
        words[i] == no_result ? std::numeric_limits<double>::infinity() : scale_.distance_in(words[i]);
    if (path_graph_ != nullptr) path_sums_[pair_at_[taken_]] = results[1][i];
  }
}

}  // namespace detail
}  // namespace mlmq
