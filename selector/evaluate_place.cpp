// SPDX-License-Identifier: Apache-2.0
#include "selector/evaluate_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "selector/evaluation_table.hpp"
#include "selector/inference.hpp"
#include "selector/train.hpp"

namespace mlmq::selector {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

constexpr std::array<std::string_view, 6> strategy_names{place_by_steps, place_by_size,    place_by_features,
                                                         place_device,   place_processors, place_oracle};

/// Milliseconds by label; infinity for failures.
using times_by_label = std::map<std::string, double>;

std::vector<times_by_label> times_of(const training_set& set) {
  std::vector<times_by_label> result(set.workloads.size());
  for (const observation& trial : set.observations)
    result[trial.workload][set.candidates[trial.candidate].label] = trial.ok ? trial.milliseconds : never;
  return result;
}

double time_in(const times_by_label& times, const std::string& label) {
  const auto entry = times.find(label);
  return entry == times.end() ? never : entry->second;
}

double least(const times_by_label& times) {
  double result = never;
  for (const auto& [label, milliseconds] : times) result = std::min(result, milliseconds);
  return result;
}

/// A workload with a record for both places.
struct shared_workload {
  std::size_t on_device = 0;      ///< index into the device's set
  std::size_t on_processors = 0;  ///< index into the processors' set
  double vertices = 0;
  double edges = 0;
};

/// Sums of logarithms of errors.
struct error_sum {
  double by_size = 0;
  double by_features = 0;
  std::size_t count = 0;

  void add(double expected_by_size, double expected, double measured) {
    if (!std::isfinite(measured)) return;
    by_size += std::abs(std::log(expected_by_size / measured));
    by_features += std::abs(std::log(expected / measured));
    ++count;
  }
};

/// Returns the index of the smallest time for processors; index 0 is the device.
std::size_t fastest(const std::vector<double>& expected) {
  return static_cast<std::size_t>(std::min_element(expected.begin() + 1, expected.end()) - expected.begin());
}

class place_validation {
 public:
  place_validation(const training_set& device, const processor_record& processors, const learning& learned,
                   const evaluation_options& options, place_report& report)
      : device_(device),
        processors_(processors),
        learned_(learned),
        options_(options),
        report_(report),
        device_times_(times_of(device)),
        processor_times_(times_of(processors.set)) {
    std::map<std::string_view, std::size_t> processor_workloads;
    for (std::size_t g = 0; g < processors.set.workloads.size(); ++g)
      processor_workloads.emplace(processors.set.workloads[g].name, g);
    const std::array<std::string, 2> names{"m", "nnz"};
    for (std::size_t g = 0; g < device.workloads.size(); ++g) {
      const auto match = processor_workloads.find(device.workloads[g].name);
      if (match == processor_workloads.end()) continue;
      const feature_values size = pick_features(names, device.features, device.workloads[g].features);
      shared_.push_back({g, match->second, size[0], size[1]});
    }
    report_.workloads_left_out = device.workloads.size() + processors.set.workloads.size() - 2 * shared_.size();
    if (shared_.empty()) throw input_error("no workload is on record for both the device and processors");
    for (evaluation_report* evaluation : {&report_.costs, &report_.right}) {
      evaluation->repeats = options.repeats;
      for (const shared_workload& workload : shared_)
        evaluation->workloads.push_back(device.workloads[workload.on_device]);
      for (const std::string_view name : strategy_names) {
        evaluation->strategies.push_back({std::string(name), {}});
        evaluation->strategies.back().workloads.resize(shared_.size());
      }
    }
  }

  void run(std::uint64_t seed, bool is_first) {
    const std::vector<std::size_t> folds = assign_folds(device_.workloads, options_.folds, seed);
    const std::size_t count = *std::max_element(folds.begin(), folds.end()) + 1;
    report_.costs.folds = report_.right.folds = count;
    for (std::size_t fold = 0; fold < count; ++fold) {
      const selector chooser = learn(folds, fold);
      for (std::size_t i = 0; i < shared_.size(); ++i) {
        if (folds[shared_[i].on_device] == fold) choose(chooser, i, fold, is_first);
      }
    }
  }

  void finish() {
    for (const auto& [label, sum] : errors_) {
      const auto count = static_cast<double>(std::max<std::size_t>(sum.count, 1));
      report_.errors.push_back({label.empty() ? "the device's best" : label, std::exp(sum.by_size / count),
                                std::exp(sum.by_features / count), sum.count / options_.repeats});
    }
  }

 private:
  [[nodiscard]] selector learn(const std::vector<std::size_t>& folds, std::size_t fold) const {
    std::vector<std::size_t> others;
    std::set<std::string_view> held_out;
    for (std::size_t g = 0; g < folds.size(); ++g) {
      if (folds[g] != fold) {
        others.push_back(g);
      } else {
        held_out.insert(device_.workloads[g].group);
      }
    }
    training_set training = keep_workloads(device_, others);
    training_set means = mean_over_queries(training);
    if (options_.cover_tolerance) {
      const auto kept_candidates = covering_candidates(means, *options_.cover_tolerance, options_.most_candidates);
      training = keep_candidates(training, kept_candidates);
      means = keep_candidates(means, kept_candidates);
    }
    processor_record processor_training = processors_;
    std::vector<std::size_t> training_workloads;
    for (std::size_t g = 0; g < processors_.set.workloads.size(); ++g) {
      if (!held_out.contains(processors_.set.workloads[g].group)) training_workloads.push_back(g);
    }
    processor_training.set = keep_workloads(processors_.set, training_workloads);
    model trained = train_model(means, learned_, {});
    trained.times = fit_times(training, &processor_training, trained.inputs.features, "");
    if (!trained.times || trained.times->searchers.empty())
      throw input_error(
          "too few trials, or workloads of unknown size, to predict times: the record needs the features "
          "'m' and 'nnz', and 10 workloads solved on the device and on processors outside each fold");
    return selector(trained);
  }

  void choose(const selector& chooser, std::size_t shared, std::size_t fold, bool is_first) {
    const shared_workload& workload = shared_[shared];
    const feature_values features =
        pick_features(chooser.features(), device_.features, device_.workloads[workload.on_device].features);
    const times_by_label& on_device = device_times_[workload.on_device];
    const times_by_label& on_processors = processor_times_[workload.on_processors];
    const std::vector<double> by_size = chooser.expected_by_size(workload.vertices, workload.edges);
    const std::vector<double> expected = chooser.expected(features, workload.vertices, workload.edges);
    const auto label = [&](std::size_t i) { return chooser.times()->searchers[i - 1].label; };
    double best_candidate = never;
    for (const candidate& candidate : chooser.candidates())
      best_candidate = std::min(best_candidate, time_in(on_device, candidate.label));
    errors_[""].add(by_size[0], expected[0], best_candidate);
    for (std::size_t i = 1; i < expected.size(); ++i)
      errors_[label(i)].add(by_size[i], expected[i], time_in(on_processors, label(i)));

    const double round_trip_ms = transfer_ms(report_.transfer, workload.vertices, workload.edges, true, false);
    const double answer_ms = transfer_ms(report_.transfer, workload.vertices, workload.edges, true, true);
    const double device_ms = round_trip_ms + time_in(on_device, chooser.label(chooser.select(features)));
    const double fastest_ms = least(on_processors);
    const bool processors_win = fastest_ms < device_ms;
    if (is_first && processors_win) ++report_.on_processors;

    std::size_t next = 0;
    const auto add = [&](bool processors, double milliseconds) {
      const double best = std::min(device_ms, fastest_ms);
      const std::string place = processors ? "processors" : "device";
      const double relative = std::isfinite(milliseconds) ? best / milliseconds : 0;
      report_.costs.strategies[next].workloads[shared].push_back({place, relative, fold});
      report_.right.strategies[next].workloads[shared].push_back(
          {place, processors == processors_win ? 1.0 : 0.0, fold});
      ++next;
    };
    const auto search = [&](const std::vector<double>& times_ms) {
      return time_in(on_processors, label(fastest(times_ms)));
    };
    const auto better = [&](const std::vector<double>& times_ms, double transfer) {
      return times_ms[fastest(times_ms)] < transfer + times_ms[0];
    };
    // In the order of strategy_names.
    if (better(by_size, round_trip_ms)) {
      add(true, search(by_size));
    } else if (better(expected, answer_ms)) {
      add(true, round_trip_ms - answer_ms + search(expected));
    } else {
      add(false, device_ms);
    }
    add(better(by_size, round_trip_ms), better(by_size, round_trip_ms) ? search(by_size) : device_ms);
    add(better(expected, round_trip_ms), better(expected, round_trip_ms) ? search(expected) : device_ms);
    add(false, device_ms);
    add(true, search(expected));
    add(processors_win, std::min(device_ms, fastest_ms));
  }

  const training_set& device_;
  const processor_record& processors_;
  const learning& learned_;
  const evaluation_options& options_;
  place_report& report_;
  std::vector<times_by_label> device_times_;
  std::vector<times_by_label> processor_times_;
  std::vector<shared_workload> shared_;
  std::map<std::string, error_sum> errors_;  ///< by label; "" is the device
};

/// Drops workloads that no candidate solved on the device: they can be used neither for training nor for evaluation.
training_set solved_workloads(const training_set& set) {
  const performance_matrix performance(set);
  std::vector<std::size_t> solved;
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    if (performance.solved(g)) solved.push_back(g);
  }
  return keep_workloads(set, solved);
}

}  // namespace

place_report evaluate_place(const training_set& device, const processor_record& processors, const learning& learned,
                            const evaluation_options& options, const transfer_cost& transfer) {
  validate(device);
  validate(processors.set);
  if (options.repeats < 1) throw input_error("cross-validation needs at least 1 repeat");
  place_report report;
  report.transfer = transfer;
  const training_set ordered = solved_workloads(in_canonical_order(device));
  processor_record processor_data = processors;
  processor_data.set = in_canonical_order(processors.set);
  place_validation validation(ordered, processor_data, learned, options, report);
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) validation.run(options.seed + repeat, repeat == 0);
  validation.finish();
  return report;
}

std::string to_table(const place_report& report) {
  std::string text = fmt::format(
      "place of the search, {:.3g} us per array and {:.3g} GB/s to and from the device:\n{:<18}  {:>18}  {:>21}  "
      "{:>6}\n",
      1e3 * report.transfer.array_ms, 1e-6 / std::max(report.transfer.byte_ms, 1e-300), "strategy", "faster place, %",
      "mean relative", "worst");
  for (std::size_t i = 0; i < report.costs.strategies.size(); ++i) {
    const strategy_score cost = score_of(report.costs, report.costs.strategies[i]).value();
    const estimate right = score_of(report.right, report.right.strategies[i]).value().mean_relative;
    text += fmt::format("{:<18}  {:>18}  {:>21}  {:>6.3f}\n", report.costs.strategies[i].name, percent_text(right),
                        decimal_text(cost.mean_relative), cost.worst);
  }
  text += fmt::format("\n{} workloads; processors are the faster place for {} of them.{}\n\n",
                      report.costs.workloads.size(), report.on_processors,
                      report.workloads_left_out > 0
                          ? fmt::format(" {} workloads are on record for one place only.", report.workloads_left_out)
                          : "");
  text += "times predicted for unseen workloads: mean factor between predicted and measured\n";
  text += fmt::format("{:>8}  {:>11}  {:>6}  of\n", "by size", "by features", "workloads");
  for (const place_report::error& error : report.errors)
    text +=
        fmt::format("{:>8.2f}  {:>11.2f}  {:>6}  {}\n", error.by_size, error.by_features, error.workloads, error.label);
  return text;
}

}  // namespace mlmq::selector
