// SPDX-License-Identifier: Apache-2.0
// Requests to the server of `mlmq report --watch`.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "report/loopback_server.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

void mlmq::fuzz::web_request(std::string_view received) {
  constexpr std::string_view token = "0123456789abcdef";
  constexpr std::string_view secret = "results of the user";
  bool is_asked = false;
  const auto reply = report::reply_to(received, token, [&](const report::web_request& request) {
    is_asked = true;
    require(request.path.find(' ') == std::string::npos, "a path has no blank");
    for (const std::string& text : {request.path, request.known_tag}) {
      require(text.find("\r\n") == std::string::npos, "a path and a tag are within a line");
    }
    if (request.path != "data") return report::web_answer{.status = 503, .tag = {}, .body = "busy"};
    if (request.known_tag == "\"1\"") return report::web_answer{.status = 304, .tag = "\"1\"", .body = {}};
    return report::web_answer{.tag = "\"1\"", .body = std::string(secret)};
  });
  const std::size_t end = received.find("\r\n\r\n");
  require(reply.has_value() == (end != std::string_view::npos), "whole requests are answered, others are waited for");
  if (!reply) return;
  std::string head(received.substr(0, end + 2));
  const auto lower_case = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  std::ranges::transform(head, head.begin(), lower_case);
  const bool is_head = received.starts_with("HEAD ") || received.starts_with("HEAD\r\n");
  const std::string prefix = (is_head ? "head /" : "get /") + std::string(token) + '/';
  require(!is_asked || (head.starts_with(prefix) && head.find("\r\nhost:") != std::string::npos),
          "only requests with the token and the server's name are passed on");
  const std::string_view text = *reply;
  const std::size_t body = text.find("\r\n\r\n");
  require(body != std::string_view::npos, "a reply has a head");
  const std::string_view status = text.substr(0, 13);
  require(status == "HTTP/1.1 404 " ||
              (is_asked && (status == "HTTP/1.1 200 " || status == "HTTP/1.1 304 " || status == "HTTP/1.1 503 ")),
          "the status is one of the server's");
  constexpr std::string_view length = "Content-Length: ";
  const std::size_t digits = text.find(length) + length.size();
  std::size_t bytes = 0;
  std::from_chars(text.data() + digits, text.data() + body, bytes);
  require(text.size() - body - 4 == (is_head ? 0 : bytes), "the body has the length that the head gives");
}
