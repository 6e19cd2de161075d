// SPDX-License-Identifier: Apache-2.0
#include "tests/vector_sum/vector_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "base/error.hpp"
#include "problems/registry.hpp"
#include "tests/vector_sum/vector_sum_abi.cuh"
#include "tests/vector_sum/vector_workload.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::vector_sum {
namespace {

constexpr std::array settings{
    tuner::named_meaning{"from", "the first number of a part, by its place from 0 [0]"},
    tuner::named_meaning{"to", "the place after the last number of a part [the size of the vector]"},
    tuner::named_meaning{"parts", "number of queries, each for an equal share [1]"}};

constexpr std::array counted{tuner::named_meaning{"adds", "additions to the sum in device memory"}};

std::span<const tuner::parameter_declaration> declared() {
  static const std::vector<tuner::parameter_declaration> declarations = {
      {.name = "threads",
       .default_value = 64,
       .description = "of a block, whole warps",
       .minimum = 32,
       .maximum = 1024,
       .limits = {tuner::whole_warps()}},
      {.name = "items",
       .default_value = 4,
       .description = "numbers that a thread takes in a round",
       .minimum = 1,
       .maximum = 64,
       .macro = {.name = "MLMQ_ITEMS"}},
      {.name = "blocks",
       .bind = tuner::binding::launch,
       .default_value = 1,
       .description = "that are launched",
       .minimum = 1,
       .maximum = 4096}};
  return declarations;
}

/// Returns the kernel without the macros that a configuration adds.
backends::kernel_source bare_kernel() {
  return {.file = "vector_sum.cu",
          .entry = "vector_sum",
          .block_threads = 0,
          .defines = {},
          .folder = MLMQ_VECTOR_SUM_FOLDER};
}

/// A range of the vector, from `begin` to `end` - 1.
struct range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

range range_of(const tuner::query& query, std::size_t size) {
  const range result{.begin = query.whole_number("from"), .end = query.whole_number("to")};
  if (result.begin >= result.end || result.end > size) {
    throw input_error(fmt::format("query {}: there are no such numbers among {}", query.text(), size));
  }
  return result;
}

std::uint64_t number_or(const tuner::setting* setting, std::uint64_t standard, std::uint64_t least = 0) {
  return setting == nullptr ? standard : setting->whole_number(least);
}

std::uint64_t parts_of(const tuner::query_rule& rule) {
  tuner::require_known_settings(rule, settings);
  return number_or(rule.find("parts"), 1, 1);
}

std::vector<tuner::query> queries_of(const tuner::query_rule& rule, std::uint64_t size) {
  const std::uint64_t parts = parts_of(rule);
  const std::uint64_t begin = number_or(rule.find("from"), 0);
  const std::uint64_t end = number_or(rule.find("to"), size);
  if (end > size || begin + parts > end) {
    throw input_error(fmt::format("{}a vector of {} numbers has no {} part{} from {} to {}", rule.place.prefix(), size,
                                  parts, parts == 1 ? "" : "s", begin, end));
  }
  std::vector<tuner::query> queries;
  for (std::uint64_t part = 0; part < parts; ++part) {
    queries.push_back({{"from", std::to_string(begin + part * (end - begin) / parts)},
                       {"to", std::to_string(begin + (part + 1) * (end - begin) / parts)}});
  }
  return queries;
}

class instance final : public tuner::problem_instance {
 public:
  instance(backends::backend& device, std::span<const std::uint32_t> numbers, const std::string& name)
      : device_(device),
        numbers_(numbers.begin(), numbers.end()),
        on_device_(backends::uploaded(device, numbers_, "the numbers of " + name)),
        results_(device.allocate(2 * sizeof(u64), "the sum of " + name)) {}

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    if (mode == tuner::instrumentation::timeline) throw backends::launch_error("vector_sum records no timeline");
    const tuner::parameter_values values(declared(), chosen);
    backends::kernel_source source = bare_kernel();
    source.block_threads = values.whole("threads");
    source.defines = values.macros(source.entry);
    source.defines.emplace("MLMQ_COUNTERS", std::to_string(mode == tuner::instrumentation::counters ? 1 : 0));
    return source;
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    blocks_ = tuner::parameter_values(declared(), chosen).whole("blocks");
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    range_ = range_of(query, numbers_.size());
    const vector_sum_arguments arguments{.numbers = on_device_.as<const u32>(),
                                         .begin = range_.begin,
                                         .end = range_.end,
                                         .sum = results_.as<u64>(),
                                         .adds = results_.as<u64>() + 1};
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.fill(results_, 0, results_.bytes(), 0);
      device_.launch(*kernel_, {.grid_blocks = blocks_,
                                .shared_bytes = 0,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments,
                                .together = false});
    });
    device_.download(sums_.data(), results_, results_.bytes());
    if (report.milliseconds > time_limit_ms) {
      report.result = db::outcome::timeout;
      report.message = fmt::format("longer than {} ms", time_limit_ms);
    }
    if (counts_) report.counters.emplace_back("adds", static_cast<double>(sums_[1]));
    return report;
  }

  [[nodiscard]] std::string check() override {
    const auto first = numbers_.begin();
    const std::uint64_t sum = std::accumulate(first + static_cast<std::ptrdiff_t>(range_.begin),
                                              first + static_cast<std::ptrdiff_t>(range_.end), std::uint64_t{0});
    return sums_[0] == sum ? "" : fmt::format("the sum is {}, not {}", sum, sums_[0]);
  }

 private:
  backends::backend& device_;
  std::vector<std::uint32_t> numbers_;
  backends::device_memory on_device_;
  backends::device_memory results_;  // the sum, and the number of additions to it
  std::shared_ptr<const backends::kernel> kernel_;
  unsigned blocks_ = 0;
  bool counts_ = false;
  range range_;
  std::array<u64, 2> sums_{};
};

}  // namespace

const tuner::workload_kind& sum_of_vector::workloads() const { return vector_kind(); }
std::span<const tuner::parameter_declaration> sum_of_vector::declarations() const { return declared(); }
std::span<const tuner::named_meaning> sum_of_vector::query_settings() const { return settings; }
std::span<const tuner::named_meaning> sum_of_vector::counters() const { return counted; }

std::uint64_t sum_of_vector::count_queries(const tuner::query_rules& rules) const {
  if (rules.empty()) return 1;
  return std::accumulate(rules.begin(), rules.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const tuner::query_rule& rule) { return sum + parts_of(rule); });
}

std::vector<tuner::query> sum_of_vector::choose_queries(const tuner::workload& workload,
                                                        const tuner::query_rules& rules) const {
  const std::uint64_t size = numbers_of(workload).size();
  if (rules.empty()) return queries_of({}, size);
  std::vector<tuner::query> queries;
  for (const tuner::query_rule& rule : rules) {
    for (tuner::query& query : queries_of(rule, size)) {
      if (std::find(queries.begin(), queries.end(), query) == queries.end()) queries.push_back(std::move(query));
    }
  }
  return queries;
}

std::string sum_of_vector::source_hash(const tuner::configuration& /*chosen*/) const {
  static const std::string hash =
      backends::kernel_sources::load(backends::search_folders(bare_kernel()), bare_kernel().file).code_hash();
  return hash;
}

std::unique_ptr<tuner::problem_instance> sum_of_vector::load(backends::backend& device,
                                                             const tuner::workload& workload) const {
  return std::make_unique<instance>(device, numbers_of(workload), workload.record.name);
}

}  // namespace mlmq::vector_sum

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_vector_sum;
const mlmq::problems::problem_registration mlmq_registers_vector_sum(
    {{.name = "vector_sum", .description = "the sum of a part of a vector", .make = [] {
        return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<mlmq::vector_sum::sum_of_vector>());
      }}});
}
