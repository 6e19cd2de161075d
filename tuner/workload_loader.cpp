// SPDX-License-Identifier: Apache-2.0
#include "tuner/workload_loader.hpp"

#include <algorithm>
#include <utility>

#include "tuner/shared_workloads.hpp"

namespace mlmq::tuner {

workload_loader::workload_loader(const workload_kind& kind, unsigned threads, load_budget budget)
    : kind_(kind), thread_count_(threads), budget_(budget) {}

workload_loader::~workload_loader() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
}

workload_loader::entry_list::iterator workload_loader::find(std::int64_t row) {
  return std::find_if(entries_.begin(), entries_.end(), [row](const entry& e) { return e.planned.row == row; });
}

void workload_loader::remove(entry_list::iterator place) {
  if (place->state != stage::waiting) budget_.remove(place->size);
  entries_.erase(place);
}

void workload_loader::read_ahead(std::span<const planned_workload> next) {
  if (thread_count_ == 0) return;
  {
    const std::lock_guard lock(mutex_);
    for (entry& e : entries_) e.is_wanted = false;
    entry_list ordered;
    for (const planned_workload& planned : next) {
      const auto requested = find(planned.row);
      if (requested != entries_.end()) {
        ordered.splice(ordered.end(), entries_, requested);
      } else {
        ordered.push_back({.planned = planned, .size = kind_.expected_size(planned.input)});
      }
      ordered.back().is_wanted = true;
    }
    for (auto e = entries_.begin(); e != entries_.end();) {
      const auto dropped = e++;
      if (dropped->state != stage::reading) remove(dropped);  // its thread removes an entry that it is reading
    }
    entries_.splice(entries_.begin(), ordered);
  }
  changed_.notify_all();
  while (threads_.size() < thread_count_) threads_.emplace_back([this] { read_in_background(); });
}

bool workload_loader::has_read(std::int64_t row) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(),
                     [row](const entry& e) { return e.planned.row == row && e.state == stage::read; });
}

void workload_loader::read(entry& work) {
  try {
    work.loaded = restore_or_load(kind_, work.planned);
  } catch (...) {
    work.error = std::current_exception();
  }
}

std::unique_ptr<workload> workload_loader::take(const planned_workload& planned) {
  std::unique_lock lock(mutex_);
  auto place = find(planned.row);
  if (place == entries_.end() || place->state == stage::waiting) {
    if (place != entries_.end()) remove(place);
    lock.unlock();
    return restore_or_load(kind_, planned);
  }
  place->is_wanted = true;
  changed_.wait(lock, [&] { return place->state == stage::read; });
  const std::exception_ptr error = place->error;
  std::unique_ptr<workload> loaded = std::move(place->loaded);
  remove(place);
  lock.unlock();
  changed_.notify_all();
  if (error) std::rethrow_exception(error);
  return loaded;
}

workload_loader::entry_list::iterator workload_loader::next_to_read() {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const entry& e) { return e.state == stage::waiting && budget_.admits(e.size); });
}

void workload_loader::read_in_background() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || next_to_read() != entries_.end(); });
    if (ending_) return;
    const auto work = next_to_read();
    work->state = stage::reading;
    budget_.add(work->size);
    lock.unlock();
    read(*work);
    lock.lock();
    work->state = stage::read;
    if (!work->is_wanted) remove(work);
    changed_.notify_all();
  }
}

}  // namespace mlmq::tuner
