// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/device_solver.hpp"

#include <algorithm>
#include <stdexcept>

#include "problems/graphs/counters.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::multi_source {

device_solver::device_solver(const solver_input& input)
    : input_(input),
      control_(input.device.allocate(sizeof(multi_source_control), "control words")),
      counters_(input.device.allocate(counter_count * sizeof(u64), "counters")) {}

void device_solver::copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) {
  const buffered& source = buffers_.at(buffer);
  const std::size_t row = source.columns * word_bytes();
  input_.device.download_concurrently(destination, source.results(), first * row, count * row);
}

std::vector<multi_source_answer> device_solver::answers() {
  std::vector<multi_source_answer> result(searches_);
  input_.device.download(result.data(), answers_.memory(), searches_ * sizeof(multi_source_answer));
  return result;
}

std::vector<graph::distance_bits> device_solver::distances(std::size_t first, std::size_t count) {
  const std::size_t n = input_.graph.vertex_count();
  return download<graph::distance_bits>(current_->distances.memory(), first * n, count * n);
}
std::vector<graph::wide_distance_bits> device_solver::wide_distances(std::size_t first, std::size_t count) {
  const std::size_t n = input_.graph.vertex_count();
  return download<graph::wide_distance_bits>(current_->distances.memory(), first * n, count * n);
}
std::vector<graph::distance_bits> device_solver::target_distances() {
  return download<graph::distance_bits>(current_->target_distances.memory(), 0, searches_ * targets_);
}
std::vector<graph::wide_distance_bits> device_solver::wide_target_distances() {
  return download<graph::wide_distance_bits>(current_->target_distances.memory(), 0, searches_ * targets_);
}
const backends::device_memory& device_solver::device_distances() const { return current_->results(); }

/// @throws std::logic_error if distances have another size
template <class Bits>
std::vector<Bits> device_solver::download(const backends::device_memory& memory, std::size_t first, std::size_t count) {
  if (sizeof(Bits) != word_bytes()) throw std::logic_error("distances have another size");
  // A download starts at the begin of the memory, so words before `first` are downloaded and dropped.
  std::vector<Bits> words(first + count);
  if (!words.empty()) input_.device.download(words.data(), memory, words.size() * sizeof(Bits));
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
  return words;
}

void device_solver::reserve_results(const search_request& request) {
  backends::backend& device = input_.device;
  const std::size_t n = input_.graph.vertex_count();
  searches_ = request.sources.size();
  targets_ = request.targets.size();
  current_ = &buffers_.at(request.buffer);
  current_->keeps = request.keep;
  current_->columns = request.keep ? n : targets_;
  answers_.reserve(device, searches_ * sizeof(multi_source_answer), "answers");
  if (targets_ > 0)
    current_->target_distances.reserve(device, searches_ * targets_ * word_bytes(), "distances of targets");
  if (request.keep) current_->distances.reserve(device, searches_ * n * word_bytes(), "distances");
}

std::size_t device_solver::kept_bytes() const {
  return buffers_[0].distances.memory().bytes() + buffers_[1].distances.memory().bytes();
}

std::size_t device_solver::word_bytes() const { return problems::distance_bytes(input_.graph.weights()); }

std::size_t device_solver::rows_that_fit(double share) const {
  const double row = static_cast<double>(input_.graph.vertex_count() * word_bytes());
  const double rows = share * static_cast<double>(input_.device.info().memory_bytes) / row;
  return std::max<std::size_t>(1, static_cast<std::size_t>(rows));
}

u32* device_solver::kept_distances() const { return current_->keeps ? current_->distances.as<u32>() : nullptr; }

void device_solver::watch(double time_limit_ms) {
  input_.device.set_watchdog(problems::watchdog_for(
      time_limit_ms, [this] { input_.device.poke(control_, offsetof(multi_source_control, host_abort), 1); }));
}

void device_solver::clear_words() {
  input_.device.fill(control_, 0, control_.bytes(), 0);
  input_.device.fill(answers_.memory(), 0, searches_ * sizeof(multi_source_answer), 0);
  if (counts_) input_.device.fill(counters_, 0, counters_.bytes(), 0);
}

multi_source_control device_solver::download_control() {
  multi_source_control control{};
  input_.device.download(&control, control_, sizeof control);
  return control;
}

}  // namespace mlmq::multi_source
