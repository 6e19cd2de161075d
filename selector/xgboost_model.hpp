// SPDX-License-Identifier: Apache-2.0
// XGBoost's C API as one move-only object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// Row-major float32 values; NaN: missing. Infinities are refused by XGBoost.
struct dense_matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  ///< rows × columns
};

/// What the trees are fitted to.
enum class objective {
  squared_error,  ///< the labels
  pairwise,       ///< the order of the labels within each group (LambdaMART without a measure)
  ndcg,           ///< that order, the best places counting most; labels are whole numbers from 0 to 31
};

/// How the trees are grown. With the defaults, the same data gives the same model bit for bit.
struct train_settings {
  int rounds = 200;                   ///< number of rounds, at least 1
  int max_depth = 6;                  ///< at least 1
  double eta = 0.1;                   ///< learning rate in (0,1]
  double subsample = 1;               ///< share of the rows each tree sees, in (0,1]
  double colsample = 1;               ///< share of the columns each split may choose from, in (0,1]
  double min_child_weight = 1;        ///< rows that a leaf must hold, at least 0
  double lambda = 1;                  ///< how strongly leaves shrink towards 0, at least 0
  int trees_per_round = 1;            ///< more make a random forest; at least 1
  std::uint32_t seed = 0;             ///< matters only when subsample or colsample is below 1
  int nthread = 1;                    ///< more threads may add floats in another order
  std::string tree_method = "exact";  ///< "exact" or "hist"
};

/// What is learned from.
struct training_rows {
  dense_matrix inputs;
  std::vector<float> labels;               ///< one per row; may be empty with a gradient of one's own
  std::vector<float> starts;               ///< what each sum of leaves starts from, rows × outputs; empty: 0.5
  std::vector<std::uint32_t> group_sizes;  ///< for the rankings: consecutive rows that are compared; empty: all
  std::size_t outputs = 1;                 ///< numbers to predict per row, each with trees of its own
};

/// A loss of one's own: fills in its first and second derivative at the present scores, rows × outputs of each.
using loss_gradient =
    std::function<void(std::span<const float> scores, std::span<float> gradient, std::span<float> hessian)>;

/// A booster of trees whose prediction is the sum of leaves and a start.
class xgboost_model {
 public:
  /// With squared error. `labels`: one per row; `feature_names`: one per column, stored in the model.
  /// @throws input_error for settings or shapes that make no sense, work_error with XGBoost's
  /// reason.
  [[nodiscard]] static xgboost_model train(const dense_matrix& matrix, std::span<const float> labels,
                                           std::span<const std::string> feature_names, const train_settings& settings);

  /// @throws as above
  [[nodiscard]] static xgboost_model train(const training_rows& rows, std::span<const std::string> feature_names,
                                           const train_settings& settings, objective goal);
  [[nodiscard]] static xgboost_model train(const training_rows& rows, std::span<const std::string> feature_names,
                                           const train_settings& settings, const loss_gradient& gradient);

  /// @throws input_error with XGBoost's reason when `text` is not a model.
  [[nodiscard]] static xgboost_model from_json(std::string_view text);

  /// XGBoost's own JSON model format.
  [[nodiscard]] std::string to_json() const;

  /// Rows × outputs predictions. `starts`: as trained with, as many, or none.
  /// @throws input_error for a wrong number of them, work_error with XGBoost's reason.
  [[nodiscard]] std::vector<float> predict(const dense_matrix& matrix, std::span<const float> starts = {}) const;

 private:
  struct booster_deleter {
    void operator()(void* handle) const noexcept;
  };
  using booster_handle = std::unique_ptr<void, booster_deleter>;

  explicit xgboost_model(booster_handle booster) : booster_(std::move(booster)) {}

  template <typename Round>
  static xgboost_model grow(const training_rows& rows, std::span<const std::string> feature_names,
                            const train_settings& settings, objective goal, Round&& round);

  booster_handle booster_;
};

/// "1.7.4": the XGBoost library that this program runs with.
[[nodiscard]] std::string xgboost_version();

}  // namespace mlmq::selector
