// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.hpp"

/// What the input_error says that `action` throws; "" when it throws none.
template <typename callable>
std::string message_of(callable&& action) {
  try {
    action();
  } catch (const mlmq::input_error& error) {
    return error.what();
  }
  return "";
}
