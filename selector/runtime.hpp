// SPDX-License-Identifier: Apache-2.0
// Evaluates selectors: boosted trees or kernel ridge regression, and expected times. C++17, the standard library only.
//
// An exported header contains the data of one model and this file, byte for byte. The include guard allows several such
// headers in one program. The program itself evaluates its models with the same functions. Do not compile this file
// with -ffast-math: a NaN is an unknown feature. Scores are sums of integers, which are equal on every machine; places
// and expected times are equal if compiled with -ffp-contract=off.
#ifndef MLMQ_SELECTOR_RUNTIME_4
#define MLMQ_SELECTOR_RUNTIME_4
#if defined(MLMQ_SELECTOR_RUNTIME) || defined(MLMQ_SELECTOR_RUNTIME_2)
#error "A header exported by an earlier version is in the same program: export it again."
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace mlmq::selector::runtime {

/// Limits of a model. Its data are checked against them when it is read or exported.
inline constexpr std::size_t most_inputs = 127;
inline constexpr std::size_t most_candidates = 256;
inline constexpr std::size_t most_landmarks = 128;

/// Numbers are stored in rows of whole registers, padded with zeros.
inline constexpr std::size_t lanes = 8;
constexpr std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

/// Converts to float32: infinity for a number outside its range, NaN for NaN.
constexpr float to_float32(double number) {
  constexpr double largest = double{std::numeric_limits<float>::max()};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return number > largest ? infinity : number < -largest ? -infinity : static_cast<float>(number);
}

/// Returns numerator / denominator, or NaN (unknown) unless the denominator is above 0 and the result is finite.
constexpr float ratio_of(float numerator, float denominator) {
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  const float ratio = denominator > 0 ? numerator / denominator : unknown;
  return ratio <= std::numeric_limits<float>::max() && ratio >= std::numeric_limits<float>::lowest() ? ratio : unknown;
}

/// Approximates log2(1 + value) from the bits of the float, which grow linearly between two powers of two. Negative
/// values count as 0.
inline float position(float value) {
  const float shifted = 1.0F + (value > 0 ? value : 0.0F);
  std::int32_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  return static_cast<float>(bits) * 0x1p-23F - 127.0F;
}

/// Approximates 2^logarithm; the inverse of position().
inline float power(float logarithm) {
  const auto bits = static_cast<std::int32_t>((logarithm + 127.0F) * 0x1p23F);
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// Returns the similarity of two workloads at this distance: (1 + distance / 4)^-4.
constexpr float similarity(float distance) {
  const float root = 1.0F / (1.0F + distance * 0.25F);
  const float square = root * root;
  return square * square;
}

// ---- Trees

/// A node compares a bin: the number of the input's cuts that are not above the value. The walk continues at the left
/// child if the bin is less than `cut`. With n inputs, input i has the bins i and n + i; the latter sends unknown
/// values to the right child instead of the left one. A leaf is its own child by bin 2n, which is 0, so that a walk may
/// take more steps than its tree is deep.
struct node {
  std::uint8_t input;
  std::uint8_t cut;          ///< at least 1
  std::uint16_t left_child;  ///< offset from the tree's root; the right child follows it
};

/// Maximum number of cuts per input, so that a bin fits in a byte.
inline constexpr std::size_t most_cuts = 254;

/// Trees whose leaves have one number per candidate. The score of a candidate is start + unit × sum over the trees.
struct tree_set {
  const std::uint16_t* cut_begin;  ///< inputs + 1: where each input's cuts begin in `cuts`
  const float* cuts;               ///< ascending for each input
  std::size_t groups;              ///< number of groups of eight trees
  const std::uint32_t* roots;      ///< groups × 8: the first node of each tree
  const std::uint8_t* steps;       ///< per group: depth of the deepest leaf
  const node* nodes;
  const std::uint32_t* rows;   ///< per node: a leaf's row of `leaves`
  const std::int16_t* leaves;  ///< rows × padded(candidates), at most largest_leaf
  float unit;                  ///< a power of two
};

inline constexpr std::size_t trees_per_group = 8;

/// The sum of eight leaves fits in an int16.
inline constexpr int largest_leaf = 4095;

/// Returns the number of cuts that are not above `value`; 0 for NaN.
inline std::size_t bin_of(const float* cuts, std::size_t count, float value) {
  std::size_t bin = 0;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    bin += cuts[bin + half - 1] <= value ? half : 0;
    count -= half;
  }
  return bin;
}

/// Computes the bins that nodes compare. @param bins receives 2 × input_count + 1 bins
inline void find_bins(const tree_set& trees, const float* inputs, std::size_t input_count, std::uint8_t* bins) {
  for (std::size_t i = 0; i < input_count; ++i) {
    const std::size_t begin = trees.cut_begin[i];
    const std::size_t bin = bin_of(trees.cuts + begin, trees.cut_begin[i + 1] - begin, inputs[i]);
    bins[i] = static_cast<std::uint8_t>(bin);
    bins[input_count + i] = static_cast<std::uint8_t>(inputs[i] == inputs[i] ? bin : most_cuts + 1);
  }
  bins[2 * input_count] = 0;
}

inline std::size_t next_node(const node& parent, const std::uint8_t* bins) {
  return parent.left_child + (bins[parent.input] < parent.cut ? std::size_t{0} : std::size_t{1});
}

/// Walks eight trees concurrently, so that the processor loads nodes of the others while it waits for one. Adds the
/// rows of their leaves to `sums`, eight columns at a time in 16 bits.
template <std::size_t... I>
inline void add_group(const tree_set& trees, std::size_t group, const std::uint8_t* bins, std::size_t width,
                      std::int32_t* sums, std::index_sequence<I...>) {
  const std::uint32_t* const roots = trees.roots + group * trees_per_group;
  std::size_t offsets[sizeof...(I)] = {};
  for (unsigned step = 0; step < trees.steps[group]; ++step) {
    ((offsets[I] = next_node(trees.nodes[roots[I] + offsets[I]], bins)), ...);
  }
  const std::int16_t* const rows[] = {trees.leaves + std::size_t{trees.rows[roots[I] + offsets[I]]} * width...};
  for (std::size_t column = 0; column < width; column += lanes) {
    std::int16_t sum[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sum[lane] = static_cast<std::int16_t>((rows[I][column + lane] + ...));
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[column + lane] += sum[lane];
  }
}

inline void add_trees(const tree_set& trees, const float* inputs, std::size_t input_count, std::size_t candidates,
                      float* scores) {
  std::uint8_t bins[2 * most_inputs + 1];
  find_bins(trees, inputs, input_count, bins);
  std::int32_t sums[most_candidates];
  for (std::size_t c = 0; c < padded(candidates); ++c) sums[c] = 0;
  for (std::size_t group = 0; group < trees.groups; ++group)
    add_group(trees, group, bins, padded(candidates), sums, std::make_index_sequence<trees_per_group>());
  for (std::size_t c = 0; c < candidates; ++c) scores[c] += static_cast<float>(sums[c]) * trees.unit;
}

// ---- Kernel ridge regression

/// Number of points that are compared with a workload at a time.
inline constexpr std::size_t points_per_block = 64;

/// Places are padded with zeros to whole groups of this many bytes.
inline constexpr std::size_t place_bytes = 32;
constexpr std::size_t padded_place(std::size_t count) { return (count + place_bytes - 1) / place_bytes * place_bytes; }

/// Similarities are whole numbers up to this one, which stands for 1.
inline constexpr int largest_similarity = 1 << 14;
/// Largest sum of the absolute weights of a candidate in one block, so that a block's score fits in an int32.
inline constexpr std::int64_t largest_block_weight = (std::int64_t{1} << 17) - 1;

/// The score of a candidate is start + unit × the sum of weight × similarity over the points, which are recorded
/// workloads. A place has one byte per feature: a number of levels, 128 for the mean and for unknown values. The last
/// block is filled with points whose weights are 0.
struct kernel {
  std::size_t used_count;
  const std::uint8_t* used;  ///< indices of the inputs that determine a place
  const float* centre;       ///< per used input: mean position
  const float* scale;        ///< per used input: levels per unit of position
  std::size_t block_count;
  const std::uint8_t* points;   ///< blocks × points_per_block × padded_place(used inputs)
  const std::int16_t* weights;  ///< blocks × candidates × points_per_block
  float level;                  ///< distance per level: a power of two
  float unit;                   ///< of the sums: a power of two
};

/// Computes the place of a workload. @param place receives padded_place(used_count) bytes
inline void find_place(const kernel& fit, const float* inputs, std::uint8_t* place) {
  for (std::size_t i = fit.used_count; i < padded_place(fit.used_count); ++i) place[i] = 0;
  for (std::size_t i = 0; i < fit.used_count; ++i) {
    const float value = inputs[fit.used[i]];
    const float level = value == value ? 128.0F + (position(value) - fit.centre[i]) * fit.scale[i] : 128.0F;
    place[i] = static_cast<std::uint8_t>((level < 0 ? 0.0F : level > 255 ? 255.0F : level) + 0.5F);
  }
}

/// Computes the similarities of a place to the points of one block. Inner loops have a constant length, so that
/// compilers vectorise them.
inline void find_similarities(const kernel& fit, const std::uint8_t* place, std::size_t block,
                              std::int16_t* similarities) {
  const std::size_t width = padded_place(fit.used_count);
  const std::uint8_t* point = fit.points + block * points_per_block * width;
  std::int32_t distances[points_per_block] = {};
  for (std::size_t p = 0; p < points_per_block; ++p) {
    for (std::size_t first = 0; first < width; first += place_bytes, point += place_bytes) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < place_bytes; ++i) {
        const std::int32_t difference = std::int32_t{point[i]} - std::int32_t{place[first + i]};
        sum += difference < 0 ? -difference : difference;
      }
      distances[p] += sum;
    }
  }
  for (std::size_t p = 0; p < points_per_block; ++p) {
    const float exact = similarity(static_cast<float>(distances[p]) * fit.level) * float{largest_similarity};
    similarities[p] = static_cast<std::int16_t>(static_cast<std::int32_t>(exact + 0.5F));
  }
}

/// Adds the weighted similarities to the scores. @param place place of a workload, from find_place()
inline void add_similarity(const kernel& fit, const std::uint8_t* place, std::size_t candidates, float* scores) {
  std::int64_t sums[most_candidates];
  for (std::size_t c = 0; c < candidates; ++c) sums[c] = 0;
  const std::int16_t* weights = fit.weights;
  for (std::size_t block = 0; block < fit.block_count; ++block) {
    std::int16_t similarities[points_per_block];
    find_similarities(fit, place, block, similarities);
    for (std::size_t c = 0; c < candidates; ++c, weights += points_per_block) {
      std::int32_t sum = 0;
      for (std::size_t p = 0; p < points_per_block; ++p) sum += std::int32_t{weights[p]} * similarities[p];
      sums[c] += sum;
    }
  }
  for (std::size_t c = 0; c < candidates; ++c) scores[c] += static_cast<float>(sums[c]) * fit.unit;
}

// ---- Expected times

/// A feature of an expected time: the index of a value, which is centred, scaled and limited to the recorded range.
struct time_axis {
  std::size_t value;
  float centre;
  float scale;
  float low;
  float high;
};

/// The logarithm of milliseconds per item is linear in the axes, plus the deviations of landmarks (recorded workloads),
/// weighted by their similarity to the workload.
struct time_fit {
  std::size_t axis_count;
  const time_axis* axes;
  std::size_t landmark_count;
  const float* landmarks;  ///< axes × landmarks
  const float* weights;    ///< of the terms: 1, axes, landmarks
  float least;             ///< the lowest logarithm on record
  float most;              ///< the highest
  float least_items;       ///< items of the smallest workload; smaller workloads take as long as it
};

/// Weight of the distance to a landmark.
inline constexpr float landmark_scale = 0.16F;

/// Returns the place of a value on an axis.
inline float place_on(const time_axis& axis, float value) {
  const float place = value == value ? (position(value) - axis.centre) * axis.scale : 0.0F;
  return place < axis.low ? axis.low : place > axis.high ? axis.high : place;
}

/// Predicts milliseconds.
/// @param values values that the axes refer to; NaN: unknown
/// @param items number of vertices and edges of a graph
inline double expected_ms(const time_fit& fit, const float* values, double items) {
  float distances[most_landmarks] = {};
  const float* weight = fit.weights;
  float sum = *weight++;
  for (std::size_t a = 0; a < fit.axis_count; ++a) {
    const float place = place_on(fit.axes[a], values[fit.axes[a].value]);
    sum += place * *weight++;
    for (std::size_t i = 0; i < fit.landmark_count; ++i) {
      const float difference = place - fit.landmarks[a * fit.landmark_count + i];
      distances[i] += difference < 0 ? -difference : difference;
    }
  }
  for (std::size_t i = 0; i < fit.landmark_count; ++i) sum += similarity(distances[i] * landmark_scale) * *weight++;
  const float logarithm = sum < fit.least ? fit.least : sum > fit.most ? fit.most : sum;
  const auto fewest = static_cast<double>(fit.least_items);
  return static_cast<double>(power(logarithm)) * (items < fewest ? fewest : items);
}

/// Expected times of the best candidate.
struct times {
  const char* problem;
  time_fit by_size;      ///< from the values m and nnz
  time_fit by_features;  ///< from the model's inputs
};

// ---- Models

/// Two features whose quotient is an additional input.
struct ratio {
  std::uint8_t numerator;
  std::uint8_t denominator;
};

/// A complete selector. `trees`, `ridge` or both are not null; the scores of both are added.
struct model {
  const char* provenance;  ///< its training data and settings: one JSON object
  std::size_t feature_count;
  const char* const* features;  ///< names of the features of a workload, in the order of `values`
  std::size_t candidate_count;
  const char* const* labels;  ///< labels of the configurations that it chooses from
  std::size_t ratio_count;
  const ratio* ratios;  ///< inputs that follow the features
  const float* starts;  ///< one per candidate
  const tree_set* trees;
  const kernel* ridge;
  const times* expected;  ///< null: no expected times
  bool squared = false;   ///< whether trees, kernel and starts add up to the square of the relative performance

  /// Computes the expected relative performance of each candidate.
  /// @param values one value per feature; NaN: unknown
  /// @param result receives candidate_count scores
  void scores(const double* values, float* result) const {
    add_up(values, result);
    if (!squared) return;
    // Negative sums keep their order.
    for (std::size_t c = 0; c < candidate_count; ++c)
      result[c] = result[c] < 0 ? -std::sqrt(-result[c]) : std::sqrt(result[c]);
  }

  /// Returns the index of the candidate with the highest score; the lowest index among equal scores.
  std::size_t select(const double* values) const {
    float candidate_scores[most_candidates];
    scores(values, candidate_scores);
    std::size_t best = 0;
    for (std::size_t c = 1; c < candidate_count; ++c) {
      if (candidate_scores[c] > candidate_scores[best]) best = c;
    }
    return best;
  }

  /// Predicts the milliseconds of the best candidate from the features. Only if `expected` is not null.
  double expected_best_ms(const double* values, double m, double nnz) const {
    float inputs[most_inputs];
    find_inputs(values, inputs);
    return expected_ms(expected->by_features, inputs, m + nnz);
  }

  /// Predicts them from the size alone. Only if `expected` is not null.
  double expected_best_ms(double m, double nnz) const {
    const float size[] = {to_float32(m), to_float32(nnz)};
    return expected_ms(expected->by_size, size, m + nnz);
  }

 private:
  /// Computes the sum of starts, trees and kernel for each candidate.
  void add_up(const double* values, float* result) const {
    float inputs[most_inputs];
    find_inputs(values, inputs);
    for (std::size_t c = 0; c < candidate_count; ++c) result[c] = 0;
    if (trees != nullptr) add_trees(*trees, inputs, feature_count + ratio_count, candidate_count, result);
    if (ridge != nullptr) {
      std::uint8_t place[padded_place(most_inputs)];
      find_place(*ridge, inputs, place);
      add_similarity(*ridge, place, candidate_count, result);
    }
    for (std::size_t c = 0; c < candidate_count; ++c) result[c] += starts[c];
  }

  void find_inputs(const double* values, float* inputs) const {
    for (std::size_t i = 0; i < feature_count; ++i) inputs[i] = to_float32(values[i]);
    for (std::size_t i = 0; i < ratio_count; ++i)
      inputs[feature_count + i] = ratio_of(inputs[ratios[i].numerator], inputs[ratios[i].denominator]);
  }
};

}  // namespace mlmq::selector::runtime

#endif  // MLMQ_SELECTOR_RUNTIME_4
