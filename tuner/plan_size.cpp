// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {
namespace {

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace

std::string count_text(std::uint64_t number) {
  return number >= search_space::most_counted ? "more than 2^63" : std::to_string(number);
}

std::string plan_size::configurations_text() const {
  const bool is_bound = (!exact || depends_on_workload) && configurations < search_space::most_counted;
  return fmt::format("{}{} configuration{}", is_bound ? "up to " : "", count_text(configurations),
                     configurations == 1 ? "" : "s");
}

std::optional<search_space> space_of(const experiment_file& experiment, const problem& problem,
                                     const workload_input& input) {
  try {
    return search_space(experiment.space.with_sizes(problem.workloads().sizes(input)), problem.declarations(),
                        problem.presets());
  } catch (const no_configuration&) {
    return std::nullopt;
  }
}

plan_size size_of_plan(const experiment_file& experiment, const search_space& space, const problem& problem,
                       std::span<const workload_input> inputs, const shard& part) {
  plan_size size{.depends_on_workload = space.depends_on_sizes()};
  const strategy_settings& strategy = experiment.strategy;
  for (const workload_input& input : inputs) {
    const std::uint64_t queries = problem.count_queries(input.queries);
    size.queries += queries;
    const std::optional<search_space> workload_space =
        space.depends_on_sizes() ? space_of(experiment, problem, input) : std::nullopt;
    if (space.depends_on_sizes() && !workload_space) continue;
    const search_space& tried = workload_space ? *workload_space : space;
    const std::uint64_t most = strategy.learns() ? strategy.most_evaluations(tried).value_or(0)
                                                 : std::min(strategy.count.value_or(tried.count()), tried.count());
    // A sample of a space beyond counting is complete.
    const bool is_sample = most < tried.count() && tried.count() == search_space::most_counted;
    size.exact = size.exact && !strategy.learns() && (tried.is_counted() || is_sample);
    size.configurations = std::max(size.configurations, most);
    size.trials = saturated_sum(size.trials, saturated_product(most, queries));
  }
  if (space.depends_on_sizes() && size.configurations == 0 && !inputs.empty()) {
    (void)search_space(experiment.space.with_sizes(problem.workloads().sizes(inputs.front())), problem.declarations(),
                       problem.presets());  // throws no_configuration
  }
  size.left_out = space.left_out_by_limits().value_or(0);
  if (space.count() == search_space::most_counted) size.space = space.count_text();
  const std::uint64_t parts = part.divided_by == shard::division::workloads ? 1 : part.count;
  size.all_trials = saturated_product(size.trials, measurements_of(experiment.measurement).size()) / parts;
  size.trials /= parts;
  return size;
}

void require_at_most(std::uint64_t most, const plan_size& size, const experiment_file& experiment) {
  if (experiment.strategy.learns() || (size.configurations <= most && size.all_trials <= most)) return;
  throw input_error(fmt::format(
      "{}{} for {} quer{} make {}{} trials, more than the limit of {}: sample them with 'strategy: "
      "{{name: random, count: N}}', use a strategy that learns, or raise the limit with --limit N",
      experiment.space.place.prefix(), size.configurations_text(), size.queries, size.queries == 1 ? "y" : "ies",
      size.exact || size.all_trials >= search_space::most_counted ? "" : "up to ", count_text(size.all_trials), most));
}

}  // namespace mlmq::tuner
