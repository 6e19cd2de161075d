// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.hpp"

/// Returns the message of the input_error that `action` throws; "" if it throws none.
template <typename callable>
std::string message_of(callable&& action) {
  try {
    action();
  } catch (const mlmq::input_error& error) {
    return error.what();
  }
  return "";
}
