// SPDX-License-Identifier: Apache-2.0
#include "library/device_shares.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"

namespace mlmq::detail {
namespace {

/// The searches that no device has taken. Thread-safe.
class unassigned_searches {
 public:
  unassigned_searches(std::span<const std::string> names, std::size_t searches, std::size_t unit)
      : rest_{.first = 0, .count = searches},
        first_count_(std::min(most_first_searches, searches / (8 * names.size()))),
        unit_(unit),
        rates_(names.size(), 0) {
    if (std::ranges::adjacent_find(names, std::ranges::not_equal_to()) != names.end()) return;
    for (std::size_t i = 0; i < names.size(); ++i) equal_parts_.push_back(part_of(rest_, i, names.size(), unit));
  }

  /// Returns the next part of a device; empty if there is none.
  /// @param searches, milliseconds how many searches the device has finished in what time
  search_range take(std::size_t device, std::size_t searches, double milliseconds) {
    const std::lock_guard lock(mutex_);
    if (!equal_parts_.empty()) return std::exchange(equal_parts_[device], {});
    if (searches > 0) rates_[device] = static_cast<double>(searches) / milliseconds;
    const bool are_rates_known = std::ranges::all_of(rates_, [](double rate) { return rate > 0; });
    const double share = are_rates_known ? rates_[device] / std::reduce(rates_.begin(), rates_.end()) : 0;
    // Half of the expected share, so that the rest can correct the estimate.
    const auto expected = static_cast<std::size_t>(share * static_cast<double>(rest_.count) / 2);
    const std::size_t count = (std::max({expected, first_count_, unit_}) + unit_ - 1) / unit_ * unit_;
    const search_range part{.first = rest_.first, .count = std::min(rest_.count, count)};
    rest_ = {.first = part.first + part.count, .count = rest_.count - part.count};
    return part;
  }

 private:
  static constexpr std::size_t most_first_searches = 256;

  std::mutex mutex_;
  std::vector<search_range> equal_parts_;  // empty for devices of different names
  search_range rest_;
  std::size_t first_count_;  // of every part until all rates are known
  std::size_t unit_;
  std::vector<double> rates_;  // searches per millisecond; 0: unknown
};

}  // namespace

search_range part_of(const search_range& whole, std::size_t index, std::size_t count, std::size_t unit) {
  const std::size_t units = (whole.count + unit - 1) / unit;
  const auto place = [&](std::size_t i) { return std::min(whole.count, units * i / count * unit); };
  return {.first = whole.first + place(index), .count = place(index + 1) - place(index)};
}

void share_searches(std::span<const std::string> names, std::size_t searches, std::size_t unit,
                    const std::function<void(std::size_t device, const search_range& part)>& search) {
  unassigned_searches unassigned(names, searches, unit);
  std::stop_source stop;
  const std::stop_callback stopped_by_caller(stop_token_of_thread(), [&stop] { stop.request_stop(); });
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t device) {
    const stop_scope scope(stop.get_token());
    try {
      std::size_t finished = 0;
      const auto start = std::chrono::steady_clock::now();
      for (search_range part = unassigned.take(device, 0, 0); part.count > 0;
           part = unassigned.take(device, finished, milliseconds_since(start))) {
        search(device, part);
        finished += part.count;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stop.request_stop();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < names.size(); ++i) threads.emplace_back(work, i);
  }
  if (failure) std::rethrow_exception(failure);
}

shared_requests::request::request(shared_requests& requests, bool calls_back)
    : requests_(requests), calls_back_(calls_back) {
  std::unique_lock lock(requests_.mutex_);
  if (!requests_.ended_.wait(lock, stop_token_of_thread(), [&] { return !requests_.is_changing_; }))
    throw stopped_error();
  ++requests_.requests_;
  if (calls_back_) ++requests_.with_callbacks_;
}

shared_requests::request::~request() {
  const std::lock_guard lock(requests_.mutex_);
  --requests_.requests_;
  if (calls_back_) --requests_.with_callbacks_;
  requests_.ended_.notify_all();
}

shared_requests::change::change(shared_requests& requests) : requests_(requests) {
  std::unique_lock lock(requests_.mutex_);
  const auto may_go_on = [&] {
    return requests_.with_callbacks_ > 0 || (requests_.requests_ == 0 && !requests_.is_changing_);
  };
  if (!requests_.ended_.wait(lock, stop_token_of_thread(), may_go_on)) throw stopped_error();
  if (requests_.with_callbacks_ > 0) throw input_error(searches_run);
  requests_.is_changing_ = true;
}

shared_requests::change::~change() {
  const std::lock_guard lock(requests_.mutex_);
  requests_.is_changing_ = false;
  requests_.ended_.notify_all();
}

}  // namespace mlmq::detail
