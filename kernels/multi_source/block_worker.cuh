// SPDX-License-Identifier: Apache-2.0
// A block that repeatedly takes the next search that has not started, and runs it alone.
#pragma once

#include "multi_source/configuration.cuh"
#include "multi_source/stop_watch.cuh"
#include "simt/simt.cuh"

namespace mlmq::multi_source {

/// @tparam Arguments arguments of a kernel
/// @tparam Words has the members `deadline`, `search` and `stop`, in shared memory
template <class Arguments, class Words>
class block_worker {
 protected:
  using order = simt::order;
  using scope = simt::scope;

  SIMT_DEVICE block_worker(const Arguments& arguments, Words* words, counters& counts)
      : arguments_(arguments), words_(words), counts_(counts) {}

  /// Number of the search that the block works on.
  SIMT_DEVICE u32 search() const { return simt::load(&words_->search); }

  /// Called by one thread before the first search.
  SIMT_DEVICE void set_deadline() const { simt::store(&words_->deadline, simt::clock_ns() + arguments_.time_limit_ns); }

  /// Called by one thread. @return the number of a search; arguments_.searches or more: none is left
  SIMT_DEVICE u32 claim() const {
    return simt::atomic_add<order::relaxed, scope::device>(&arguments_.control->next, 1u);
  }

  /// Called by all threads: sets the search, and `stop` if the run is over.
  /// @param next called by one thread; returns a number like claim()
  /// @param reset called by one thread; resets its own words of the block
  template <class Next, class Reset>
  SIMT_DEVICE void take_search(const Next& next, const Reset& reset) const {
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store(&words_->stop, end_if_due() ? 1u : 0u);
      simt::store(&words_->search, next());
      reset();
    }
    simt::sync_block();
  }

  /// Called by all threads. @return whether the run is over
  SIMT_DEVICE bool is_stopped() const {
    if (simt::thread_in_block() == 0 && end_if_due()) simt::store(&words_->stop, 1u);
    simt::sync_block();
    return simt::load(&words_->stop) != 0;
  }

  const Arguments& arguments_;
  Words* words_;
  counters& counts_;

 private:
  SIMT_DEVICE bool end_if_due() const {
    return watch_of(arguments_.control, simt::load(&words_->deadline)).end_if_due();
  }
};

}  // namespace mlmq::multi_source
