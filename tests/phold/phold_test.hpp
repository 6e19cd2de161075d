// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of PHOLD.
#pragma once

#include <stdlib.h>

#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "problems/phold/phold.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::phold {

inline std::unique_ptr<backends::backend> open_device(const std::string& selector) {
  return backends::open_device(selector);
}

inline std::unique_ptr<tuner::workload> workload_of(const std::string& text) {
  tuner::workload_input input{.name = text, .file = "", .generated = text};
  phold_kind().describe(input, {});
  return phold_kind().load(input);
}

inline tuner::configuration configured(const std::string& label) {
  static const auto parameters = tuner::parameter_set::from_declarations(phold_declarations());
  return parameters.parse_label(label);
}

/// One PHOLD workload on one device.
class loaded_model {
 public:
  loaded_model(backends::backend& device, const std::string& text)
      : device_(device), loaded_(phold_problem().load(device, *workload_of(text))) {}

  void prepare(const std::string& label, tuner::instrumentation mode = tuner::instrumentation::none) {
    const tuner::configuration chosen = configured(label);
    loaded_->prepare(chosen, device_.compile(loaded_->variant(chosen, mode)), mode);
  }
  [[nodiscard]] tuner::run_report run(const std::string& until, double limit_ms = 10'000) {
    return loaded_->run({{"until", until}}, limit_ms);
  }
  [[nodiscard]] std::string check() { return loaded_->check(); }
  [[nodiscard]] tuner::problem_instance& instance() { return *loaded_; }

 private:
  backends::backend& device_;
  std::unique_ptr<tuner::problem_instance> loaded_;
};

inline double counter_of(const tuner::run_report& report, const std::string& name) {
  for (const auto& [known, value] : report.counters) {
    if (known == name) return value;
  }
  return -1;
}

}  // namespace mlmq::phold
