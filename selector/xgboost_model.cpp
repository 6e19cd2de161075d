// SPDX-License-Identifier: Apache-2.0
#include "selector/xgboost_model.hpp"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::selector {
namespace {

struct matrix_deleter {
  void operator()(void* handle) const noexcept { XGDMatrixFree(handle); }
};
using matrix_handle = std::unique_ptr<void, matrix_deleter>;

/// XGBoost's last error as one line: without the time and source position before it and the stack
/// trace after it.
std::string last_error() {
  const std::string_view message = XGBGetLastError();
  std::string_view line = message.substr(0, message.find('\n'));
  if (const auto time = line.find("] "); line.starts_with('[') && time != std::string_view::npos)
    line.remove_prefix(time + 2);
  if (const auto place = line.find(": "); place != std::string_view::npos) line.remove_prefix(place + 2);
  return line.empty() ? "no reason given" : std::string(line);
}

void check(int status, const char* what) {
  if (status != 0) throw work_error(fmt::format("XGBoost: {}: {}", what, last_error()));
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
  require(settings.tree_method == "exact" || settings.tree_method == "hist", "tree_method must be 'exact' or 'hist'");
}

const char* name_of(objective goal) {
  switch (goal) {
    case objective::squared_error:
      return "reg:squarederror";
    case objective::pairwise:
      return "rank:pairwise";
    case objective::ndcg:
      return "rank:ndcg";
  }
  throw std::invalid_argument("no such objective");
}

/// For more than one output, a classification: of objectives with several outputs the one that is in every version. What
/// it would do to labels and predictions does not matter: losses are given, and sums of leaves asked for.
void set_parameters(BoosterHandle booster, const train_settings& settings, objective goal, std::size_t outputs) {
  const std::vector<std::pair<const char*, std::string>> parameters{
      {"verbosity", "0"},
      {"booster", "gbtree"},
      {"objective", outputs > 1 ? "multi:softprob" : name_of(goal)},
      {"base_score", "0.5"},  // newer versions would estimate it; the same data must give the same
                              // model everywhere
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
  if (outputs > 1) check(XGBoosterSetParam(booster, "num_class", std::to_string(outputs).c_str()), "num_class");
}

void set_column(DMatrixHandle data, const char* field, std::span<const float> values) {
  check(XGDMatrixSetFloatInfo(data, field, values.data(), values.size()), field);
}

void check_shapes(const training_rows& rows, std::size_t names) {
  const std::size_t count = rows.inputs.rows;
  const auto fits = [](const std::vector<float>& values, std::size_t wanted) {
    return values.empty() || values.size() == wanted;
  };
  if (!fits(rows.labels, count) || !fits(rows.starts, count * rows.outputs) || names != rows.inputs.columns)
    throw input_error(fmt::format("{} labels, {} starts and {} feature names for a matrix of {} rows and {} columns",
                                  rows.labels.size(), rows.starts.size(), names, count, rows.inputs.columns));
  const std::size_t grouped = std::accumulate(rows.group_sizes.begin(), rows.group_sizes.end(), std::size_t{0});
  if (!rows.group_sizes.empty() && grouped != count)
    throw input_error(fmt::format("groups of {} rows in all for a matrix of {} rows", grouped, count));
}

/// One or more per row; valid until the booster's next use.
std::span<const float> predictions(BoosterHandle booster, DMatrixHandle data, std::size_t rows) {
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  // Sums of leaves, without the objective's transformation, if it had one.
  constexpr const char* whole_model =
      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false})";
  check(XGBoosterPredictFromDMatrix(booster, data, whole_model, &shape, &dimensions, &result), "cannot predict");
  if (dimensions < 1 || dimensions > 2 || shape[0] != rows)
    throw work_error("XGBoost: the model does not predict numbers per row");
  return {result, rows * (dimensions == 2 ? shape[1] : 1)};
}

void store_feature_names(BoosterHandle booster, std::span<const std::string> names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  check(XGBoosterSetStrFeatureInfo(booster, "feature_name", pointers.data(), pointers.size()),
        "cannot store the feature names");
}

}  // namespace

void xgboost_model::booster_deleter::operator()(void* handle) const noexcept { XGBoosterFree(handle); }

template <typename Round>
xgboost_model xgboost_model::grow(const training_rows& rows, std::span<const std::string> feature_names,
                                  const train_settings& settings, objective goal, Round&& round) {
  check_settings(settings);
  check_shapes(rows, feature_names.size());
  const matrix_handle data = make_matrix(rows.inputs, settings.nthread);
  if (!rows.labels.empty()) set_column(data.get(), "label", rows.labels);
  if (!rows.starts.empty()) set_column(data.get(), "base_margin", rows.starts);
  if (!rows.group_sizes.empty()) {
    check(XGDMatrixSetUIntInfo(data.get(), "group", rows.group_sizes.data(), rows.group_sizes.size()),
          "cannot take the groups");
  }
  const DMatrixHandle cached = data.get();
  BoosterHandle raw = nullptr;
  check(XGBoosterCreate(&cached, 1, &raw), "cannot create a model");
  booster_handle booster(raw);
  set_parameters(raw, settings, goal, rows.outputs);
  for (int i = 0; i < settings.rounds; ++i) round(raw, data.get(), i);
  store_feature_names(raw, feature_names);
  return xgboost_model(std::move(booster));
}

xgboost_model xgboost_model::train(const training_rows& rows, std::span<const std::string> feature_names,
                                   const train_settings& settings, objective goal) {
  if (rows.labels.empty()) throw input_error("no labels to learn from");
  if (rows.outputs != 1) throw input_error("several outputs need a loss of one's own");
  return grow(rows, feature_names, settings, goal, [](BoosterHandle booster, DMatrixHandle data, int round) {
    check(XGBoosterUpdateOneIter(booster, round, data), "cannot grow a tree");
  });
}

xgboost_model xgboost_model::train(const training_rows& rows, std::span<const std::string> feature_names,
                                   const train_settings& settings, const loss_gradient& gradient) {
  std::vector<float> first(rows.inputs.rows * rows.outputs);
  std::vector<float> second(rows.inputs.rows * rows.outputs);
  const auto round = [&](BoosterHandle booster, DMatrixHandle data, int) {
    gradient(predictions(booster, data, rows.inputs.rows), first, second);
    check(XGBoosterBoostOneIter(booster, data, first.data(), second.data(), first.size()), "cannot grow a tree");
  };
  return grow(rows, feature_names, settings, objective::squared_error, round);
}

xgboost_model xgboost_model::train(const dense_matrix& matrix, std::span<const float> labels,
                                   std::span<const std::string> feature_names, const train_settings& settings) {
  training_rows rows;
  rows.inputs = matrix;
  rows.labels.assign(labels.begin(), labels.end());
  return train(rows, feature_names, settings, objective::squared_error);
}

xgboost_model xgboost_model::from_json(std::string_view text) {
  BoosterHandle raw = nullptr;
  check(XGBoosterCreate(nullptr, 0, &raw), "cannot create a model");
  booster_handle booster(raw);
  // XGBoost reads anything that does not start like JSON as its old binary format, without checking
  // it.
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

std::vector<float> xgboost_model::predict(const dense_matrix& matrix, std::span<const float> starts) const {
  const matrix_handle data = make_matrix(matrix, 1);
  if (!starts.empty()) {
    if (starts.size() % matrix.rows != 0)
      throw input_error(fmt::format("{} starts for a matrix of {} rows", starts.size(), matrix.rows));
    set_column(data.get(), "base_margin", starts);
  }
  const auto result = predictions(booster_.get(), data.get(), matrix.rows);
  return {result.begin(), result.end()};
}

std::string xgboost_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace mlmq::selector
