// SPDX-License-Identifier: Apache-2.0
// The base of solvers that search with kernels: the memory for their results.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "problems/growing_memory.hpp"
#include "problems/multi_source/solver.hpp"

namespace mlmq::multi_source {

class device_solver : public solver {
 public:
  device_solver(const device_solver&) = delete;
  device_solver& operator=(const device_solver&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~device_solver() override { input_.device.set_watchdog({}); }

  void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) final;
  [[nodiscard]] std::vector<multi_source_answer> answers() final;
  [[nodiscard]] std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) final;
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_distances(std::size_t first, std::size_t count) final;
  [[nodiscard]] std::vector<graph::distance_bits> target_distances() final;
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_target_distances() final;
  [[nodiscard]] const backends::device_memory& device_distances() const final;

 protected:
  explicit device_solver(const solver_input& input);

  /// Reserves memory for the results of a request and makes its buffer the current one.
  void reserve_results(const search_request& request);
  /// Returns the size of the distances that both buffers keep.
  [[nodiscard]] std::size_t kept_bytes() const;
  [[nodiscard]] std::size_t word_bytes() const;
  /// Returns how many searches' distances fit into this share of the device's memory; at least 1.
  [[nodiscard]] std::size_t rows_that_fit(double share) const;

  /// Returns the kept distances of the current buffer.
  [[nodiscard]] u32* kept_distances() const;
  [[nodiscard]] u32* kept_target_distances() const { return current_->target_distances.as<u32>(); }

  /// Sets the watchdog for a run.
  void watch(double time_limit_ms);
  /// Queues the zeros with which a run begins.
  void clear_words();
  [[nodiscard]] multi_source_control download_control();

  const solver_input& input_;
  backends::device_memory control_;
  backends::device_memory counters_;
  problems::growing_memory answers_;
  std::size_t searches_ = 0;
  std::size_t targets_ = 0;
  bool counts_ = false;  ///< whether the kernel counts

 private:
  struct buffered {
    bool keeps = false;
    std::size_t columns = 0;
    problems::growing_memory target_distances;
    problems::growing_memory distances;

    [[nodiscard]] const backends::device_memory& results() const {
      return keeps ? distances.memory() : target_distances.memory();
    }
  };

  template <class Bits>
  [[nodiscard]] std::vector<Bits> download(const backends::device_memory& memory, std::size_t first, std::size_t count);

  std::array<buffered, 2> buffers_;
  buffered* current_ = buffers_.data();  ///< buffer of the last run
};

}  // namespace mlmq::multi_source
