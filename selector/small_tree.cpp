// SPDX-License-Identifier: Apache-2.0
#include "selector/small_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace mlmq::selector {
namespace {

/// Minimum number of training workloads in a leaf.
constexpr std::size_t least_members = 5;

using members = std::vector<std::size_t>;

struct best_sum {
  std::size_t candidate = 0;
  double sum = 0;
};

best_sum best_of(const std::vector<double>& sums) {
  const auto best = std::max_element(sums.begin(), sums.end());
  return {static_cast<std::size_t>(best - sums.begin()), *best};
}

struct split {
  double gain = 0;
  std::size_t feature = 0;
  double threshold = 0;
};

class grower {
 public:
  grower(const training_set& set, const performance_matrix& performance) : set_(set), performance_(performance) {}

  [[nodiscard]] best_sum best_candidate(const members& leaf) const { return best_of(sums_of(leaf)); }

  [[nodiscard]] double value(std::size_t workload, std::size_t feature) const {
    const double recorded = set_.workloads[workload].features[feature];
    return std::isnan(recorded) ? -std::numeric_limits<double>::infinity() : recorded;
  }

  [[nodiscard]] split best_split(const members& leaf) const {
    split best;
    if (leaf.size() < 2 * least_members) return best;
    const std::vector<double> total = sums_of(leaf);
    const double unsplit = best_of(total).sum;
    for (std::size_t feature = 0; feature < set_.features.size(); ++feature) {
      members order = leaf;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return value(a, feature) < value(b, feature); });
      std::vector<double> left_sums(total.size(), 0);
      std::vector<double> right_sums = total;
      for (std::size_t i = 0; i + least_members < order.size(); ++i) {
        for (std::size_t c = 0; c < total.size(); ++c) {
          const double moved = performance_.relative(order[i], c);
          left_sums[c] += moved;
          right_sums[c] -= moved;
        }
        const double threshold = value(order[i + 1], feature);
        if (i + 1 < least_members || value(order[i], feature) == threshold) continue;
        const double gain = best_of(left_sums).sum + best_of(right_sums).sum - unsplit;
        if (gain > best.gain + 1e-9) best = {gain, feature, threshold};
      }
    }
    return best;
  }

  [[nodiscard]] std::pair<members, members> divide(const members& leaf, const split& chosen) const {
    std::pair<members, members> halves;
    for (const std::size_t workload : leaf)
      (value(workload, chosen.feature) < chosen.threshold ? halves.first : halves.second).push_back(workload);
    return halves;
  }

 private:
  [[nodiscard]] std::vector<double> sums_of(const members& leaf) const {
    std::vector<double> sums(performance_.candidates(), 0);
    for (const std::size_t workload : leaf) {
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += performance_.relative(workload, c);
    }
    return sums;
  }

  const training_set& set_;
  const performance_matrix& performance_;
};

struct open_leaf {
  std::size_t node = 0;
  members workloads;
  split best;
};

}  // namespace

small_tree::small_tree(const training_set& set, const performance_matrix& performance, std::size_t leaves) {
  const grower growing(set, performance);
  std::vector<open_leaf> open;
  const auto add = [&](members workloads) {
    nodes_.push_back({.candidate = growing.best_candidate(workloads).candidate});
    const split best = growing.best_split(workloads);
    open.push_back({nodes_.size() - 1, std::move(workloads), best});
  };
  members workloads(set.workloads.size());
  std::iota(workloads.begin(), workloads.end(), std::size_t{0});
  add(std::move(workloads));
  while (open.size() < leaves) {
    const auto chosen = std::max_element(
        open.begin(), open.end(), [](const open_leaf& a, const open_leaf& b) { return a.best.gain < b.best.gain; });
    if (!(chosen->best.gain > 0)) break;
    const open_leaf parent = std::move(*chosen);
    open.erase(chosen);
    auto [below, above] = growing.divide(parent.workloads, parent.best);
    nodes_[parent.node].feature = parent.best.feature;
    nodes_[parent.node].threshold = parent.best.threshold;
    nodes_[parent.node].left_child = nodes_.size();
    add(std::move(below));
    add(std::move(above));
  }
}

std::size_t small_tree::choose(std::span<const double> features) const {
  std::size_t place = 0;
  while (nodes_[place].left_child != 0) {
    const double value = features[nodes_[place].feature];
    place = nodes_[place].left_child + (std::isnan(value) || value < nodes_[place].threshold ? 0 : 1);
  }
  return nodes_[place].candidate;
}

}  // namespace mlmq::selector
