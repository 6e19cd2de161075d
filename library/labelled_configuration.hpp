// SPDX-License-Identifier: Apache-2.0
// A configuration with its label, cheap to copy: to put a label together, or to copy a configuration, takes as long as
// some searches, and both are needed for every one.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tuner/configuration.hpp"

namespace mlmq::detail {

class labelled_configuration {
 public:
  /// The empty configuration.
  labelled_configuration() : labelled_configuration(tuner::configuration()) {}
  // Implicit both ways: it is the configuration, in another form.
  labelled_configuration(tuner::configuration configuration)
      : parts_(std::make_shared<const parts>(std::move(configuration))) {}

  operator const tuner::configuration&() const { return parts_->configuration; }
  [[nodiscard]] const std::string& label() const { return parts_->label; }

 private:
  struct parts {
    explicit parts(tuner::configuration from) : configuration(std::move(from)), label(configuration.label()) {}
    tuner::configuration configuration;
    std::string label;
  };
  std::shared_ptr<const parts> parts_;
};

}  // namespace mlmq::detail
