// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace mlmq {

/// Returns the message of a nlohmann::json exception without its "[json.exception.…] " tag.
[[nodiscard]] inline std::string json_reason(const std::exception& error) {
  std::string_view message = error.what();
  if (const auto tag = message.find("] "); message.starts_with('[') && tag != std::string_view::npos)
    message.remove_prefix(tag + 2);
  return std::string(message);
}

}  // namespace mlmq
