// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {
namespace {

std::uint64_t product_of(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

}  // namespace

std::string plan_size::configurations_text() const {
  return fmt::format("{}{} configuration{}", exact ? "" : "up to ", configurations, configurations == 1 ? "" : "s");
}

plan_size size_of_plan(const experiment_file& experiment, const search_space& space, const problem& problem,
                       std::span<const workload_input> inputs, const shard& part) {
  plan_size size;
  for (const workload_input& input : inputs) size.queries += problem.count_queries(input.queries);
  size.left_out = space.left_out_by_limits().value_or(0);
  if (experiment.strategy.learns()) {
    size.configurations = experiment.strategy.most_evaluations(space).value_or(0);
    size.exact = false;
  } else {
    constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
    size.configurations = std::min(experiment.strategy.count.value_or(unlimited), space.count());
    size.exact = space.is_counted();
  }
  const std::uint64_t parts = part.divided_by == shard::division::workloads ? 1 : part.count;
  size.trials = product_of(size.configurations, size.queries);
  size.all_trials = product_of(size.trials, measurements_of(experiment.measurement).size()) / parts;
  size.trials /= parts;
  return size;
}

void require_at_most(std::uint64_t most, const plan_size& size, const experiment_file& experiment) {
  if (experiment.strategy.learns() || (size.configurations <= most && size.all_trials <= most)) return;
  throw input_error(
      fmt::format("{}{} for {} quer{} make {}{} trials, more than the limit of {}: sample them with 'strategy: "
                  "{{name: random, count: N}}', use a strategy that learns, or raise the limit with --limit N",
                  experiment.space.place.prefix(), size.configurations_text(), size.queries,
                  size.queries == 1 ? "y" : "ies", size.exact ? "" : "up to ", size.all_trials, most));
}

}  // namespace mlmq::tuner
