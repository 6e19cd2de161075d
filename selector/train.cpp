// SPDX-License-Identifier: Apache-2.0
#include "selector/train.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "selector/encoding.hpp"

namespace mlmq::selector {
namespace {

/// Slower than this does not count as worse: what failed has no time, and no choice depends on how bad a bad one is.
constexpr double least_relative = 0.05;

/// How soft the choice of the cost-sensitive method is: a candidate that much slower is e times less likely.
constexpr double temperature = 0.1;

/// The record as rows: the candidates of a graph follow each other.
struct flat_record {
  training_rows rows;
  std::vector<double> relative;        ///< per row
  std::vector<std::size_t> candidate;  ///< per row
};

/// Graphs as rows, candidates as outputs.
struct graph_record {
  training_rows rows;
  std::vector<double> relative;  ///< graphs × candidates; negative: not measured
};

graph_record by_graph(const training_set& ordered, const graph_encoding& encoding) {
  const performance_matrix performance(ordered);
  graph_record result;
  result.rows.outputs = ordered.candidates.size();
  result.rows.inputs.columns = encoding.size();
  for (std::size_t g = 0; g < ordered.graphs.size(); ++g) {
    if (!performance.solved(g)) continue;
    const std::vector<float> graph = encoding.inputs(ordered.graphs[g].features);
    result.rows.inputs.values.insert(result.rows.inputs.values.end(), graph.begin(), graph.end());
    ++result.rows.inputs.rows;
    for (std::size_t c = 0; c < ordered.candidates.size(); ++c)
      result.relative.push_back(performance.measured(g, c) ? performance.relative(g, c) : -1.0);
  }
  return result;
}

flat_record flatten(const training_set& ordered, const graph_encoding& graphs, const candidate_encoding& encoding) {
  const performance_matrix performance(ordered);
  flat_record result;
  std::optional<std::size_t> last;
  for (const observation& one : ordered.observations) {
    if (!performance.solved(one.graph)) continue;
    if (last != one.graph) result.rows.group_sizes.push_back(0);
    last = one.graph;
    ++result.rows.group_sizes.back();
    const std::vector<float> graph = graphs.inputs(ordered.graphs[one.graph].features);
    const std::vector<float>& columns = encoding.rows[one.candidate];
    std::vector<float>& values = result.rows.inputs.values;
    values.insert(values.end(), graph.begin(), graph.end());
    values.insert(values.end(), columns.begin(), columns.end());
    result.relative.push_back(performance.relative(one.graph, one.candidate));
    result.candidate.push_back(one.candidate);
  }
  result.rows.inputs.rows = result.relative.size();
  result.rows.inputs.columns = graphs.size() + (encoding.rows.empty() ? 0 : encoding.rows.front().size());
  return result;
}

/// ndcg counts 2^grade: what is as good as the best is worth twice what is within 10 % of it, and so on.
float grade(double relative) {
  constexpr std::array<double, 5> least{0.3, 0.6, 0.8, 0.9, 0.97};
  return static_cast<float>(std::count_if(least.begin(), least.end(), [&](double limit) { return relative >= limit; }));
}

float label_of(method how, double relative) {
  switch (how) {
    case method::log_time:
    case method::cost_sensitive:
      return static_cast<float>(std::log(std::max(relative, least_relative)));
    case method::ndcg:
      return grade(relative);
    default:
      return static_cast<float>(relative);
  }
}

/// The loss of the cost-sensitive method. Scores of one graph's candidates are made into probabilities of choosing
/// each, p = softmax(score); the loss of a graph is the cross entropy to what a cautious expert would choose,
/// q = softmax(relative performance / temperature), times how much there is to lose on that graph. With no difference
/// between the candidates nothing is learned from a graph. The whole is scaled such that a row's second derivative is
/// near 1, as with squared error, so that the settings of the trees mean the same.
void choice_derivatives(std::span<const double> relative, std::span<const float> score, std::span<float> gradient,
                        std::span<float> hessian) {
  const std::size_t size = relative.size();
  const double best = *std::max_element(relative.begin(), relative.end());
  double best_score = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (relative[i] < 0) continue;  // not measured: nothing is learned about it
    best_score = std::max(best_score, double{score[i]});
    sum += relative[i];
    ++count;
  }
  double sum_p = 0;
  double sum_q = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (relative[i] < 0) continue;
    sum_p += std::exp(double{score[i]} - best_score);
    sum_q += std::exp((relative[i] - best) / temperature);
  }
  const double at_stake = 4.0 * count * (best - sum / count);
  for (std::size_t i = 0; i < size; ++i) {
    const double p = relative[i] < 0 ? 0 : std::exp(double{score[i]} - best_score) / sum_p;
    const double q = relative[i] < 0 ? 0 : std::exp((relative[i] - best) / temperature) / sum_q;
    gradient[i] = static_cast<float>(at_stake * (p - q));
    hessian[i] = static_cast<float>(std::max(at_stake * p * (1 - p), 1e-4));
  }
}

loss_gradient choice_loss(const std::vector<double>& relative, std::span<const std::uint32_t> group_sizes) {
  return [&relative, group_sizes](std::span<const float> scores, std::span<float> gradient, std::span<float> hessian) {
    std::size_t first = 0;
    for (const std::uint32_t size : group_sizes) {
      choice_derivatives(std::span(relative).subspan(first, size), scores.subspan(first, size),
                         gradient.subspan(first, size), hessian.subspan(first, size));
      first += size;
    }
  };
}

/// The mean label of each candidate over the graphs where it was measured: what is best when nothing is known of a
/// graph.
std::vector<float> mean_labels(const flat_record& record, std::size_t candidates) {
  std::vector<double> sum(candidates, 0.0);
  std::vector<double> count(candidates, 0.0);
  for (std::size_t i = 0; i < record.candidate.size(); ++i) {
    sum[record.candidate[i]] += double{record.rows.labels[i]};
    ++count[record.candidate[i]];
  }
  std::vector<float> result;
  for (std::size_t c = 0; c < candidates; ++c) {
    result.push_back(count[c] > 0 ? static_cast<float>(sum[c] / count[c]) : 0.0F);
  }
  return result;
}

/// The mean relative performance of each candidate where it was measured.
std::vector<float> mean_of_measured(const std::vector<double>& relative, std::size_t candidates) {
  flat_record pairs;
  for (std::size_t i = 0; i < relative.size(); ++i) {
    if (relative[i] < 0) continue;
    pairs.candidate.push_back(i % candidates);
    pairs.rows.labels.push_back(static_cast<float>(relative[i]));
  }
  return mean_labels(pairs, candidates);
}

/// The same from rows of relative performances of all candidates, for the methods that choose.
std::vector<float> mean_logarithms(const std::vector<double>& relative, std::size_t candidates) {
  flat_record pairs;
  for (std::size_t i = 0; i < relative.size(); ++i) {
    if (relative[i] < 0) continue;
    pairs.candidate.push_back(i % candidates);
    pairs.rows.labels.push_back(label_of(method::classification, relative[i]));
  }
  return mean_labels(pairs, candidates);
}

model_member fit(flat_record& record, std::span<const std::string> names, std::size_t candidates,
                 const learning& learned) {
  training_rows& rows = record.rows;
  rows.labels.clear();
  for (const double relative : record.relative) rows.labels.push_back(label_of(learned.how, relative));
  model_member member;
  rows.starts.clear();
  if (learned.start_at_mean) {
    member.starts = mean_labels(record, candidates);
    for (const std::size_t candidate : record.candidate) rows.starts.push_back(member.starts[candidate]);
  }
  const auto train = [&] {
    switch (learned.how) {
      case method::pairwise:
        return xgboost_model::train(rows, names, learned.trees, objective::pairwise);
      case method::ndcg:
        return xgboost_model::train(rows, names, learned.trees, objective::ndcg);
      case method::cost_sensitive:
        return xgboost_model::train(rows, names, learned.trees, choice_loss(record.relative, rows.group_sizes));
      default:
        return xgboost_model::train(rows, names, learned.trees, objective::squared_error);
    }
  };
  member.xgboost_json = train().to_json();
  return member;
}

/// One set of trees per candidate, over the graph's inputs only.
model_member fit_classes(const training_set& ordered, const graph_encoding& graphs, const learning& learned) {
  graph_record record = by_graph(ordered, graphs);
  model_member member;
  const std::size_t candidates = ordered.candidates.size();
  if (learned.start_at_mean) {
    member.starts = mean_logarithms(record.relative, candidates);
    for (std::size_t g = 0; g < record.rows.inputs.rows; ++g)
      record.rows.starts.insert(record.rows.starts.end(), member.starts.begin(), member.starts.end());
  }
  const std::vector<std::uint32_t> sizes(record.rows.inputs.rows, static_cast<std::uint32_t>(candidates));
  member.xgboost_json =
      xgboost_model::train(record.rows, graphs.names(), learned.trees, choice_loss(record.relative, sizes)).to_json();
  return member;
}

/// What a kernel fit looks at besides kernel_ratios, everything equally much. Of weights only how they are distributed: a
/// configuration's bucket width is a multiple of the average weight. Weights chosen for each feature did no better on graphs not chosen by
/// (docs/selector.md).
constexpr std::array<std::string_view, 17> kernel_features{
    "m",          "nnz",        "max_nnz",     "dev_nnz",          "degree_p10",       "degree_p50",
    "degree_p90", "degree_p99", "hub_ratio",   "degree_variation", "weight_variation", "weight_skew",
    "hops",       "frontier",   "reach_share", "clustering",       "edge_span"};

/// What is expected of each candidate on a graph of which nothing is known: its mean relative performance, so that the fit
/// predicts how a graph differs from that. Pairs that were not measured are no difference.
model_member fit_likeness(const training_set& ordered, const graph_encoding& graphs, const learning& learned) {
  const graph_record record = by_graph(ordered, graphs);
  const std::size_t candidates = ordered.candidates.size();
  std::vector<bool> wanted;
  for (const std::string& name : graphs.features)
    wanted.push_back(std::find(kernel_features.begin(), kernel_features.end(), name) != kernel_features.end());
  wanted.resize(graphs.size(), true);  // and all ratios
  model_member member;
  member.starts = mean_of_measured(record.relative, candidates);
  std::vector<double> targets;
  for (std::size_t i = 0; i < record.relative.size(); ++i)
    targets.push_back(record.relative[i] < 0 ? 0 : record.relative[i] - double{member.starts[i % candidates]});
  std::vector<std::vector<float>> rows;
  for (std::size_t g = 0; g < record.rows.inputs.rows; ++g) {
    const auto first = record.rows.inputs.values.begin() + static_cast<std::ptrdiff_t>(g * graphs.size());
    rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(graphs.size()));
  }
  member.kernel = fit_kernel(rows, wanted, targets, learned.kernel);
  return member;
}

/// How far a member's predictions for the candidates of one graph lie apart, over all graphs.
double spread_of(const model_member& member, const flat_record& record) {
  std::vector<float> starts;
  for (const std::size_t candidate : member.starts.empty() ? std::vector<std::size_t>() : record.candidate)
    starts.push_back(member.starts[candidate]);
  const auto predicted = xgboost_model::from_json(member.xgboost_json).predict(record.rows.inputs, starts);
  double sum = 0;
  std::size_t first = 0;
  for (const std::uint32_t size : record.rows.group_sizes) {
    double mean = 0;
    for (std::size_t i = first; i < first + size; ++i) mean += double{predicted[i]} / size;
    for (std::size_t i = first; i < first + size; ++i) sum += std::pow(double{predicted[i]} - mean, 2);
    first += size;
  }
  return std::sqrt(sum / static_cast<double>(predicted.size()));
}

/// The power of two nearest to 1 / spread: predictions of different methods are in different units.
float weight_for(double spread) {
  constexpr int furthest = 20;
  if (!(spread > 0)) return 1;
  return std::ldexp(1.0F,
                    static_cast<int>(std::clamp(std::round(-std::log2(spread)), -1.0 * furthest, 1.0 * furthest)));
}

std::vector<method> methods_of(method how) {
  if (how == method::ensemble) return {method::relative, method::log_time, method::cost_sensitive};
  if (how == method::kernel) return {};
  return {how};
}

}  // namespace

model train_model(const training_set& set, const learning& learned, const time_source& source) {
  validate(set);
  if (learned.members < 1 || !std::has_single_bit(static_cast<unsigned>(learned.members)))
    throw input_error("training settings: members must be 1, 2, 4, 8 or another power of two");
  const training_set ordered = in_canonical_order(set);
  candidate_encoding encoding = encode(ordered.candidates);
  model result;
  if (learned.how == method::kernel) {
    result.graph = encode_graphs(ordered.features, kernel_ratios);
  } else {
    result.graph = encode_graphs(ordered.features);
  }
  result.feature_names = model_feature_names(result.graph, encoding);
  flat_record record = flatten(ordered, result.graph, encoding);
  if (learned.how == method::kernel) result.members.push_back(fit_likeness(ordered, result.graph, learned));
  for (const method how : methods_of(learned.how)) {
    learning one = learned;
    one.how = how;
    for (int i = 0; i < learned.members; ++i) {
      const bool by_class = how == method::classification && ordered.candidates.size() > 1;
      if (how == method::classification && !by_class) one.how = method::cost_sensitive;  // nothing to choose
      result.members.push_back(by_class ? fit_classes(ordered, result.graph, one)
                                        : fit(record, result.feature_names, ordered.candidates.size(), one));
      result.members.back().weight = 1.0F / static_cast<float>(learned.members);
      if (learned.how == method::ensemble)
        result.members.back().weight *= weight_for(spread_of(result.members.back(), record));
      ++one.trees.seed;
    }
  }
  result.candidates = ordered.candidates;
  result.encodings = std::move(encoding.rows);
  result.provenance = {
      source,  hash_of(ordered), ordered.graphs.size(), ordered.candidates.size(), ordered.observations.size(),
      learned, xgboost_version()};
  return result;
}

}  // namespace mlmq::selector
