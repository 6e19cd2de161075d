// SPDX-License-Identifier: Apache-2.0
#include "report/loopback_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace mlmq::report {
namespace {

constexpr std::size_t longest_request = 16384;
constexpr std::size_t most_connections = 32;
constexpr int poll_milliseconds = 200;
constexpr std::chrono::seconds send_limit{60};

/// Returns 128 random bits as text: other users of the machine cannot guess the address.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) throw work_error("the system has no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Compares in a time that does not depend on the position of the first difference.
bool is_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// Returns the value of a header; empty if the request does not have it.
std::string_view header_of(std::string_view request, std::string_view name) {
  for (std::size_t line = request.find("\r\n"); line != std::string_view::npos; line = request.find("\r\n", line + 2)) {
    const std::string_view rest = request.substr(line + 2);
    if (rest.size() <= name.size() || rest[name.size()] != ':') continue;
    const bool matches = std::equal(name.begin(), name.end(), rest.begin(), [](char lower_case, char letter) {
      return lower_case == std::tolower(static_cast<unsigned char>(letter));
    });
    if (!matches) continue;
    const std::string_view value = rest.substr(name.size() + 1, rest.find("\r\n") - name.size() - 1);
    return value.substr(std::min(value.find_first_not_of(' '), value.size()));
  }
  return {};
}

/// Pages of other sites can reach this server by a name that they resolve to 127.0.0.1, but not with these names.
bool is_own_host(std::string_view host) {
  const std::string_view name = host.substr(0, host.find(':'));
  return name == "127.0.0.1" || name == "localhost";
}

std::string reply_text(const web_answer& answer, bool has_body) {
  const char* words = answer.status == 200   ? "OK"
                      : answer.status == 304 ? "Not Modified"
                      : answer.status == 404 ? "Not Found"
                                             : "Service Unavailable";
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n",
      answer.status, words, answer.type, answer.body.size());
  if (!answer.tag.empty()) text += fmt::format("ETag: {}\r\n", answer.tag);
  text += "\r\n";
  if (has_body) text += answer.body;
  return text;
}

}  // namespace

std::optional<std::string> reply_to(std::string_view received, std::string_view token,
                                    const std::function<web_answer(const web_request&)>& answer) {
  const std::size_t end = received.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = received.substr(0, end + 2);
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t method_end = std::min(line.find(' '), line.size());
  const std::string_view method = line.substr(0, method_end);
  const std::string_view target = line.substr(method_end).substr(method_end < line.size() ? 1 : 0);
  const std::string_view path = target.substr(0, target.find(' '));
  const bool is_read = method == "GET" || method == "HEAD";
  const bool has_token = path.size() > token.size() + 1 && path[0] == '/' && path[token.size() + 1] == '/' &&
                         is_equal(path.substr(1, token.size()), token);
  web_answer result{.status = 404, .tag = {}, .body = "There is nothing at this address.\n"};
  if (is_read && has_token && is_own_host(header_of(head, "host"))) {
    result = answer({.path = std::string(path.substr(token.size() + 2)),
                     .known_tag = std::string(header_of(head, "if-none-match"))});
  }
  return reply_text(result, method != "HEAD" && result.status != 304);
}

loopback_server::loopback_server(std::uint16_t port)
    : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), token_(random_token()) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const int reuses = 1;
  ::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &reuses, sizeof(reuses));
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listening_ || ::bind(listening_.get(), generic, size) != 0 || ::listen(listening_.get(), 16) != 0 ||
      ::getsockname(listening_.get(), generic, &size) != 0)
    throw work_error(fmt::format("port {}: cannot be used: {}", port, std::strerror(errno)));
  port_ = ntohs(address.sin_port);
}

std::string loopback_server::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port_, token_); }

bool loopback_server::advance(connection& open, const std::function<web_answer(const web_request&)>& answer) const {
  if (open.unsent.empty()) {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(open.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    open.received.append(buffer.data(), static_cast<std::size_t>(count));
    std::optional<std::string> reply = reply_to(open.received, token_, answer);
    if (!reply) return open.received.size() <= longest_request;
    open.unsent = *std::move(reply);
    open.deadline = std::chrono::steady_clock::now() + send_limit;
  }
  const ssize_t sent = ::send(open.socket.get(), open.unsent.data(), open.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  open.unsent.erase(0, static_cast<std::size_t>(sent));
  return !open.unsent.empty();
}

void loopback_server::serve(const std::function<web_answer(const web_request&)>& answer,
                            const std::function<bool()>& ends) {
  while (!ends()) {
    // Browsers open connections in advance, and some read slowly. Waiting for one must not delay the others.
    std::vector<pollfd> waiting{{.fd = listening_.get(), .events = POLLIN, .revents = 0}};
    for (const connection& open : connections_) {
      const short events = open.unsent.empty() ? POLLIN : POLLOUT;
      waiting.push_back({.fd = open.socket.get(), .events = events, .revents = 0});
    }
    if (::poll(waiting.data(), waiting.size(), poll_milliseconds) < 0) continue;
    const auto now = std::chrono::steady_clock::now();
    std::vector<connection> open_connections;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      connection& open = connections_[i];
      if (!open.unsent.empty() && now > open.deadline) continue;
      if (waiting[i + 1].revents == 0 || advance(open, answer)) open_connections.push_back(std::move(open));
    }
    connections_ = std::move(open_connections);
    if (waiting[0].revents == 0) continue;
    descriptor accepted(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) continue;
    if (connections_.size() == most_connections) connections_.erase(connections_.begin());
    connections_.push_back({.socket = std::move(accepted), .received = {}, .unsent = {}, .deadline = {}});
  }
}

}  // namespace mlmq::report
