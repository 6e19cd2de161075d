// SPDX-License-Identifier: Apache-2.0
#include "base/stop.hpp"

#include <utility>

namespace mlmq {
namespace {

thread_local std::stop_token thread_token;

}  // namespace

stopped_error::stopped_error() : work_error("the call was stopped") {}

stop_scope::stop_scope(std::stop_token token) noexcept : outer_(std::exchange(thread_token, std::move(token))) {}
stop_scope::~stop_scope() { thread_token = std::move(outer_); }

const std::stop_token& stop_token_of_thread() noexcept { return thread_token; }

void throw_if_stopped() {
  if (thread_token.stop_requested()) throw stopped_error();
}

}  // namespace mlmq
