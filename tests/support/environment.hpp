// SPDX-License-Identifier: Apache-2.0
// Sets an environment variable, or removes it (nullptr), until the end of the scope.
#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace mlmq::tests {

class environment {
 public:
  environment(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  environment(const char* name, const std::string& value) : environment(name, value.c_str()) {}
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace mlmq::tests
