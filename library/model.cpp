// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "library/access.hpp"
#include "library/conversions.hpp"
#include "library/model_data.hpp"
#include "problems/installed_model.hpp"
#include "problems/registry.hpp"

namespace mlmq {
namespace {

std::shared_ptr<const detail::model_data> data_of(problems::model_choice::source origin) {
  return std::make_shared<const detail::model_data>(detail::model_data{{.origin = origin, .model = nullptr}});
}

}  // namespace

model detail::model_of(std::shared_ptr<const selector::ranking_model> ranking) {
  return access::make<model>(std::make_shared<const model_data>(
      model_data{{.origin = problems::model_choice::source::given, .model = std::move(ranking)}}));
}

model model::shipped() {
  static const auto shipped = data_of(problems::model_choice::source::shipped);
  return model(shipped);
}

model model::standard() {
  static const auto standard = data_of(problems::model_choice::source::standard);
  return model(standard);
}

model model::read(const std::filesystem::path& file) {
  auto ranking = selector::read_ranking_model(file);
  if (const problems::problem_entry* const problem = problems::known_problem(ranking->trained_for()))
    problems::require_known_features(*ranking, problem->make()->workloads().features());
  return detail::model_of(std::move(ranking));
}

}  // namespace mlmq
