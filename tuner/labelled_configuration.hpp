// SPDX-License-Identifier: Apache-2.0
// A configuration with its label, cheap to copy. Every search needs both, and building a label or copying a
// configuration can take as long as a short search.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tuner/configuration.hpp"

namespace mlmq::tuner {

class labelled_configuration {
 public:
  /// The empty configuration.
  labelled_configuration() : labelled_configuration(configuration()) {}
  // Conversions are implicit in both directions.
  labelled_configuration(configuration values) : parts_(std::make_shared<const parts>(std::move(values))) {}

  operator const configuration&() const { return parts_->values; }
  [[nodiscard]] const std::string& label() const { return parts_->label; }

 private:
  struct parts {
    explicit parts(configuration complete) : values(std::move(complete)), label(values.label()) {}
    configuration values;
    std::string label;
  };
  std::shared_ptr<const parts> parts_;
};

}  // namespace mlmq::tuner
