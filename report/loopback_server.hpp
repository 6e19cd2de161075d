// SPDX-License-Identifier: Apache-2.0
// A web server for one user on this machine: it listens on the loopback interface only, and every address begins with a
// random token. It answers GET requests and changes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace mlmq::report {

struct web_request {
  std::string path;       ///< after the token, such as "data"
  std::string known_tag;  ///< value of If-None-Match; may be empty
};

struct web_answer {
  int status = 200;  ///< 200, 304, 404 or 503
  std::string type = "text/plain; charset=utf-8";
  std::string tag;  ///< ETag; may be empty
  std::string body;
};

/// Returns the reply to what a client has sent, or nothing as long as the head of the request is incomplete.
/// @param token  the first part of every path
[[nodiscard]] std::optional<std::string> reply_to(std::string_view received, std::string_view token,
                                                  const std::function<web_answer(const web_request&)>& answer);

class loopback_server {
 public:
  /// Starts to listen. @param port 0: any free one @throws work_error if the port cannot be used
  explicit loopback_server(std::uint16_t port);

  /// Returns the address of the page, such as http://127.0.0.1:40123/0123…/
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// Answers requests until `ends` returns true, which is called several times a second.
  void serve(const std::function<web_answer(const web_request&)>& answer, const std::function<bool()>& ends);

 private:
  struct connection {
    descriptor socket;
    std::string received;
    std::string unsent;                                ///< rest of the reply
    std::chrono::steady_clock::time_point deadline{};  ///< for taking the reply
  };

  /// Reads or writes what the connection is ready for, without waiting. @return whether it stays open
  [[nodiscard]] bool advance(connection& open, const std::function<web_answer(const web_request&)>& answer) const;

  descriptor listening_;
  std::uint16_t port_ = 0;
  std::string token_;
  std::vector<connection> connections_;
};

}  // namespace mlmq::report
