// SPDX-License-Identifier: Apache-2.0
// Evaluates selectors: boosted trees or kernel ridge regression, and expected times. C++17, the standard library only.
//
// An exported header holds the data of one model and this file, once and byte for byte; so two headers in one program
// are fine. The program itself evaluates its models with the same functions. Must not be compiled with -ffast-math: a
// NaN is an unknown feature. Scores of trees are sums of integers, the same on every machine; of the others they are
// with -ffp-contract=off.
#ifndef MLMQ_SELECTOR_RUNTIME
#define MLMQ_SELECTOR_RUNTIME

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace mlmq::selector::runtime {

/// What a model can have at most; its data are checked when it is read or exported.
inline constexpr std::size_t most_inputs = 127;
inline constexpr std::size_t most_candidates = 256;
inline constexpr std::size_t most_landmarks = 128;
inline constexpr std::size_t most_times = 64;

/// Numbers are kept in rows of whole registers, filled up with zeros.
inline constexpr std::size_t lanes = 8;
constexpr std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

/// float32; beyond its range an infinity. NaN stays NaN.
constexpr float to_float32(double number) {
  constexpr double largest = double{std::numeric_limits<float>::max()};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return number > largest ? infinity : number < -largest ? -infinity : static_cast<float>(number);
}

/// numerator / denominator; NaN, unknown, unless the denominator is above 0 and the result finite.
constexpr float ratio_of(float numerator, float denominator) {
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  const float ratio = denominator > 0 ? numerator / denominator : unknown;
  return ratio <= std::numeric_limits<float>::max() && ratio >= std::numeric_limits<float>::lowest() ? ratio : unknown;
}

/// About log2(1 + value), made of the bits of a float: between two powers of two they grow as its value. Below 0 as 0.
inline float position(float value) {
  const float shifted = 1.0F + (value > 0 ? value : 0.0F);
  std::int32_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  return static_cast<float>(bits) * 0x1p-23F - 127.0F;
}

/// About 2^logarithm, likewise.
inline float power(float logarithm) {
  const auto bits = static_cast<std::int32_t>((logarithm + 127.0F) * 0x1p23F);
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// How much two workloads are alike: (1 + distance / 4)^-4.
constexpr float likeness(float distance) {
  const float root = 1.0F / (1.0F + distance * 0.25F);
  const float square = root * root;
  return square * square;
}

// ---- Trees
// -----------------------------------------------------------------------------------------------------------

/// A node compares a bin: the number of the input's cuts that a value is not below. Left, when it is less than `cut`.
/// Of `n` inputs, input i has bin i, and bin n + i where unknown goes right instead of left. A leaf leads to itself by
/// bin 2n, which is 0, so that a walk may take more steps than its tree is deep.
struct node {
  std::uint8_t input;
  std::uint8_t cut;    ///< at least 1
  std::uint16_t left;  ///< counted from the tree's root; the right child follows it
};

/// An input has no more cuts, so that a bin is a byte.
inline constexpr std::size_t most_cuts = 254;

/// Trees whose leaves have a number for each candidate. The score of a candidate is start + unit × sum over the trees.
struct tree_set {
  const std::uint16_t* cut_begin;  ///< for each input where its cuts begin, and where the last one's end
  const float* cuts;               ///< ascending for each input
  std::size_t groups;              ///< of eight trees
  const std::uint32_t* roots;      ///< groups × 8: a tree's first node
  const std::uint8_t* steps;       ///< for each group: to the deepest leaf
  const node* nodes;
  const std::uint32_t* rows;   ///< for each node: of a leaf, its row of `leaves`
  const std::int16_t* leaves;  ///< rows × padded(candidates), at most largest_leaf
  float unit;                  ///< a power of two
};

inline constexpr std::size_t side_by_side = 8;

/// Eight leaves add up to an int16.
inline constexpr int largest_leaf = 4095;

/// How many of the cuts `value` is not below; 0 for NaN.
inline std::size_t bin_of(const float* cuts, std::size_t count, float value) {
  std::size_t bin = 0;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    bin += cuts[bin + half - 1] <= value ? half : 0;
    count -= half;
  }
  return bin;
}

/// @param bins 2 × inputs + 1 of them
inline void find_bins(const tree_set& trees, const float* inputs, std::size_t input_count, std::uint8_t* bins) {
  for (std::size_t i = 0; i < input_count; ++i) {
    const std::size_t begin = trees.cut_begin[i];
    const std::size_t bin = bin_of(trees.cuts + begin, trees.cut_begin[i + 1] - begin, inputs[i]);
    bins[i] = static_cast<std::uint8_t>(bin);
    bins[input_count + i] = static_cast<std::uint8_t>(inputs[i] == inputs[i] ? bin : most_cuts + 1);
  }
  bins[2 * input_count] = 0;
}

inline std::size_t below(const node& here, const std::uint8_t* bins) {
  return here.left + (bins[here.input] < here.cut ? std::size_t{0} : std::size_t{1});
}

/// Walks eight trees side by side: a processor that waits for a node of one has those of the others to go on with. Adds
/// their leaves' rows to `sums`, eight columns at a time in 16 bits.
template <std::size_t... I>
inline void add_group(const tree_set& trees, std::size_t group, const std::uint8_t* bins, std::size_t width,
                      std::int32_t* sums, std::index_sequence<I...>) {
  const std::uint32_t* const roots = trees.roots + group * side_by_side;
  std::size_t at[sizeof...(I)] = {};
  for (unsigned step = 0; step < trees.steps[group]; ++step) {
    ((at[I] = below(trees.nodes[roots[I] + at[I]], bins)), ...);
  }
  const std::int16_t* const rows[] = {trees.leaves + std::size_t{trees.rows[roots[I] + at[I]]} * width...};
  for (std::size_t column = 0; column < width; column += lanes) {
    std::int16_t sum[lanes] = {};
    for (const std::int16_t* const row : rows) {
      for (std::size_t lane = 0; lane < lanes; ++lane)
        sum[lane] = static_cast<std::int16_t>(sum[lane] + row[column + lane]);
    }
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
    add_group(trees, group, bins, padded(candidates), sums, std::make_index_sequence<side_by_side>());
  for (std::size_t c = 0; c < candidates; ++c) scores[c] += static_cast<float>(sums[c]) * trees.unit;
}

// ---- Kernel ridge regression
// -----------------------------------------------------------------------------------------

/// The score of a candidate is start + sum over the points, recorded workloads, of weight × likeness. A place is a byte
/// for each feature: whole levels, 128 for the average and for what is unknown.
struct kernel {
  std::size_t used_count;
  const std::uint8_t* used;  ///< inputs that it looks at
  const float* centre;       ///< per used input: mean position
  const float* scale;        ///< per used input: levels to a unit of position
  std::size_t point_count;
  const std::uint8_t* points;  ///< points × padded(used_count)
  const float* weights;        ///< points × padded(candidates)
  float level;                 ///< what a level counts
};

/// @param place padded(used_count) bytes; what fills them up is 0
inline void find_place(const kernel& fit, const float* inputs, std::uint8_t* place) {
  for (std::size_t i = 0; i < fit.used_count; ++i) {
    const float value = inputs[fit.used[i]];
    const float at = value == value ? 128.0F + (position(value) - fit.centre[i]) * fit.scale[i] : 128.0F;
    place[i] = static_cast<std::uint8_t>((at < 0 ? 0.0F : at > 255 ? 255.0F : at) + 0.5F);
  }
  for (std::size_t i = fit.used_count; i < padded(fit.used_count); ++i) place[i] = 0;
}

/// Of two places of `size` bytes. @param level what a level counts
inline float likeness_of_places(const std::uint8_t* a, const std::uint8_t* b, std::size_t size, float level) {
  int distance = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const int apart = a[i] - b[i];
    distance += apart < 0 ? -apart : apart;
  }
  return likeness(static_cast<float>(distance) * level);
}

/// @param place of a workload, as find_place() gives it
inline void add_likeness(const kernel& fit, const std::uint8_t* place, std::size_t candidates, float* scores) {
  const std::size_t bytes = padded(fit.used_count);
  const std::size_t width = padded(candidates);
  float sums[most_candidates];
  for (std::size_t c = 0; c < width; ++c) sums[c] = 0;
  for (std::size_t point = 0; point < fit.point_count; ++point) {
    const float like = likeness_of_places(place, fit.points + point * bytes, bytes, fit.level);
    const float* const weights = fit.weights + point * width;
    for (std::size_t c = 0; c < width; ++c) sums[c] += like * weights[c];
  }
  for (std::size_t c = 0; c < candidates; ++c) scores[c] += sums[c];
}

// ---- Expected times
// --------------------------------------------------------------------------------------------------

/// A feature of an expected time: which value, centred, scaled, and kept within what was recorded.
struct time_axis {
  std::size_t value;
  float centre;
  float scale;
  float low;
  float high;
};

/// The logarithm of milliseconds for each item is linear in the axes, plus what landmarks, recorded workloads, deviate
/// from that, as far as the workload is like them.
struct time_fit {
  std::size_t axis_count;
  const time_axis* axes;
  std::size_t landmark_count;
  const float* landmarks;  ///< axes × landmarks
  const float* weights;    ///< terms (1, axes, landmarks) × times
  std::size_t time_count;
  const float* least;        ///< per time: the lowest logarithm on record
  const float* most;         ///< per time: the highest
  const float* least_items;  ///< per time: items of the smallest workload; a smaller one takes as long
};

/// What a unit of distance to a landmark counts.
inline constexpr float landmark_scale = 0.16F;

/// Where a value is on an axis.
inline float place_on(const time_axis& axis, float value) {
  const float at = value == value ? (position(value) - axis.centre) * axis.scale : 0.0F;
  return at < axis.low ? axis.low : at > axis.high ? axis.high : at;
}

/// @param values what the axes are of; NaN: unknown
/// @param items vertices and edges of a graph
/// @param milliseconds time_count of them
inline void expect_times(const time_fit& fit, const float* values, double items, double* milliseconds) {
  float sums[most_times] = {};
  float distances[most_landmarks] = {};
  const float* weight = fit.weights;
  for (std::size_t t = 0; t < fit.time_count; ++t) sums[t] = *weight++;
  for (std::size_t a = 0; a < fit.axis_count; ++a) {
    const float place = place_on(fit.axes[a], values[fit.axes[a].value]);
    for (std::size_t t = 0; t < fit.time_count; ++t) sums[t] += place * *weight++;
    for (std::size_t i = 0; i < fit.landmark_count; ++i) {
      const float apart = place - fit.landmarks[a * fit.landmark_count + i];
      distances[i] += apart < 0 ? -apart : apart;
    }
  }
  for (std::size_t i = 0; i < fit.landmark_count; ++i) {
    const float like = likeness(distances[i] * landmark_scale);
    for (std::size_t t = 0; t < fit.time_count; ++t) sums[t] += like * *weight++;
  }
  for (std::size_t t = 0; t < fit.time_count; ++t) {
    const float logarithm = sums[t] < fit.least[t] ? fit.least[t] : sums[t] > fit.most[t] ? fit.most[t] : sums[t];
    const auto fewest = static_cast<double>(fit.least_items[t]);
    milliseconds[t] = static_cast<double>(power(logarithm)) * (items < fewest ? fewest : items);
  }
}

/// What a configuration took on the processors of the record, on a workload that any machine can make.
struct calibration {
  std::size_t time;  ///< index of the expected time
  const char* workload;
  const char* query;
  double milliseconds;
};

/// Expected times: of the best candidate on the device, then of configurations for processors.
struct times {
  const char* problem;
  const char* processors;  ///< of what processors they are; "" without any
  unsigned threads;        ///< of these; 0: not known
  std::size_t count;
  const char* const* labels;  ///< "" for the device
  std::size_t calibration_count;
  const calibration* calibrations;
  time_fit by_size;      ///< of the values m and nnz
  time_fit by_features;  ///< of the model's inputs
};

// ---- Models
// ----------------------------------------------------------------------------------------------------------

/// Two features whose quotient is an input, too.
struct ratio {
  std::uint8_t numerator;
  std::uint8_t denominator;
};

/// All of a selector. `trees` or `ridge` is there, or both: then their scores add up.
struct model {
  const char* provenance;  ///< what it was trained on: one JSON object
  std::size_t feature_count;
  const char* const* features;  ///< what it wants to know of a workload, in this order
  std::size_t candidate_count;
  const char* const* labels;  ///< of the configurations that it chooses from
  std::size_t ratio_count;
  const ratio* ratios;  ///< inputs that follow the features
  const float* starts;  ///< one per candidate
  const tree_set* trees;
  const kernel* ridge;
  const times* expected;  ///< null: it expects no times

  /// The expected relative performance of each candidate. `values`: one for each feature; NaN: unknown.
  /// @param result candidate_count of them
  void scores(const double* values, float* result) const {
    float inputs[most_inputs];
    find_inputs(values, inputs);
    for (std::size_t c = 0; c < candidate_count; ++c) result[c] = 0;
    if (trees != nullptr) add_trees(*trees, inputs, feature_count + ratio_count, candidate_count, result);
    if (ridge != nullptr) {
      std::uint8_t place[padded(most_inputs)];
      find_place(*ridge, inputs, place);
      add_likeness(*ridge, place, candidate_count, result);
    }
    for (std::size_t c = 0; c < candidate_count; ++c) result[c] += starts[c];
  }

  /// The candidate with the highest score; of equals the lowest index.
  std::size_t select(const double* values) const {
    float found[most_candidates];
    scores(values, found);
    std::size_t best = 0;
    for (std::size_t c = 1; c < candidate_count; ++c) {
      if (found[c] > found[best]) best = c;
    }
    return best;
  }

  /// How many times it expects; 0: none.
  std::size_t time_count() const { return expected == nullptr ? 0 : expected->count; }

  /// Expected milliseconds from the features. @param milliseconds time_count() of them, of which there must be some
  void expect(const double* values, double m, double nnz, double* milliseconds) const {
    float inputs[most_inputs];
    find_inputs(values, inputs);
    expect_times(expected->by_features, inputs, m + nnz, milliseconds);
  }

  /// The same as far as the size tells.
  void expect_by_size(double m, double nnz, double* milliseconds) const {
    const float size[] = {to_float32(m), to_float32(nnz)};
    expect_times(expected->by_size, size, m + nnz, milliseconds);
  }

 private:
  void find_inputs(const double* values, float* inputs) const {
    for (std::size_t i = 0; i < feature_count; ++i) inputs[i] = to_float32(values[i]);
    for (std::size_t i = 0; i < ratio_count; ++i)
      inputs[feature_count + i] = ratio_of(inputs[ratios[i].numerator], inputs[ratios[i].denominator]);
  }
};

}  // namespace mlmq::selector::runtime

#endif  // MLMQ_SELECTOR_RUNTIME
