// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle classes in mlmq/mlmq.hpp.
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
  /// The rows in device memory, or null if they are in host memory. With device rows, `csr` fetches them on first use.
  std::shared_ptr<const rows_on_device> device_rows = {};

  /// Returns the milliseconds spent so far on copying the rows to the host.
  [[nodiscard]] double mirror_ms() const;
};

/// Lets calls that need the same device wait for each other.
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

  /// Frees device memory: now, or at the end of this thread's current call if that call is using the device.
  void free(backends::device_memory memory) noexcept;

  /// Serialises calls on the device and all its solvers; see device_lock.
  std::unique_ptr<device_queue> queue = std::make_unique<device_queue>();
  std::atomic<std::thread::id> user;  ///< the thread that has locked it
  int process_id;                     ///< id of the process that opened the device
  std::unique_ptr<backends::backend> backend;
  std::vector<backends::device_memory> discarded;  ///< memory that `user` frees at the end of its call
  device_facts facts;
  selector::transfer_cost transfer;

  /// This machine's processors in addition to a GPU, opened when a search first considers them.
  std::optional<processors> host;
};

/// Convert between the library's types and the graph's.
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

/// Exclusive use of a device by one call. Callbacks during the call may drop handles, but may use the device only while
/// it is unlocked.
class device_lock {
 public:
  /// Waits until no other call uses the device.
  ///
  /// @throws work_error  if this thread is using the device already, or if the device was opened before a fork
  /// @throws stopped_error
  explicit device_lock(device_data& device);
  struct may_nest {};
  /// For destructors: does nothing if this thread is already using the device.
  device_lock(device_data& device, may_nest) noexcept;
  device_lock(const device_lock&) = delete;
  device_lock& operator=(const device_lock&) = delete;
  ~device_lock();

  /// Releases the device to other calls. Must be called by the thread that locked the device or adopted the lock.
  void unlock() noexcept;
  /// Waits for the device again, unless the lock still owns it. @throws stopped_error
  void lock();
  /// Makes another thread the user of the locked device; `std::thread::id()` means no thread.
  void pass_to(std::thread::id user) noexcept { device_.user = user; }

 private:
  void wait_unstoppably() noexcept;
  void take() noexcept;

  device_data& device_;
  bool owns_ = false;
};

/// The rows of a graph made by digraph::from_device().
struct rows_on_device {
  std::shared_ptr<device_data> device;
  problems::device_rows rows;
  std::shared_ptr<const void> owner;
  std::optional<std::uint32_t> largest_degree;  ///< set if the rows were checked
  mutable std::atomic<double> mirror_ms = 0;

  /// Returns whether kernels of this device can access the rows.
  [[nodiscard]] bool are_on(const backends::backend& backend) const;
};

/// Runs `work` and adds its milliseconds to `stage`, except the time to copy the graph's rows to the host, which is
/// added to times.mirror.
template <class Work>
void add_time(double& stage, solve_times& times, const digraph_data& graph, const Work& work) {
  const double before = graph.mirror_ms();
  const double elapsed_ms = milliseconds_of(work);
  const double mirror = graph.mirror_ms() - before;
  stage += std::max(0.0, elapsed_ms - mirror);
  times.mirror += mirror;
}

/// Implementation of the handle mlmq::model: how to choose the ranking model.
struct model_data {
  problems::model_choice choice;
};

/// Converts between handles and their implementation.
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

/// Makes a handle for a model that was built or read elsewhere.
[[nodiscard]] inline model model_of(std::shared_ptr<const selector::ranking_model> ranking) {
  return access::make<model>(std::make_shared<const model_data>(
      model_data{{.origin = problems::model_choice::source::given, .model = std::move(ranking)}}));
}

/// Caches the memory of destroyed solutions for later ones of the same solver. Thread-safe.
class spare_memory {
 public:
  /// Returns a cached buffer, or an empty one if there are none.
  [[nodiscard]] backends::device_memory take();
  /// @return whether the cache took ownership; otherwise `memory` is unchanged
  [[nodiscard]] bool keep(backends::device_memory& memory);
  /// Frees all buffers and stops caching. The caller must be using the device.
  void close();

 private:
  std::mutex mutex_;
  std::vector<backends::device_memory> buffers_;
  bool is_closed_ = false;
};

/// Distances that stay in the memory of a device.
struct kept_distances {
  kept_distances(std::shared_ptr<device_data> owner, std::shared_ptr<spare_memory> spare,
                 backends::device_memory filled)
      : device(std::move(owner)), home(spare), memory(std::move(filled)) {}
  kept_distances(const kept_distances&) = delete;
  kept_distances& operator=(const kept_distances&) = delete;
  ~kept_distances();

  std::shared_ptr<device_data> device;
  std::weak_ptr<spare_memory> home;
  backends::device_memory memory;
};

struct solution_data {
  solution_data(digraph digraph_handle, problem problem_kind, vertex source_vertex)
      : graph(std::move(digraph_handle)), kind(problem_kind), source(source_vertex) {}

  digraph graph;
  problem kind;
  vertex source;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
  std::vector<timeline_interval> timeline;
  std::unique_ptr<const kept_distances> device_distances;  ///< the distances, if they are on a device
  /// Distances in host memory; for kept distances, empty until they are downloaded.
  mutable graph::distance_array distances;

  /// The distances as floats, if they have such a type, converted by the first call.
  mutable std::once_flag floats_made;
  mutable std::vector<float> floats;
  mutable std::vector<double> doubles;
  /// Predecessors, computed for the first path.
  mutable std::once_flag tree_made;
  mutable std::vector<vertex> tree;
  mutable std::once_flag downloaded;

  [[nodiscard]] graph::weight_type type() const {
    return kind == problem::bfs ? graph::weight_type::uint32 : access::get(graph).csr.weights();
  }
  [[nodiscard]] vertex vertex_count() const { return access::get(graph).csr.vertex_count(); }
  [[nodiscard]] bool is_wide() const { return type() == graph::weight_type::float64; }
  /// Returns the distances in host memory; the first call downloads them if necessary. @throws device_error
  [[nodiscard]] const graph::distance_array& host_distances() const;
  [[nodiscard]] const std::vector<graph::distance_bits>& narrow() const {
    return std::get<std::vector<graph::distance_bits>>(host_distances());
  }
  [[nodiscard]] const std::vector<graph::wide_distance_bits>& wide() const {
    return std::get<std::vector<graph::wide_distance_bits>>(host_distances());
  }
};

/// Returns the error message for an invalid vertex of the graph.
[[nodiscard]] std::string not_a_vertex(const digraph& graph, vertex v);

/// @throws input_error unless the limit is finite and greater than 0
void require_time_limit(double milliseconds);

/// Makes a handle for a device that was opened elsewhere, by a test.
[[nodiscard]] device adopt(std::unique_ptr<backends::backend> opened);

/// Returns the result of `work`, translating exceptions of other layers into those of mlmq/error.hpp.
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
