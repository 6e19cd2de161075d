// SPDX-License-Identifier: Apache-2.0
// PHOLD with all threads, each of which has a calendar for a range of entities.
//
// A window needs one barrier: threads write events for other threads to mailboxes, of which each pair of threads has
// two that alternate. Buckets are small enough to be sorted within a core's cache. Empty windows are skipped.
#include <algorithm>
#include <bit>
#include <vector>

#include "problems/phold/bucket_clock.hpp"
#include "problems/phold/simulation.hpp"

namespace mlmq::phold {
namespace {

constexpr double events_of_a_bucket = 2048;
constexpr std::uint32_t most_parts = 1024;
constexpr std::uint64_t most_buckets = 1 << 14;
constexpr std::uint32_t no_bucket = ~std::uint32_t{0};

struct addressed_event {
  std::uint64_t event;
  std::uint32_t entity;
};
using event_list = std::vector<addressed_event>;

/// The events of one thread's entities.
class calendar {
 public:
  calendar(const bucket_clock& clock, std::uint32_t buckets) : clock_(clock), ring_(buckets) {}

  /// @param first first bucket of the current window
  void insert(addressed_event added, std::uint32_t first) {
    const std::uint32_t bucket = clock_.bucket_of(time_of(added.event));
    if (bucket - first < ring_.size()) {
      ring_[bucket % ring_.size()].push_back(added);
    } else {
      first_beyond_ = std::min(first_beyond_, bucket);
      beyond_.push_back(added);
    }
  }

  /// Makes the ring begin at this bucket.
  void advance(std::uint32_t first) {
    if (first_beyond_ - first >= ring_.size() / 2 && first_beyond_ >= first) return;
    event_list before;
    before.swap(beyond_);
    first_beyond_ = no_bucket;
    for (const addressed_event& entry : before) insert(entry, first);
  }

  [[nodiscard]] event_list& bucket(std::uint32_t number) { return ring_[number % ring_.size()]; }

  /// Returns the first bucket with an event, starting at `first`; no_bucket if there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t first) const {
    // Events that were once beyond the ring may now precede some events in it.
    for (std::uint32_t i = 0; i < ring_.size(); ++i) {
      if (!ring_[(first + i) % ring_.size()].empty()) return std::min(first + i, first_beyond_);
    }
    return first_beyond_;
  }

 private:
  const bucket_clock& clock_;
  std::vector<event_list> ring_;
  event_list beyond_;
  std::uint32_t first_beyond_ = no_bucket;
};

/// State shared by all threads.
struct shared_state {
  explicit shared_state(unsigned threads)
      : mail(2 * std::size_t{threads} * threads), reports(2 * std::size_t{threads}) {}

  std::vector<event_list> mail;  ///< by parity of the window, sender, receiver
  struct alignas(cpu::separation) findings {
    std::uint32_t next = no_bucket;  ///< first bucket with an event of the thread, in its calendar or sent
    bool stops = false;
  };
  std::vector<findings> reports;  ///< by parity of the window, thread
};

/// One thread's part of a run.
class worker {
 public:
  worker(cpu::thread_team& team, unsigned rank, const model_settings& settings, const bucket_clock& clock,
         std::uint32_t buckets, shared_state& shared)
      : team_(team),
        rank_(rank),
        threads_(team.size()),
        model_(model_of(settings)),
        clock_(clock),
        shared_(shared),
        range_((model_.entities + threads_ - 1) / threads_),
        calendar_(clock, buckets),
        next_index_(range_, 0) {}

  trace run(std::uint64_t population, std::uint64_t end, cpu::stop_signal& stop) {
    for (std::uint64_t i = rank_; i < population; i += threads_) {
      const event_draw drawn = initial_draw(model_, static_cast<u32>(i));
      send({initial_event(drawn), drawn.target}, 0);
    }
    const std::uint32_t windows = clock_.windows(end);
    trace executed;
    std::uint32_t window = wait_for_window(0, false);
    while (window < windows) {
      ++executed.windows;
      const std::uint32_t first = window * clock_.buckets_per_window;
      for (std::uint32_t part = 0; part < clock_.buckets_per_window; ++part) execute(first, part, end, executed);
      window = wait_for_window(first + clock_.buckets_per_window, stop.poll());
    }
    executed.finished = !stopped_;
    return executed;
  }

 private:
  [[nodiscard]] event_list& mailbox(unsigned sender, unsigned receiver) {
    return shared_.mail[(std::size_t{parity_} * threads_ + sender) * threads_ + receiver];
  }

  void send(addressed_event sent, std::uint32_t first) {
    const unsigned receiver = sent.entity / range_;
    if (receiver == rank_) {
      calendar_.insert(sent, first);
    } else {
      least_sent_ = std::min(least_sent_, clock_.bucket_of(time_of(sent.event)));
      mailbox(rank_, receiver).push_back(sent);
    }
  }

  void execute(std::uint32_t first, std::uint32_t part, std::uint64_t end, trace& executed) {
    event_list& events = calendar_.bucket(first + part);
    std::sort(events.begin(), events.end(),
              [](const addressed_event& a, const addressed_event& b) { return a.event < b.event; });
    for (const addressed_event& entry : events) {
      if (time_of(entry.event) >= end) break;
      const event_draw drawn = draw(model_, entry.entity, next_index_[entry.entity - rank_ * range_]++);
      ++executed.events;
      executed.hash += hash_of(entry.event, drawn);
      send({created_event(model_, entry.event, drawn), drawn.target}, first);
    }
    events.clear();
  }

  /// Waits at the barrier after a window.
  /// @param first first bucket after the window
  /// @return the next window with an event; the largest number if one of the threads stops
  std::uint32_t wait_for_window(std::uint32_t first, bool stops) {
    shared_.reports[parity_ * threads_ + rank_] = {.next = std::min(calendar_.next(first), least_sent_),
                                                   .stops = stops};
    team_.barrier();
    std::uint32_t bucket = no_bucket;
    for (unsigned thread = 0; thread < threads_; ++thread) {
      const shared_state::findings& of_thread = shared_.reports[parity_ * threads_ + thread];
      bucket = std::min(bucket, of_thread.next);
      stopped_ = stopped_ || of_thread.stops;
    }
    if (stopped_) return no_bucket;
    const std::uint32_t window = bucket / clock_.buckets_per_window;
    const std::uint32_t next_first = window * clock_.buckets_per_window;
    calendar_.advance(next_first);
    for (unsigned sender = 0; sender < threads_; ++sender) {
      event_list& box = mailbox(sender, rank_);
      for (const addressed_event& entry : box) calendar_.insert(entry, next_first);
      box.clear();
    }
    parity_ ^= 1U;
    least_sent_ = no_bucket;
    return window;
  }

  cpu::thread_team& team_;
  unsigned rank_;
  unsigned threads_;
  model model_;
  const bucket_clock& clock_;
  shared_state& shared_;
  std::uint32_t range_;
  calendar calendar_;
  std::vector<std::uint32_t> next_index_;
  unsigned parity_ = 0;
  bool stopped_ = false;
  std::uint32_t least_sent_ = no_bucket;
};

}  // namespace

trace simulate_calendar(cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
                        cpu::stop_signal& stop) {
  const double in_window = settings.events_per_time() * settings.lookahead / team.size();
  const auto parts = static_cast<std::uint32_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::clamp(in_window / events_of_a_bucket, 1.0, double{most_parts}))));
  const model m = model_of(settings);
  const bucket_clock clock = bucket_clock::make(m.lookahead, end, parts);
  const std::uint32_t buckets = ring_buckets(settings, settings.lookahead / parts, parts, most_buckets);
  shared_state shared(team.size());
  std::vector<trace> traces(team.size());
  team.run([&](unsigned rank) {
    traces[rank] = worker(team, rank, settings, clock, buckets, shared).run(settings.population(), end, stop);
  });
  trace total = traces.front();
  for (std::size_t i = 1; i < traces.size(); ++i) {
    total.events += traces[i].events;
    total.hash += traces[i].hash;
    total.finished = total.finished && traces[i].finished;
  }
  return total;
}

}  // namespace mlmq::phold
