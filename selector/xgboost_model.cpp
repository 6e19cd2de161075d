// SPDX-License-Identifier: Apache-2.0
#include "selector/xgboost_model.hpp"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::selector {
namespace {

struct matrix_deleter {
  void operator()(void* handle) const noexcept { XGDMatrixFree(handle); }
};
using matrix_handle = std::unique_ptr<void, matrix_deleter>;

/// Returns XGBoost's last error as one line, without the leading time and source position and the trailing stack trace.
std::string last_error() {
  const std::string_view message = XGBGetLastError();
  std::string_view line = message.substr(0, message.find('\n'));
  if (const auto time = line.find("] "); line.starts_with('[') && time != std::string_view::npos)
    line.remove_prefix(time + 2);
  if (const auto place = line.find(": "); place != std::string_view::npos) line.remove_prefix(place + 2);
  return line.empty() ? "no reason given" : std::string(line);
}

void check(int status, const char* action) {
  if (status != 0) throw work_error(fmt::format("XGBoost: {}: {}", action, last_error()));
}

matrix_handle make_matrix(const dense_matrix& matrix, int nthread) {
  if (matrix.rows == 0 || matrix.columns == 0 || matrix.values.size() != matrix.rows * matrix.columns)
    throw input_error(fmt::format("a matrix of {} rows and {} columns cannot hold {} values", matrix.rows,
                                  matrix.columns, matrix.values.size()));
  DMatrixHandle handle = nullptr;
  check(XGDMatrixCreateFromMat_omp(matrix.values.data(), matrix.rows, matrix.columns,
                                   std::numeric_limits<float>::quiet_NaN(), &handle, nthread),
        "cannot take the matrix");
  return matrix_handle(handle);
}

void check_settings(const train_settings& settings) {
  const auto require = [](bool met, const char* rule) {
    if (!met) throw input_error(fmt::format("training settings: {}", rule));
  };
  require(settings.rounds >= 1, "rounds must be at least 1");
  require(settings.max_depth >= 1, "max_depth must be at least 1");
  require(settings.eta > 0 && settings.eta <= 1, "eta must be in (0,1]");
  require(settings.subsample > 0 && settings.subsample <= 1, "subsample must be in (0,1]");
  require(settings.colsample > 0 && settings.colsample <= 1, "colsample must be in (0,1]");
  require(settings.lambda >= 0, "lambda must be at least 0");
  require(settings.trees_per_round >= 1, "trees_per_round must be at least 1");
  require(settings.min_child_weight >= 0, "min_child_weight must be at least 0");
  require(settings.nthread >= 1, "nthread must be at least 1");
  require(settings.max_bin >= 2, "max_bin must be at least 2");
  require(settings.tree_method == "exact" || settings.tree_method == "hist", "tree_method must be 'exact' or 'hist'");
}

void set_parameters(BoosterHandle booster, const train_settings& settings) {
  const std::vector<std::pair<const char*, std::string>> parameters{
      {"verbosity", "0"},
      {"booster", "gbtree"},
      {"objective", "reg:squarederror"},
      {"base_score", "0.5"},  // fixed, because newer versions would estimate it
      {"tree_method", settings.tree_method},
      {"max_depth", std::to_string(settings.max_depth)},
      {"eta", shortest_decimal(settings.eta)},
      {"subsample", shortest_decimal(settings.subsample)},
      {"colsample_bynode", shortest_decimal(settings.colsample)},
      {"min_child_weight", shortest_decimal(settings.min_child_weight)},
      {"lambda", shortest_decimal(settings.lambda)},
      {"num_parallel_tree", std::to_string(settings.trees_per_round)},
      {"seed", std::to_string(settings.seed)},
      {"nthread", std::to_string(settings.nthread)},
  };
  for (const auto& [name, value] : parameters) check(XGBoosterSetParam(booster, name, value.c_str()), name);
  if (settings.tree_method == "hist")
    check(XGBoosterSetParam(booster, "max_bin", std::to_string(settings.max_bin).c_str()), "max_bin");
}

/// Returns XGBoost's predictions for each row, valid until the booster's next use.
/// @param prediction_type 1: sums of leaves, 6: numbers of leaves
std::span<const float> predictions(BoosterHandle booster, DMatrixHandle data, std::size_t rows, int prediction_type) {
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  const std::string whole_model = fmt::format(
      R"({{"type":{},"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false}})", prediction_type);
  check(XGBoosterPredictFromDMatrix(booster, data, whole_model.c_str(), &shape, &dimensions, &result),
        "cannot predict");
  if (dimensions < 1 || shape[0] != rows) throw work_error("XGBoost: the model does not predict numbers per row");
  std::size_t count = 1;
  for (bst_ulong i = 0; i < dimensions; ++i) count *= shape[i];
  return {result, count};
}

void store_feature_names(BoosterHandle booster, std::span<const std::string> names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  check(XGBoosterSetStrFeatureInfo(booster, "feature_name", pointers.data(), pointers.size()),
        "cannot store the feature names");
}

}  // namespace

void xgboost_model::booster_deleter::operator()(void* handle) const noexcept { XGBoosterFree(handle); }

xgboost_model xgboost_model::train(const dense_matrix& matrix, std::span<const float> labels,
                                   std::span<const std::string> feature_names, const train_settings& settings) {
  check_settings(settings);
  if (labels.size() != matrix.rows || feature_names.size() != matrix.columns)
    throw input_error(fmt::format("{} labels and {} feature names for a matrix of {} rows and {} columns",
                                  labels.size(), feature_names.size(), matrix.rows, matrix.columns));
  const matrix_handle data = make_matrix(matrix, settings.nthread);
  check(XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), labels.size()), "cannot set the labels");
  const DMatrixHandle cached = data.get();
  BoosterHandle raw = nullptr;
  check(XGBoosterCreate(&cached, 1, &raw), "cannot create a model");
  booster_handle booster(raw);
  set_parameters(raw, settings);
  for (int round = 0; round < settings.rounds; ++round)
    check(XGBoosterUpdateOneIter(raw, round, data.get()), "cannot grow a tree");
  store_feature_names(raw, feature_names);
  return xgboost_model(std::move(booster));
}

xgboost_model xgboost_model::from_json(std::string_view text) {
  BoosterHandle raw = nullptr;
  check(XGBoosterCreate(nullptr, 0, &raw), "cannot create a model");
  booster_handle booster(raw);
  // XGBoost reads any other text as its old binary format, without checking it.
  if (!text.starts_with("{\"")) throw input_error("XGBoost model: not a JSON object");
  if (XGBoosterLoadModelFromBuffer(raw, text.data(), text.size()) != 0)
    throw input_error("XGBoost model: " + last_error());
  check(XGBoosterSetParam(raw, "verbosity", "0"), "verbosity");
  check(XGBoosterSetParam(raw, "nthread", "1"), "nthread");
  return xgboost_model(std::move(booster));
}

std::string xgboost_model::to_json() const {
  bst_ulong length = 0;
  const char* text = nullptr;
  check(XGBoosterSaveModelToBuffer(booster_.get(), R"({"format":"json"})", &length, &text), "cannot write the model");
  return std::string(text, length);
}

std::vector<float> xgboost_model::predict(const dense_matrix& matrix) const {
  const matrix_handle data = make_matrix(matrix, 1);
  const auto result = predictions(booster_.get(), data.get(), matrix.rows, 1);
  return {result.begin(), result.end()};
}

std::vector<std::int32_t> xgboost_model::predict_leaves(const dense_matrix& matrix) const {
  const matrix_handle data = make_matrix(matrix, 1);
  std::vector<std::int32_t> leaves;
  for (const float leaf : predictions(booster_.get(), data.get(), matrix.rows, 6))
    leaves.push_back(static_cast<std::int32_t>(leaf));
  return leaves;
}

void tree_grower::matrix_deleter::operator()(void* handle) const noexcept { XGDMatrixFree(handle); }

tree_grower::tree_grower(const dense_matrix& matrix, const train_settings& settings)
    : rows_(matrix.rows), settings_(settings) {
  check_settings(settings);
  settings_.eta = 1;
  settings_.subsample = 1;
  data_.reset(make_matrix(matrix, settings.nthread).release());
}

xgboost_model tree_grower::grow(std::span<const float> gradient, std::span<const float> hessian,
                                std::uint32_t seed) const {
  if (gradient.size() != rows_ || hessian.size() != rows_)
    throw input_error(
        fmt::format("{} gradients and {} second derivatives for {} rows", gradient.size(), hessian.size(), rows_));
  const DMatrixHandle cached = data_.get();
  BoosterHandle raw = nullptr;
  check(XGBoosterCreate(&cached, 1, &raw), "cannot create a model");
  xgboost_model::booster_handle booster(raw);
  train_settings settings = settings_;
  settings.seed = seed;
  set_parameters(raw, settings);
  std::vector<float> first(gradient.begin(), gradient.end());
  std::vector<float> second(hessian.begin(), hessian.end());
  check(XGBoosterBoostOneIter(raw, data_.get(), first.data(), second.data(), first.size()), "cannot grow a tree");
  return xgboost_model(std::move(booster));
}

std::string xgboost_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace mlmq::selector
