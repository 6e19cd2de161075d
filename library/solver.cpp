// SPDX-License-Identifier: Apache-2.0
// The forms of requests, and how several devices share them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "library/block_readers.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/solver_data.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq {

std::string complete_configuration(const std::string& text) {
  const bool is_for_many = detail::use_of(text) == detail::configuration_use::many;
  const auto parameters = is_for_many ? tuner::parameter_set::from_declarations(multi_source::declared_parameters())
                                      : tuner::parameter_set::from_declarations(problems::search_declarations(),
                                                                                problems::search_presets());
  return parameters.parse_label(text).label();
}

solver::solver(const device& device, const digraph& graph, problem kind) {
  const std::vector<mlmq::device> members = device.members();
  if (detail::access::get(graph).device_rows != nullptr)
    (void)detail::single_device(device, "a graph whose rows are in memory of a device is searched");
  data_ = std::make_shared<detail::solver_data>(detail::access::share(members.front()), graph, kind);
  for (const mlmq::device& other : std::span(members).subspan(1)) data_->add_device(detail::access::share(other));
}

namespace {

/// Changes the weights of all devices. They are locked first, since a stop request must not leave them with different
/// weights.
template <class Weights>
void update(detail::solver_data& data, Weights weights) {
  const detail::shared_requests::change change(data.shared());
  const std::vector<detail::solver_data*> devices = data.devices();
  std::vector<std::unique_ptr<detail::device_lock>> locks;
  for (detail::solver_data* const device : devices)
    locks.push_back(std::make_unique<detail::device_lock>(device->device()));
  detail::translated([&] {
    data.enter();
    data.update_weights(std::move(weights));
    for (detail::solver_data* const other : std::span(devices).subspan(1)) {
      other->enter();
      other->take_weights_of(data);
    }
  });
}

}  // namespace

double solver::upload() {
  double milliseconds = 0;
  for (detail::solver_data* const next : data_->devices()) {
    const detail::device_lock lock(next->device());
    milliseconds += detail::translated([&] {
      next->enter();
      return next->upload();
    });
  }
  return milliseconds;
}

void solver::update_weights(std::span<const std::uint32_t> weights) {
  update(*data_, std::vector<std::uint32_t>(weights.begin(), weights.end()));
}
void solver::update_weights(std::span<const float> weights) {
  update(*data_, std::vector<float>(weights.begin(), weights.end()));
}
void solver::update_weights(std::span<const double> weights) {
  update(*data_, std::vector<double>(weights.begin(), weights.end()));
}

void solver::update_weights(const device_weight_array& weights) { update(*data_, weights); }

bool solver::resident() const {
  return std::ranges::all_of(data_->devices(), [](detail::solver_data* data) {
    const detail::device_lock lock(data->device());
    return data->is_resident();
  });
}

choice solver::choose(const solve_options& options) {
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    return data_->choose(options);
  });
}

namespace {

void check_search(const digraph& graph, vertex source, const solve_options& options) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {}: {} has vertices 0 to {}", source, graph.name(), graph.vertex_count() - 1));
  }
  detail::require_time_limit(options.time_limit_ms);
}

}  // namespace

std::vector<tried> solver::try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
  if (sources.empty() || count == 0)
    throw input_error("nothing to try: expected at least one source and a count of at least 1");
  for (const vertex source : sources) check_search(data_->graph(), source, options);
  if (!options.configurations.empty())
    throw input_error("nothing to try: expected no configurations, because the model chooses which to try");
  if (options.counters || options.timeline) {
    throw input_error("counters and a timeline would distort the times to compare: turn them off");
  }
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, false);
    return data_->try_out(sources, count, options);
  });
}

solution solver::solve(vertex source, const solve_options& options) {
  check_search(data_->graph(), source, options);
  if (options.counters && options.timeline)
    throw input_error("counters and a timeline cannot be recorded in one search: choose one of them");
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, options.keep_on_device);
    return data_->solve(source, options);
  });
}

namespace {

/// @param type  type of the `count` numbers at `out`
search_summary search_into(detail::solver_data& data, vertex source, std::span<std::byte> out, std::size_t count,
                           number_type type, const solve_options& options) {
  check_search(data.graph(), source, options);
  if (options.counters && options.timeline)
    throw input_error("counters and a timeline cannot be recorded in one search: choose one of them");
  if (options.keep_on_device)
    throw input_error("distances cannot both stay on the device and be written to host memory");
  if (const number_type expected = data.delivered_type(); expected != type) {
    throw input_error(fmt::format("the distances of {} are {}: pass solve_into() an array of this type",
                                  data.graph().name(), graph::name_of(detail::type_of(expected))));
  }
  if (count != data.graph().vertex_count()) {
    throw input_error(fmt::format("an array of {} distances, but {} has {} vertices", count, data.graph().name(),
                                  data.graph().vertex_count()));
  }
  const detail::device_lock lock(data.device());
  return detail::translated([&] {
    data.enter();
    data.wait_for_stream(options.stream, false);
    return data.solve_into(source, out, options);
  });
}

}  // namespace

search_summary solver::solve_into(vertex source, std::span<std::uint32_t> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::uint32, options);
}

search_summary solver::solve_into(vertex source, std::span<float> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::float32, options);
}

search_summary solver::solve_into(vertex source, std::span<double> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::float64, options);
}

namespace {

/// Runs a request that has been checked.
batch_summary search_many(detail::solver_data& data, std::span<const vertex> sources, const batch_options& options,
                          const take_distances& take, detail::block_readers* readers) {
  detail::device_lock lock(data.device());
  return detail::translated([&] {
    data.enter();
    data.wait_for_stream(options.stream, options.keep_on_device);
    const solve_options single{.configurations = options.configurations,
                               .model = options.model,
                               .place = placement::device,
                               .time_limit_ms = options.time_limit_ms};
    const auto search_one = [&](vertex source, std::span<std::byte> distances) {
      return data.solve_into_words(source, distances, single, detail::attempt_purpose::search_of_many);
    };
    const bool is_one_by_one = data.use_of(options.configurations) == detail::configuration_use::single;
    return detail::solver_data::runner_lease(data).runner->run(sources, options, take, readers, lock, search_one,
                                                               is_one_by_one);
  });
}

/// Adds a part of the searches that a device has made.
void add(device_share& device, const batch_summary& part, double elapsed_ms) {
  device.searches += part.searches;
  device.choice = part.choice;
  detail::add(device.times, part.times);
  if (device.tried.empty()) device.tried = part.tried;
  device.elapsed_ms += elapsed_ms;
}

std::vector<std::string> names_of(std::span<detail::solver_data* const> devices) {
  std::vector<std::string> names;
  for (const detail::solver_data* const next : devices) names.push_back(next->device().facts.name);
  return names;
}

/// Shares the searches of a request among the devices of a solver.
/// @param search  runs a part on a device
/// @param calls_back  whether it calls a function of the caller
batch_summary share(
    detail::solver_data& solver, std::size_t searches, const batch_options& options,
    const std::function<batch_summary(detail::solver_data& device, const detail::search_range& part)>& search,
    bool calls_back = false) {
  const std::vector<detail::solver_data*> devices = solver.devices();
  std::vector<device_share> shares(devices.size());
  batch_summary sum;
  std::mutex mutex;
  const auto search_part = [&](std::size_t device, const detail::search_range& part) {
    const auto start = std::chrono::steady_clock::now();
    const batch_summary done = search(*devices[device], part);
    const std::lock_guard lock(mutex);
    add(shares[device], done, milliseconds_since(start));
    sum.searches += done.searches;
    sum.digest += done.digest;
  };
  if (devices.size() == 1) {
    search_part(0, {.first = 0, .count = searches});
  } else {
    if (options.keep_on_device || options.stream != nullptr)
      throw input_error("keep_on_device and stream: a solver with several devices has neither");
    const detail::shared_requests::request request(solver.shared(), calls_back);
    detail::share_searches(names_of(devices), searches, options.searches_together, search_part);
  }
  const auto longest =
      std::ranges::max_element(shares, {}, [](const device_share& device) { return device.times.solve; });
  sum.choice = longest->choice;
  sum.times = longest->times;
  sum.tried = longest->tried;
  sum.devices = std::move(shares);
  return sum;
}

}  // namespace

batch_summary solver::solve_many(std::span<const vertex> sources, const batch_options& options,
                                 const take_distances& take) {
  detail::check_multi_source_request(data_->graph(), sources, options);
  std::mutex taking;
  const auto search = [&](detail::solver_data& device, const detail::search_range& part) {
    take_distances take_part;
    if (take) {
      take_part = [&](const distance_rows& block) {
        distance_rows numbered = block;
        numbered.first += part.first;
        const std::lock_guard lock(taking);
        throw_if_stopped();
        take(numbered);
      };
    }
    return search_many(device, sources.subspan(part.first, part.count), options, take_part, nullptr);
  };
  return share(*data_, sources.size(), options, search, static_cast<bool>(take));
}

reduced_searches solver::reduce(std::span<const vertex> sources, std::span<const reduction> reductions,
                                const batch_options& options) {
  detail::check_multi_source_request(data_->graph(), sources, options);
  detail::check_reductions(data_->graph(), reductions, options);
  reduced_searches result;
  for (const reduction& quantity : reductions) {
    const std::size_t columns = quantity.columns();
    result.tables.push_back({.columns = columns, .values = std::vector<double>(sources.size() * columns)});
  }
  result.summary =
      share(*data_, sources.size(), options, [&](detail::solver_data& device, const detail::search_range& part) {
        batch_options limited = options;
        const double cutoff = options.cutoff.value_or(std::numeric_limits<double>::infinity());
        detail::reduction_tables tables(device.graph(), device.kind(), reductions);
        if (tables.cutoff() < cutoff) limited.cutoff = tables.cutoff();
        batch_summary summary = search_many(device, sources.subspan(part.first, part.count), limited, {}, &tables);
        const std::vector<reduced_table> rows = std::move(tables).tables();
        for (std::size_t i = 0; i < rows.size(); ++i) {
          std::ranges::copy(rows[i].values, result.tables[i].values.begin() +
                                                static_cast<std::ptrdiff_t>(part.first * rows[i].columns));
        }
        return summary;
      });
  return result;
}

namespace {

/// Searches pairs on one device. @param quantities to be summed along the paths; null: none
path_sums search_pairs_on(detail::solver_data& device, std::span<const vertex> sources, std::span<const vertex> targets,
                          const std::span<const std::uint32_t>* quantities, const batch_options& options) {
  detail::grouped_pairs pairs(device.graph().vertex_count(), device.kind(), sources, targets);
  if (quantities != nullptr) pairs.sum_along_paths(device.path_graphs(), *quantities);
  path_sums result{.distances = {}, .sums = {}, .summary = search_many(device, pairs.sources(), options, {}, &pairs)};
  result.distances = std::move(pairs).distances();
  result.sums = std::move(pairs).path_sums();
  return result;
}

path_sums search_pairs(detail::solver_data& data, std::span<const vertex> sources, std::span<const vertex> targets,
                       const std::span<const std::uint32_t>* quantities, const batch_options& options) {
  detail::check_multi_source_request(data.graph(), sources, options);
  detail::check_pairs(data.graph(), sources, targets, options);
  if (quantities != nullptr) detail::check_quantities(data.graph(), *quantities);
  path_sums result;
  if (data.devices().size() == 1) {
    result.summary =
        share(data, sources.size(), options, [&](detail::solver_data& device, const detail::search_range&) {
          result = search_pairs_on(device, sources, targets, quantities, options);
          return result.summary;
        });
    return result;
  }
  result.distances.resize(sources.size());
  if (quantities != nullptr) result.sums.resize(sources.size());
  // Pairs of one source belong to one device, so that it is searched once.
  std::vector<std::size_t> by_source(sources.size());
  std::iota(by_source.begin(), by_source.end(), std::size_t{0});
  std::ranges::stable_sort(by_source, {}, [&](std::size_t i) { return sources[i]; });
  std::vector<std::size_t> first_pair;  // of each different source
  for (std::size_t i = 0; i < by_source.size(); ++i) {
    if (i == 0 || sources[by_source[i]] != sources[by_source[i - 1]]) first_pair.push_back(i);
  }
  first_pair.push_back(by_source.size());
  const std::size_t different = first_pair.size() - 1;
  result.summary = share(data, different, options, [&](detail::solver_data& device, const detail::search_range& part) {
    const std::size_t begin = first_pair[part.first];
    const auto pairs = std::span(by_source).subspan(begin, first_pair[part.first + part.count] - begin);
    std::vector<vertex> part_sources;
    std::vector<vertex> part_targets;
    for (const std::size_t i : pairs) {
      part_sources.push_back(sources[i]);
      part_targets.push_back(targets[i]);
    }
    path_sums sums = search_pairs_on(device, part_sources, part_targets, quantities, options);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      result.distances[pairs[i]] = sums.distances[i];
      if (quantities != nullptr) result.sums[pairs[i]] = sums.sums[i];
    }
    return std::move(sums.summary);
  });
  return result;
}

}  // namespace

pair_distances solver::solve_pairs(std::span<const vertex> sources, std::span<const vertex> targets,
                                   const batch_options& options) {
  path_sums result = search_pairs(*data_, sources, targets, nullptr, options);
  return {.distances = std::move(result.distances), .summary = std::move(result.summary)};
}

path_sums solver::sum_pair_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                 std::span<const std::uint32_t> quantities, const batch_options& options) {
  return search_pairs(*data_, sources, targets, &quantities, options);
}

path_sums solver::sum_matrix_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                   std::span<const std::uint32_t> quantities, const batch_options& options) {
  if (targets.empty()) throw input_error("no targets: expected at least one");
  detail::check_multi_source_request(data_->graph(), sources, options);
  for (std::size_t i = 0; i < targets.size(); ++i) detail::require_vertex(data_->graph(), "target", i, targets[i]);
  detail::check_pair_count(sources.size() * targets.size());
  std::vector<vertex> pair_sources;
  std::vector<vertex> pair_targets;
  for (const vertex source : sources) {
    pair_sources.insert(pair_sources.end(), targets.size(), source);
    pair_targets.insert(pair_targets.end(), targets.begin(), targets.end());
  }
  return sum_pair_paths(pair_sources, pair_targets, quantities, options);
}

namespace {

/// Shares a batch of sources among the devices of a solver. The sums are integers, so that their order does not matter.
/// @param lock  of the first device; released meanwhile
double add_betweenness(detail::solver_data& solver, std::span<const vertex> sources, const betweenness_options& options,
                       const score_units& units, std::vector<fixed_score>& sums, betweenness_scores& scores,
                       detail::device_lock& lock) {
  const std::vector<detail::solver_data*> devices = solver.devices();
  std::vector<betweenness_scores> shares(devices.size());
  std::mutex mutex;
  const auto search_part = [&](std::size_t device, const detail::search_range& part) {
    const detail::device_lock of_device(devices[device]->device());
    std::vector<fixed_score> part_sums(sums.size(), {.whole = 0, .fine = 0});
    detail::translated([&] {
      devices[device]->enter();
      (void)devices[device]->betweenness().add_up(sources.subspan(part.first, part.count), options, units, part_sums,
                                                  shares[device]);
    });
    const std::lock_guard adding(mutex);
    detail::add(sums, part_sums);
  };
  const auto start = std::chrono::steady_clock::now();
  lock.unlock();
  detail::share_searches(names_of(devices), sources.size(), 1, search_part);
  lock.lock();
  solver.enter();
  const auto longest =
      std::ranges::max_element(shares, {}, [](const betweenness_scores& share) { return share.times.solve; });
  scores.choice = longest->choice;
  detail::add(scores.times, longest->times);
  return milliseconds_since(start) / 1000;
}

}  // namespace

betweenness_scores solver::betweenness(const betweenness_options& options, const follow_betweenness& follow) {
  detail::check_betweenness(options);
  const std::size_t devices = data_->devices().size();
  std::optional<detail::shared_requests::request> request;
  if (devices > 1) request.emplace(data_->shared(), static_cast<bool>(follow));
  detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    detail::betweenness_runner::add_batch add;
    if (devices > 1) {
      add = [&](std::span<const vertex> sources, const score_units& units, std::vector<fixed_score>& sums,
                betweenness_scores& scores) {
        return add_betweenness(*data_, sources, options, units, sums, scores, lock);
      };
    }
    return data_->betweenness().run(options, follow, devices, add);
  });
}

}  // namespace mlmq
