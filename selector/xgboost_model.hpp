// SPDX-License-Identifier: Apache-2.0
// Move-only wrapper around XGBoost's C API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// Row-major float32 values; NaN: missing. XGBoost rejects infinities.
struct dense_matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  ///< rows × columns
};

/// Training settings of trees. With the defaults, the same data gives the same model bit for bit.
struct train_settings {
  int rounds = 200;                   ///< at least 1
  int max_depth = 6;                  ///< at least 1
  double eta = 0.1;                   ///< learning rate in (0,1]
  double subsample = 1;               ///< share of the rows each tree sees, in (0,1]
  double colsample = 1;               ///< share of the columns each split may choose from, in (0,1]
  double min_child_weight = 1;        ///< minimum number of rows per leaf, at least 0
  double lambda = 1;                  ///< shrinkage of the leaves towards 0, at least 0
  int trees_per_round = 1;            ///< above 1: a random forest; at least 1
  std::uint32_t seed = 0;             ///< matters only if subsample or colsample is below 1
  int nthread = 1;                    ///< above 1: floats may be added in another order
  std::string tree_method = "exact";  ///< "exact" or "hist"
  int max_bin = 256;                  ///< hist: maximum number of thresholds per input; at least 2
};

/// A booster of trees that predicts the sum of leaves and a start.
class xgboost_model {
 public:
  /// Trains with squared error. @param labels one per row @param feature_names one per column, stored in the model
  /// @throws input_error for invalid settings or shapes, work_error with XGBoost's reason
  [[nodiscard]] static xgboost_model train(const dense_matrix& matrix, std::span<const float> labels,
                                           std::span<const std::string> feature_names, const train_settings& settings);

  /// Reads XGBoost's JSON model format. @throws input_error with XGBoost's reason if `text` is not a model
  [[nodiscard]] static xgboost_model from_json(std::string_view text);

  /// Returns the model in XGBoost's JSON format.
  [[nodiscard]] std::string to_json() const;

  /// Predicts one value per row. @throws work_error with XGBoost's reason
  [[nodiscard]] std::vector<float> predict(const dense_matrix& matrix) const;

  /// Returns XGBoost's node number of the leaf of each row in each tree, rows × trees. @throws like predict()
  [[nodiscard]] std::vector<std::int32_t> predict_leaves(const dense_matrix& matrix) const;

 private:
  struct booster_deleter {
    void operator()(void* handle) const noexcept;
  };
  using booster_handle = std::unique_ptr<void, booster_deleter>;

  explicit xgboost_model(booster_handle booster) : booster_(std::move(booster)) {}

  booster_handle booster_;

  friend class tree_grower;
};

/// Grows single trees over the same rows, each with its own gradient.
class tree_grower {
 public:
  /// @param settings settings of a tree; rounds, eta and subsample are ignored. @throws like xgboost_model::train
  tree_grower(const dense_matrix& matrix, const train_settings& settings);

  /// Grows a model of one tree. @param gradient, hessian derivatives of the loss, one per row
  /// @throws input_error for another number of derivatives, work_error with XGBoost's reason
  [[nodiscard]] xgboost_model grow(std::span<const float> gradient, std::span<const float> hessian,
                                   std::uint32_t seed) const;

 private:
  struct matrix_deleter {
    void operator()(void* handle) const noexcept;
  };
  std::size_t rows_;
  train_settings settings_;
  std::unique_ptr<void, matrix_deleter> data_;
};

/// Returns the version of the XGBoost library that this program runs with: "1.7.4".
[[nodiscard]] std::string xgboost_version();

}  // namespace mlmq::selector
