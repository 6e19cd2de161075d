// SPDX-License-Identifier: Apache-2.0
// PHOLD by one cluster of thread blocks, with all events in the blocks' shared memory: for models that fit there and have
// some to some thousand events in a window, where the barrier of a grid and its accesses to L2 would take all the time.
//
// Every block owns a part of the entities. Windows are aligned, as in calendar.cu. An event that is created is posted as a
// letter to the block of its target, to a place that the sender alone counts. At the start of a window the block looks
// through its letters. Those of the window join the window's due events. Then three teams of warps work side by side:
//   executors   find the rank of each due event among those of its entity by a chain, execute it and post what it creates
//   filers      put the letters of later windows into lists
//   takers      take the lists of the next window out and make their events due
// Then the blocks meet, and while they wait for each other, they count what was executed.
//
// The events of a block are nodes of a pool. Each bucket of the ring has several lists of nodes, which as many threads
// take out in parallel. Events beyond the ring go to its last bucket, and are filed again when that bucket opens.
//
//   MLMQ_PHOLD_BLOCKS   blocks of the cluster, a power of two
#include "phold/cluster_abi.cuh"
#include "phold/grid_barrier.cuh"
#include "phold/sums.cuh"
#include "simt/cluster.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

class cluster {
  static constexpr u32 threads = simt::block_threads();
  static constexpr u32 blocks = MLMQ_PHOLD_BLOCKS;
  static constexpr u32 nothing = 0xFFFF;
  static constexpr u32 windows_between_looks = 32;
  static_assert(blocks >= 2 && blocks <= 16 && (blocks & (blocks - 1)) == 0);

 public:
  SIMT_DEVICE explicit cluster(const cluster_arguments& arguments)
      : a_(arguments), places_(lay_out_cluster(arguments, blocks)), block_(simt::block_in_cluster()) {}

  SIMT_DEVICE void run() {
    const u64 deadline = simt::clock_ns() + a_.time_limit_ns;
    simt::cluster_exchange exchange(at<u64>(places_.exchange));
    clear();
    simt::sync_block();
    draw_own_events();
    simt::sync_block();
    file_own_events();
    simt::sync_block();
    window_limits limits(a_);
    turn now = {.window = 0, .third = 0, .next_third = 1, .limit = limits.next(), .next_limit = 0};
    take_out(0, now.third, now.limit, everybody());
    now.next_limit = limits.next();
    simt::arrive_cluster();
    simt::wait_cluster();
    while (now.window < a_.windows) {
      if (now.window % windows_between_looks == 2 && simt::load(words() + last_window) <= now.window) break;
      take_due_letters(now);
      simt::sync_block();
      // Side by side, if there are warps enough.
      execute(now, exchange, executors());
      file_letters(now, filers());
      take_out(now.window + 1, now.next_third, now.next_limit, takers());
      simt::sync_block();
      exchange.arrive(thread() < blocks ? simt::load(words() + sent + thread()) : 0);
      settle(now);
      if (now.window % windows_between_looks == 0) look(now.window, deadline);
      now = {.window = now.window + 1,
             .third = now.next_third,
             .next_third = now.next_third == 2 ? 0 : now.next_third + 1,
             .limit = now.next_limit,
             .next_limit = limits.next()};
      exchange.wait();
    }
    sums_.add_to(a_.sums);
    if (block_ == 0 && thread() == 0) {
      simt::store(&a_.sums->windows, static_cast<u64>(now.window));
      if (now.window == a_.windows) stop(a_.control, run_status::finished);
    }
  }

 private:
  // Words in shared memory that all threads use. `sent` and the following count the letters to each block.
  enum word : u32 { due_counts, due_counts_1, due_counts_2, free_count, last_window, own_events, sent = 8 };

  /// State of a window, equal in all threads.
  struct turn {
    u32 window;
    u32 third;       ///< index of this window in what rotates by three: buffers of arriving letters, counts of due events
    u32 next_third;  ///< the same of the next window
    u64 limit;       ///< events below are of this window, if they are not of an earlier one
    u64 next_limit;  ///< the same of the next window
    SIMT_DEVICE u32 parity() const { return window % 2; }
  };

  /// The first event after each window, or at the end of the run, in their order: without a division for each.
  class window_limits {
   public:
    SIMT_DEVICE explicit window_limits(const cluster_arguments& a)
        : a_(a), step_((1ull << 32) / a.bucket_factor), step_rest_((1ull << 32) % a.bucket_factor) {}
    SIMT_DEVICE u64 next() {
      whole_ += step_;
      rest_ += step_rest_;
      if (rest_ >= a_.bucket_factor) {
        rest_ -= a_.bucket_factor;
        ++whole_;
      }
      // The least time whose bucket is beyond the window.
      const u64 time = (whole_ + (rest_ != 0 ? 1 : 0)) << a_.time_shift;
      return least_at(time < a_.end ? time : a_.end);
    }

   private:
    const cluster_arguments& a_;
    u64 step_;
    u64 step_rest_;
    u64 whole_ = 0;
    u64 rest_ = 0;
  };

  /// Threads that do one of the things that are done side by side.
  struct team {
    u32 first;
    u32 size;
    /// Number of this thread in the team; beyond all work when it is not in it.
    SIMT_DEVICE u32 rank() const { return thread() - first < size ? thread() - first : ~0u - threads; }
  };

  static constexpr u32 warps = threads / simt::warp_size;
  static constexpr u32 taking_warps = cluster_lists / simt::warp_size;
  /// Fewer warps do all kinds of work each.
  static constexpr bool has_teams = warps >= 2 * taking_warps;
  static constexpr u32 executing_warps = has_teams ? (warps - taking_warps) * 2 / 3 : warps;

  SIMT_DEVICE static team everybody() { return {0, threads}; }
  SIMT_DEVICE static team executors() { return {0, executing_warps * simt::warp_size}; }
  SIMT_DEVICE static team filers() {
    if constexpr (!has_teams) return everybody();
    return {executing_warps * simt::warp_size, (warps - executing_warps - taking_warps) * simt::warp_size};
  }
  SIMT_DEVICE static team takers() {
    if constexpr (!has_teams) return everybody();
    return {(warps - taking_warps) * simt::warp_size, taking_warps * simt::warp_size};
  }

  SIMT_DEVICE static u32 thread() { return simt::thread_in_block(); }

  template <class T>
  SIMT_DEVICE static T* at(u32 place) {
    return reinterpret_cast<T*>(simt::shared_memory() + place);
  }
  SIMT_DEVICE u32* words() const { return at<u32>(places_.words); }
  SIMT_DEVICE u64* events() const { return at<u64>(places_.events); }
  SIMT_DEVICE u32* links() const { return at<u32>(places_.links); }
  SIMT_DEVICE unsigned short* free_nodes() const { return at<unsigned short>(places_.free_nodes); }
  SIMT_DEVICE u32* heads(u32 bucket) const {
    return at<u32>(places_.heads) + (bucket & (a_.buckets - 1)) * cluster_lists;
  }
  SIMT_DEVICE u32* indices() const { return at<u32>(places_.indices); }
  SIMT_DEVICE u32* chains(u32 parity) const { return at<u32>(places_.chains) + parity * a_.entities; }
  SIMT_DEVICE u64* due(u32 parity) const { return at<u64>(places_.due) + parity * a_.due_capacity; }
  SIMT_DEVICE u32* due_column(u32 parity, u32 column) const {
    return at<u32>(places_.due_links) + (parity * 4 + column) * a_.due_capacity;
  }
  SIMT_DEVICE u32* due_owners(u32 parity) const { return due_column(parity, 0); }
  SIMT_DEVICE u32* due_next(u32 parity) const { return due_column(parity, 1); }
  SIMT_DEVICE u32* due_nodes(u32 parity) const { return due_column(parity, 2); }
  SIMT_DEVICE u32* executed(u32 parity) const { return due_column(parity, 3); }

  SIMT_DEVICE static u32 add_to(u32* word, u32 amount) {
    return simt::atomic_add<simt::order::relaxed, simt::scope::block>(word, amount);
  }
  SIMT_DEVICE static u32 exchange_word(u32* word, u32 value) {
    return simt::atomic_exchange<simt::order::relaxed, simt::scope::block>(word, value);
  }

  SIMT_DEVICE u32 bucket_of(u64 time) const {
    const u64 shortened = time >> a_.time_shift;
    const u64 most = 0xFFFFFFFFull;
    return static_cast<u32>((shortened < most ? shortened : most) * a_.bucket_factor >> 32);
  }
  SIMT_DEVICE void clear() {
    if (thread() < 32) simt::store(words() + thread(), thread() == last_window ? ~0u : 0u);
    for (u32 i = thread(); i < letter_buffers * blocks * a_.letters; i += threads) {
      simt::store(at<letter>(places_.letters) + i, letter{~0u, ~0u, 0, ~0u});
    }
    for (u32 i = thread(); i < a_.buckets * cluster_lists; i += threads) simt::store(heads(0) + i, nothing);
    for (u32 i = thread(); i < a_.entities; i += threads) simt::store(indices() + i, 0u);
    for (u32 i = thread(); i < 2 * a_.entities; i += threads) simt::store(chains(0) + i, nothing);
  }

  /// The numbers of the initial events of this block's entities, into the pool.
  SIMT_DEVICE void draw_own_events() {
    for (u32 base = 0; base < a_.initial_events; base += threads) {
      const u32 i = base + thread();
      const u32 target = i < a_.initial_events ? initial_draw(a_.model, i).target : 0;
      const bool is_own = i < a_.initial_events && target % blocks == block_;
      const u32 together = simt::ballot(is_own);
      if (together == 0) continue;
      u32 from = 0;
      if (simt::lane() == 0) from = add_to(words() + own_events, simt::popcount(together));
      from = simt::shuffle(from, 0);
      const u32 node = from + simt::popcount(together & simt::lanes_below());
      if (is_own && node < a_.pool_capacity) simt::store(events() + node, static_cast<u64>(i));
    }
  }

  SIMT_DEVICE void file_own_events() {
    u32 count = simt::load(words() + own_events);
    if (count > a_.pool_capacity) {
      stop(a_.control, run_status::full);
      count = a_.pool_capacity;
    }
    for (u32 node = thread(); node < count; node += threads) {
      const event_draw drawn = initial_draw(a_.model, static_cast<u32>(simt::load(events() + node)));
      simt::store(events() + node, initial_event(drawn));
      push(node, drawn.target / blocks, bucket_of(time_of(initial_event(drawn))), 0);
    }
    for (u32 node = count + thread(); node < a_.pool_capacity; node += threads) {
      simt::store(free_nodes() + (node - count), static_cast<unsigned short>(node));
    }
    if (thread() == 0) simt::store(words() + free_count, a_.pool_capacity - count);
  }

  /// Puts a node into a list of its bucket, or of the last one of the ring.
  SIMT_DEVICE void push(u32 node, u32 owner, u32 bucket, u32 window) {
    const u32 ahead = bucket - window;
    u32* const head = heads(window + (ahead < a_.buckets ? ahead : a_.buckets - 1)) + node % cluster_lists;
    simt::store(links() + node, owner << 16 | exchange_word(head, node));
    sums_.count_move();
  }

  /// Adds to the events of a window. @param node of the pool that it leaves, or nothing
  SIMT_DEVICE void add_due(u32 window, u32 third, u64 event, u32 owner, u32 node) {
    const u32 place = add_to(words() + due_counts + third, 1);
    if (place >= a_.due_capacity) {
      stop(a_.control, run_status::full);
      return;
    }
    const u32 parity = window % 2;
    const u32 before = exchange_word(chains(parity) + owner, place);
    simt::store(due(parity) + place, event);
    simt::store(due_owners(parity) + place, owner);
    simt::store(due_nodes(parity) + place, node);
    simt::store(due_next(parity) + place, before);
  }

  SIMT_DEVICE letter* letters_of(u32 third) const { return at<letter>(places_.letters) + third * blocks * a_.letters; }

  SIMT_DEVICE void take_due_letters(const turn& now) {
    const letter* const all = letters_of(now.third);
    for (u32 i = thread(); i < blocks * a_.letters; i += threads) {
      const letter found = simt::load(all + i);
      if (found.window == now.window && found.event() < now.limit) {
        add_due(now.window, now.third, found.event(), found.owner, nothing);
      }
    }
  }

  /// Files the letters of later windows.
  SIMT_DEVICE void file_letters(const turn& now, team by) {
    const letter* const all = letters_of(now.third);
    for (u32 i = by.rank(); i < blocks * a_.letters; i += by.size) {
      const letter found = simt::load(all + i);
      if (found.window != now.window || found.event() < now.limit) continue;
      if (found.event() < now.next_limit) {
        add_due(now.window + 1, now.next_third, found.event(), found.owner, nothing);
        continue;
      }
      const u32 place = add_to(words() + free_count, ~0u) - 1;
      if (place >= a_.pool_capacity) {
        stop(a_.control, run_status::full);
        continue;
      }
      const u32 node = simt::load(free_nodes() + place);
      simt::store(events() + node, found.event());
      // Not to the lists that are taken out now, even if the end of the run cuts that window short.
      const u32 bucket = bucket_of(time_of(found.event()));
      push(node, found.owner, bucket > now.window + 1 ? bucket : now.window + 2, now.window);
    }
  }

  /// Makes the events in the lists of a window due.
  SIMT_DEVICE void take_out(u32 window, u32 third, u64 limit, team by) {
    for (u32 list = by.rank(); list < cluster_lists; list += by.size) {
      u32 node = simt::load(heads(window) + list);
      simt::store(heads(window) + list, nothing);
      while (node != nothing) {
        const u32 link = simt::load(links() + node);
        const u64 event = simt::load(events() + node);
        if (event < limit) {
          add_due(window, third, event, link >> 16, node);
        } else {
          // From beyond the ring, or after the end of the run.
          const u32 bucket = bucket_of(time_of(event));
          push(node, link >> 16, bucket > window ? bucket : window + 1, window);
          sums_.count_refiled();
        }
        node = link & nothing;
      }
    }
  }

  SIMT_DEVICE u32 count_due(const turn& now) const {
    const u32 found = simt::load(words() + due_counts + now.third);
    return found < a_.due_capacity ? found : a_.due_capacity;
  }

  SIMT_DEVICE void execute(const turn& now, const simt::cluster_exchange& exchange, team by) {
    const u32 count = count_due(now);
    for (u32 i = by.rank(); i < count; i += by.size) execute_one(now, exchange, i);
    sums_.count_length(count);
    // Clears the count of the previous window.
    if (thread() == 0) simt::store(words() + due_counts + (3 - now.third - now.next_third), 0u);
  }

  SIMT_DEVICE void execute_one(const turn& now, const simt::cluster_exchange& exchange, u32 i) {
    const u32 parity = now.window % 2;
    const u64 event = simt::load(due(parity) + i);
    const u32 owner = simt::load(due_owners(parity) + i);
    u32 index = simt::load(indices() + owner);
    bool is_last = true;
    for (u32 other = simt::load(chains(parity) + owner); other != nothing;) {
      const u32 next = simt::load(due_next(parity) + other);
      const u64 of_other = simt::load(due(parity) + other);
      if (of_other < event || (of_other == event && other < i)) {
        ++index;
      } else if (other != i) {
        is_last = false;
      }
      other = next;
      sums_.count_comparisons(1);
    }
    const event_draw drawn = draw(a_.model, owner * blocks + block_, index);
    const u32 to = drawn.target % blocks;
    const u32 place = add_to(words() + sent + to, 1);
    simt::store(executed(parity) + i, is_last ? index + 1 : ~0u);
    const u64 created = created_event(a_.model, event, drawn);
    if (place < a_.letters) {
      // First places of all senders lie together, so that a reader finds most letters in the first round.
      letter* const all = letters_of(now.next_third);
      exchange.post(
          to, reinterpret_cast<simt::quad*>(all + place * blocks + block_),
          {static_cast<u32>(created), static_cast<u32>(created >> 32), drawn.target / blocks, now.window + 1});
    } else {
      stop(a_.control, run_status::full);
    }
    sums_.count_move();
    sums_.count_event(event, drawn);
  }

  /// What the events of a window leave behind.
  SIMT_DEVICE void settle(const turn& now) {
    const u32 parity = now.window % 2;
    const u32 count = count_due(now);
    for (u32 i = thread(); i < count; i += threads) {
      const u32 of_owner = simt::load(executed(parity) + i);
      const u32 node = simt::load(due_nodes(parity) + i);
      if (of_owner != ~0u) {
        // The last one of its entity.
        const u32 owner = simt::load(due_owners(parity) + i);
        simt::store(indices() + owner, of_owner);
        simt::store(chains(parity) + owner, nothing);
      }
      if (node != nothing) {
        const u32 place = add_to(words() + free_count, 1);
        if (place < a_.pool_capacity) simt::store(free_nodes() + place, static_cast<unsigned short>(node));
      }
    }
    if (thread() < blocks) simt::store(words() + sent + thread(), 0u);
  }

  /// Tells all blocks to end two windows from now, if the run is over before its time.
  SIMT_DEVICE void look(u32 window, u64 deadline) {
    if (block_ != 0 || thread() != 0 || window + 2 >= a_.windows) return;
    if (simt::load_atomic<simt::order::relaxed, simt::scope::system>(&a_.control->host_abort) != 0) {
      stop(a_.control, run_status::aborted);
    } else if (simt::clock_ns() > deadline) {
      stop(a_.control, run_status::timed_out);
    }
    if (simt::load_atomic<simt::order::relaxed, simt::scope::device>(&a_.control->status) ==
        static_cast<u32>(run_status::running)) {
      return;
    }
    for (u32 block = 0; block < blocks; ++block) {
      simt::store(reinterpret_cast<u32*>(simt::shared_memory_of(block) + places_.words) + last_window, window + 2);
    }
  }

  const cluster_arguments& a_;
  cluster_layout places_;
  u32 block_;
  thread_sums sums_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_cluster, mlmq::phold::cluster_arguments) { mlmq::phold::cluster(arguments).run(); }
