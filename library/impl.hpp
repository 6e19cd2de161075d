// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of mlmq/mlmq.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/stopwatch.hpp"
#include "graph/csr.hpp"
#include "library/processors.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/recommendation.hpp"
#include "problems/shortest_paths/device_rows.hpp"
#include "selector/placement.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

struct rows_on_device;

struct digraph_data {
  graph::csr_graph csr;
  std::string name;
  vertex default_source = 0;
  std::vector<std::string> notes = {};
  /// Where the rows are, unless they are in host memory; then `csr` fetches them.
  std::shared_ptr<const rows_on_device> elsewhere = {};

  /// Milliseconds that it took to bring the rows to the host, so far.
  [[nodiscard]] double mirror_ms() const;
};

/// What calls wait for that need the same device.
struct device_queue {
  std::mutex mutex;
  std::condition_variable_any idle;
  bool is_busy = false;
};

struct device_data {
  explicit device_data(std::unique_ptr<backends::backend> opened);
  device_data(const device_data&) = delete;
  device_data& operator=(const device_data&) = delete;
  ~device_data();

  /// Returns whether this process was forked from the one that opened the device. The threads and the context of the
  /// backend do not exist here.
  [[nodiscard]] bool is_inherited() const noexcept;

  /// Frees memory of the device, now, or at the end of the call of this thread that is using the device.
  void free(backends::device_memory memory) noexcept;

  /// One call at a time on the device and on all its solvers: see device_lock.
  std::unique_ptr<device_queue> queue = std::make_unique<device_queue>();
  std::atomic<std::thread::id> user;  ///< the thread that has locked it
  int process_id;                     ///< of the process that opened it
  std::unique_ptr<backends::backend> own;
  std::vector<backends::device_memory> discarded;  ///< to be freed by `user` when it is done
  device_facts facts;
  selector::transfer_cost transfer;

  /// This machine's processors beside a GPU, from the first time that they are weighed.
  std::optional<processors> host;
};

/// The library's name for a type, and back.
[[nodiscard]] constexpr number_type number_type_of(graph::weight_type type) noexcept {
  switch (type) {
    case graph::weight_type::uint32:
      return number_type::uint32;
    case graph::weight_type::float32:
      return number_type::float32;
    case graph::weight_type::float64:
      break;
  }
  return number_type::float64;
}
[[nodiscard]] constexpr graph::weight_type type_of(number_type type) noexcept {
  switch (type) {
    case number_type::uint32:
      return graph::weight_type::uint32;
    case number_type::float32:
      return graph::weight_type::float32;
    case number_type::float64:
      break;
  }
  return graph::weight_type::float64;
}

/// A call that uses a device. Functions of the caller's that are called in the meantime may drop handles, but use the
/// device again only while it is unlocked.
class device_lock {
 public:
  /// Waits until no other call uses the device.
  ///
  /// @throws work_error  if this thread is using the device already, or if the device was opened before a fork
  /// @throws stopped_error
  explicit device_lock(device_data& device);
  struct may_nest {};
  /// For destructors: does nothing where this thread is using the device already.
  device_lock(device_data& device, may_nest) noexcept;
  device_lock(const device_lock&) = delete;
  device_lock& operator=(const device_lock&) = delete;
  ~device_lock();

  /// Leaves the device to other calls. Called by the thread that has locked the device, or by the one that has adopted
  /// the lock.
  void unlock() noexcept;
  /// Waits for the device again, unless the lock still has it. @throws stopped_error
  void lock();
  /// Makes another thread the user of the locked device; `std::thread::id()` means none for now.
  void pass_to(std::thread::id user) noexcept { device_.user = user; }

 private:
  void wait_unstoppably() noexcept;
  void take() noexcept;

  device_data& device_;
  bool owns_ = false;
};

/// Of digraph::from_device().
struct rows_on_device {
  std::shared_ptr<device_data> where;
  problems::device_rows rows;
  std::shared_ptr<const void> owner;
  std::optional<std::uint32_t> largest_degree;  ///< where they were checked
  mutable std::atomic<double> mirror_ms = 0;

  /// Whether kernels of this device reach them.
  [[nodiscard]] bool are_on(const backends::backend& device) const;
};

/// Does `work` and adds the milliseconds to `stage`, but for those that brought the graph's rows to the host: times.mirror.
template <class Work>
void add_time(double& stage, solve_times& times, const digraph_data& graph, const Work& work) {
  const double before = graph.mirror_ms();
  const double all = milliseconds_of(work);
  const double mirror = graph.mirror_ms() - before;
  stage += std::max(0.0, all - mirror);
  times.mirror += mirror;
}

/// Implementation of the handle mlmq::model: which model ranks.
struct model_data {
  problems::model_choice choice;
};

/// The way from a handle to what is behind it, and back.
struct access {
  template <class Handle, class Data>
  [[nodiscard]] static Handle make(std::shared_ptr<Data> data) {
    return Handle(std::move(data));
  }
  template <class Handle>
  [[nodiscard]] static const auto& get(const Handle& handle) {
    return *handle.data_;
  }
  template <class Handle>
  [[nodiscard]] static auto share(const Handle& handle) {
    return handle.data_;
  }
};

/// A handle of a model that was made or read elsewhere.
[[nodiscard]] inline model model_of(std::shared_ptr<const selector::ranking_model> ranking) {
  return access::make<model>(std::make_shared<const model_data>(
      model_data{{.origin = problems::model_choice::source::given, .model = std::move(ranking)}}));
}

/// Memory of answers that are gone, for the next ones of the same solver. Thread-safe.
class spare_memory {
 public:
  /// Nothing when there is none.
  [[nodiscard]] backends::device_memory take();
  /// @return whether it was taken; else `memory` is as before
  [[nodiscard]] bool keep(backends::device_memory& memory);
  /// From now on nothing is kept. By who uses the device.
  void close();

 private:
  std::mutex mutex_;
  std::vector<backends::device_memory> all_;
  bool is_closed_ = false;
};

/// Distances that stay in the memory of a device.
struct kept_distances {
  kept_distances(std::shared_ptr<device_data> where, std::shared_ptr<spare_memory> from, backends::device_memory filled)
      : device(std::move(where)), home(from), memory(std::move(filled)) {}
  kept_distances(const kept_distances&) = delete;
  kept_distances& operator=(const kept_distances&) = delete;
  ~kept_distances();

  std::shared_ptr<device_data> device;
  std::weak_ptr<spare_memory> home;
  backends::device_memory memory;
};

struct solution_data {
  solution_data(digraph searched, problem which, vertex from) : graph(std::move(searched)), kind(which), source(from) {}

  digraph graph;
  problem kind;
  vertex source;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
  std::vector<timeline_interval> timeline;
  std::unique_ptr<const kept_distances> kept;  ///< where the distances are, if they are on a device
  /// Of the search; of kept ones empty until they are brought from the device.
  mutable graph::distance_array distances;

  /// The distances as floats, when they are that: made for the first caller that asks.
  mutable std::once_flag floats_made;
  mutable std::vector<float> floats;
  mutable std::vector<double> doubles;
  /// Predecessors, made for the first path.
  mutable std::once_flag tree_made;
  mutable std::vector<vertex> tree;
  mutable std::once_flag brought;

  [[nodiscard]] graph::weight_type type() const {
    return kind == problem::bfs ? graph::weight_type::uint32 : access::get(graph).csr.weights();
  }
  [[nodiscard]] vertex vertex_count() const { return access::get(graph).csr.vertex_count(); }
  [[nodiscard]] bool is_wide() const { return type() == graph::weight_type::float64; }
  /// The distances in host memory, brought there by the first call: of a type of 4 bytes, or of float64. @throws device_error
  [[nodiscard]] const graph::distance_array& all() const;
  [[nodiscard]] const std::vector<graph::distance_bits>& narrow() const {
    return std::get<std::vector<graph::distance_bits>>(all());
  }
  [[nodiscard]] const std::vector<graph::wide_distance_bits>& wide() const {
    return std::get<std::vector<graph::wide_distance_bits>>(all());
  }
};

/// What to tell who takes `v` for a vertex of the graph.
[[nodiscard]] std::string not_a_vertex(const digraph& graph, vertex v);

/// @throws input_error unless it is a number above 0
void require_time_limit(double milliseconds);

/// A device that was opened elsewhere: a test's.
[[nodiscard]] device adopt(std::unique_ptr<backends::backend> opened);

/// What `work` gives, its exceptions of other layers as those of mlmq/error.hpp.
template <class Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const backends::launch_error& error) {
    throw unsuitable_error(error.what());
  } catch (const backends::compile_error& error) {
    throw mlmq::compile_error(error.what());
  } catch (const backends::out_of_device_memory& error) {
    throw memory_error(error.what());
  } catch (const backends::kernel_fault& error) {
    throw device_error(error.what(), error.sticky);
  }
}

}  // namespace mlmq::detail
