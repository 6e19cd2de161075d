// SPDX-License-Identifier: Apache-2.0
// PHOLD by one cluster of thread blocks, with all events in the blocks' shared memory: for models that fit there and
// have a few to a few thousand events per window, where the barrier of a grid and its accesses to L2 would dominate the
// time.
//
// Every block owns a part of the entities. Windows are aligned, as in calendar.cu. A created event is posted as a
// letter to the block of its target, to a place that only the sender counts. At the start of a window the block looks
// through its letters. Those of the window join the window's due events. Then three teams of warps work concurrently:
//   executors   find the rank of each due event among those of its entity by a chain, execute it and post the event
//               that it creates
//   filers      put the letters of later windows into lists
//   takers      take the lists of the next window out and make their events due
// Then the blocks synchronise, and record what was executed while they wait for each other.
//
// The events of a block are nodes of a pool. Each bucket of the ring has several lists of nodes, which as many threads
// take out in parallel. Events beyond the ring go to its last bucket, and are filed again when that bucket opens.
//
//   MLMQ_PHOLD_BLOCKS   blocks of the cluster, a power of two
#include "phold/cluster_abi.cuh"
#include "phold/run_end.cuh"
#include "phold/sums.cuh"
#include "simt/cluster.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

class cluster {
  static constexpr u32 threads = simt::block_threads();
  static constexpr u32 blocks = MLMQ_PHOLD_BLOCKS;
  static constexpr u32 nothing = 0xFFFF;
  static constexpr u32 windows_between_checks = 32;
  static_assert(blocks >= 2 && blocks <= 16 && (blocks & (blocks - 1)) == 0);

 public:
  SIMT_DEVICE explicit cluster(const cluster_arguments& arguments)
      : arguments_(arguments), places_(lay_out_cluster(arguments, blocks)), block_(simt::block_in_cluster()) {}

  SIMT_DEVICE void run() {
    const u64 deadline = simt::clock_ns() + arguments_.time_limit_ns;
    simt::cluster_exchange exchange(shared_at<u64>(places_.exchange));
    clear();
    simt::sync_block();
    draw_own_events();
    simt::sync_block();
    file_own_events();
    simt::sync_block();
    window_limits limits(arguments_);
    window_state current = {.window = 0, .third = 0, .next_third = 1, .limit = limits.next(), .next_limit = 0};
    make_due(0, current.third, current.limit, all_threads());
    current.next_limit = limits.next();
    simt::arrive_cluster();
    simt::wait_cluster();
    while (current.window < arguments_.windows) {
      if (current.window % windows_between_checks == 2 && simt::load(words() + last_window) <= current.window) break;
      take_due_letters(current);
      simt::sync_block();
      // These run concurrently if there are enough warps.
      execute(current, exchange, executors());
      file_letters(current, filers());
      make_due(current.window + 1, current.next_third, current.next_limit, takers());
      simt::sync_block();
      exchange.arrive(thread() < blocks ? simt::load(words() + sent + thread()) : 0);
      update_entities(current);
      if (current.window % windows_between_checks == 0) check_end(current.window, deadline);
      current = {.window = current.window + 1,
                 .third = current.next_third,
                 .next_third = current.next_third == 2 ? 0 : current.next_third + 1,
                 .limit = current.next_limit,
                 .next_limit = limits.next()};
      exchange.wait();
    }
    sums_.add_to(arguments_.sums);
    if (block_ == 0 && thread() == 0) {
      simt::store(&arguments_.sums->windows, static_cast<u64>(current.window));
      if (current.window == arguments_.windows) stop(arguments_.control, run_status::finished);
    }
  }

 private:
  // Words in shared memory that all threads use. `sent` and the following count the letters to each block.
  enum word : u32 { due_counts, due_counts_1, due_counts_2, free_count, last_window, own_events, sent = 8 };

  /// State of a window, equal in all threads.
  struct window_state {
    u32 window;
    u32 third;       ///< index of this window in everything that rotates by three: letter buffers, counts of due events
    u32 next_third;  ///< the same for the next window
    u64 limit;       ///< events below it belong to this window, unless they belong to an earlier one
    u64 next_limit;  ///< the same for the next window
    SIMT_DEVICE u32 parity() const { return window % 2; }
  };

  /// Yields the least event word after each window, limited to the end of the run, without a division per window.
  class window_limits {
   public:
    SIMT_DEVICE explicit window_limits(const cluster_arguments& arguments)
        : arguments_(arguments),
          step_((1ull << 32) / arguments.bucket_factor),
          step_rest_((1ull << 32) % arguments.bucket_factor) {}
    SIMT_DEVICE u64 next() {
      whole_ += step_;
      rest_ += step_rest_;
      if (rest_ >= arguments_.bucket_factor) {
        rest_ -= arguments_.bucket_factor;
        ++whole_;
      }
      // The least time whose bucket is beyond the window.
      const u64 time = (whole_ + (rest_ != 0 ? 1 : 0)) << arguments_.time_shift;
      return least_at(time < arguments_.end ? time : arguments_.end);
    }

   private:
    const cluster_arguments& arguments_;
    u64 step_;
    u64 step_rest_;
    u64 whole_ = 0;
    u64 rest_ = 0;
  };

  /// Threads that do one of the concurrent tasks.
  struct team {
    u32 first;
    u32 size;
    /// Number of this thread in the team; beyond all work if it is not a member.
    SIMT_DEVICE u32 rank() const { return thread() - first < size ? thread() - first : ~0u - threads; }
  };

  static constexpr u32 warps = threads / simt::warp_size;
  static constexpr u32 taking_warps = cluster_lists / simt::warp_size;
  /// Whether each team has warps of its own. If there are fewer warps, each warp works for all three teams.
  static constexpr bool has_teams = warps >= 2 * taking_warps;
  static constexpr u32 executing_warps = has_teams ? (warps - taking_warps) * 2 / 3 : warps;

  SIMT_DEVICE static team all_threads() { return {0, threads}; }
  SIMT_DEVICE static team executors() { return {0, executing_warps * simt::warp_size}; }
  SIMT_DEVICE static team filers() {
    if constexpr (!has_teams) return all_threads();
    return {executing_warps * simt::warp_size, (warps - executing_warps - taking_warps) * simt::warp_size};
  }
  SIMT_DEVICE static team takers() {
    if constexpr (!has_teams) return all_threads();
    return {(warps - taking_warps) * simt::warp_size, taking_warps * simt::warp_size};
  }

  SIMT_DEVICE static u32 thread() { return simt::thread_in_block(); }

  template <class T>
  SIMT_DEVICE static T* shared_at(u32 place) {
    return reinterpret_cast<T*>(simt::shared_memory() + place);
  }
  SIMT_DEVICE u32* words() const { return shared_at<u32>(places_.words); }
  SIMT_DEVICE u64* events() const { return shared_at<u64>(places_.events); }
  SIMT_DEVICE u32* links() const { return shared_at<u32>(places_.links); }
  SIMT_DEVICE unsigned short* free_nodes() const { return shared_at<unsigned short>(places_.free_nodes); }
  SIMT_DEVICE u32* heads(u32 bucket) const {
    return shared_at<u32>(places_.heads) + (bucket & (arguments_.buckets - 1)) * cluster_lists;
  }
  SIMT_DEVICE u32* indices() const { return shared_at<u32>(places_.indices); }
  SIMT_DEVICE u32* chains(u32 parity) const { return shared_at<u32>(places_.chains) + parity * arguments_.entities; }
  SIMT_DEVICE u64* due(u32 parity) const { return shared_at<u64>(places_.due) + parity * arguments_.due_capacity; }
  SIMT_DEVICE u32* due_column(u32 parity, u32 column) const {
    return shared_at<u32>(places_.due_links) + (parity * 4 + column) * arguments_.due_capacity;
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
    const u64 shortened = time >> arguments_.time_shift;
    const u64 most = 0xFFFFFFFFull;
    return static_cast<u32>((shortened < most ? shortened : most) * arguments_.bucket_factor >> 32);
  }
  SIMT_DEVICE void clear() {
    if (thread() < 32) simt::store(words() + thread(), thread() == last_window ? ~0u : 0u);
    for (u32 i = thread(); i < letter_buffers * blocks * arguments_.letters; i += threads) {
      simt::store(shared_at<letter>(places_.letters) + i, letter{~0u, ~0u, 0, ~0u});
    }
    for (u32 i = thread(); i < arguments_.buckets * cluster_lists; i += threads) simt::store(heads(0) + i, nothing);
    for (u32 i = thread(); i < arguments_.entities; i += threads) simt::store(indices() + i, 0u);
    for (u32 i = thread(); i < 2 * arguments_.entities; i += threads) simt::store(chains(0) + i, nothing);
  }

  /// Writes the numbers of the initial events of this block's entities to the pool.
  SIMT_DEVICE void draw_own_events() {
    for (u32 base = 0; base < arguments_.initial_events; base += threads) {
      const u32 i = base + thread();
      const u32 target = i < arguments_.initial_events ? initial_draw(arguments_.model, i).target : 0;
      const bool is_own = i < arguments_.initial_events && target % blocks == block_;
      const u32 own_lanes = simt::ballot(is_own);
      if (own_lanes == 0) continue;
      u32 first = 0;
      if (simt::lane() == 0) first = add_to(words() + own_events, simt::popcount(own_lanes));
      first = simt::shuffle(first, 0);
      const u32 node = first + simt::popcount(own_lanes & simt::lanes_below());
      if (is_own && node < arguments_.pool_capacity) simt::store(events() + node, static_cast<u64>(i));
    }
  }

  SIMT_DEVICE void file_own_events() {
    u32 count = simt::load(words() + own_events);
    if (count > arguments_.pool_capacity) {
      stop(arguments_.control, run_status::queue_full);
      count = arguments_.pool_capacity;
    }
    for (u32 node = thread(); node < count; node += threads) {
      const event_draw drawn = initial_draw(arguments_.model, static_cast<u32>(simt::load(events() + node)));
      simt::store(events() + node, initial_event(drawn));
      push(node, drawn.target / blocks, bucket_of(time_of(initial_event(drawn))), 0);
    }
    for (u32 node = count + thread(); node < arguments_.pool_capacity; node += threads) {
      simt::store(free_nodes() + (node - count), static_cast<unsigned short>(node));
    }
    if (thread() == 0) simt::store(words() + free_count, arguments_.pool_capacity - count);
  }

  /// Puts a node into a list of its bucket, or of the ring's last bucket.
  SIMT_DEVICE void push(u32 node, u32 owner, u32 bucket, u32 window) {
    const u32 ahead = bucket - window;
    u32* const head =
        heads(window + (ahead < arguments_.buckets ? ahead : arguments_.buckets - 1)) + node % cluster_lists;
    simt::store(links() + node, owner << 16 | exchange_word(head, node));
    sums_.count_move();
  }

  /// Adds an event to those of a window. @param node of the pool that the event leaves, or nothing
  SIMT_DEVICE void add_due(u32 window, u32 third, u64 event, u32 owner, u32 node) {
    const u32 place = add_to(words() + due_counts + third, 1);
    if (place >= arguments_.due_capacity) {
      stop(arguments_.control, run_status::queue_full);
      return;
    }
    const u32 parity = window % 2;
    const u32 before = exchange_word(chains(parity) + owner, place);
    simt::store(due(parity) + place, event);
    simt::store(due_owners(parity) + place, owner);
    simt::store(due_nodes(parity) + place, node);
    simt::store(due_next(parity) + place, before);
  }

  SIMT_DEVICE letter* letters_of(u32 third) const {
    return shared_at<letter>(places_.letters) + third * blocks * arguments_.letters;
  }

  SIMT_DEVICE void take_due_letters(const window_state& current) {
    const letter* const letters = letters_of(current.third);
    for (u32 i = thread(); i < blocks * arguments_.letters; i += threads) {
      const letter received = simt::load(letters + i);
      if (received.window == current.window && received.event() < current.limit) {
        add_due(current.window, current.third, received.event(), received.owner, nothing);
      }
    }
  }

  /// Files the letters of later windows.
  SIMT_DEVICE void file_letters(const window_state& current, team members) {
    const letter* const letters = letters_of(current.third);
    for (u32 i = members.rank(); i < blocks * arguments_.letters; i += members.size) {
      const letter received = simt::load(letters + i);
      if (received.window != current.window || received.event() < current.limit) continue;
      if (received.event() < current.next_limit) {
        add_due(current.window + 1, current.next_third, received.event(), received.owner, nothing);
        continue;
      }
      const u32 place = add_to(words() + free_count, ~0u) - 1;
      if (place >= arguments_.pool_capacity) {
        stop(arguments_.control, run_status::queue_full);
        continue;
      }
      const u32 node = simt::load(free_nodes() + place);
      simt::store(events() + node, received.event());
      // Does not add to the lists that are being taken out now, even if the end of the run cuts that window short.
      const u32 bucket = bucket_of(time_of(received.event()));
      push(node, received.owner, bucket > current.window + 1 ? bucket : current.window + 2, current.window);
    }
  }

  /// Makes the events in the lists of a window due.
  SIMT_DEVICE void make_due(u32 window, u32 third, u64 limit, team members) {
    for (u32 list = members.rank(); list < cluster_lists; list += members.size) {
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

  SIMT_DEVICE u32 count_due(const window_state& current) const {
    const u32 due_count = simt::load(words() + due_counts + current.third);
    return due_count < arguments_.due_capacity ? due_count : arguments_.due_capacity;
  }

  SIMT_DEVICE void execute(const window_state& current, const simt::cluster_exchange& exchange, team members) {
    const u32 count = count_due(current);
    for (u32 i = members.rank(); i < count; i += members.size) execute_one(current, exchange, i);
    sums_.count_length(count);
    // Clears the count of the previous window.
    if (thread() == 0) simt::store(words() + due_counts + (3 - current.third - current.next_third), 0u);
  }

  SIMT_DEVICE void execute_one(const window_state& current, const simt::cluster_exchange& exchange, u32 i) {
    const u32 parity = current.window % 2;
    const u64 event = simt::load(due(parity) + i);
    const u32 owner = simt::load(due_owners(parity) + i);
    u32 index = simt::load(indices() + owner);
    bool is_last = true;
    for (u32 other = simt::load(chains(parity) + owner); other != nothing;) {
      const u32 next = simt::load(due_next(parity) + other);
      const u64 other_event = simt::load(due(parity) + other);
      if (other_event < event || (other_event == event && other < i)) {
        ++index;
      } else if (other != i) {
        is_last = false;
      }
      other = next;
      sums_.count_comparisons(1);
    }
    const event_draw drawn = draw(arguments_.model, owner * blocks + block_, index);
    const u32 target_block = drawn.target % blocks;
    const u32 place = add_to(words() + sent + target_block, 1);
    simt::store(executed(parity) + i, is_last ? index + 1 : ~0u);
    const u64 created = created_event(arguments_.model, event, drawn);
    if (place < arguments_.letters) {
      // First places of all senders lie together, so that a reader finds most letters in the first round.
      letter* const letters = letters_of(current.next_third);
      exchange.post(
          target_block, reinterpret_cast<simt::quad*>(letters + place * blocks + block_),
          {static_cast<u32>(created), static_cast<u32>(created >> 32), drawn.target / blocks, current.window + 1});
    } else {
      stop(arguments_.control, run_status::queue_full);
    }
    sums_.count_move();
    sums_.count_event(event, drawn);
  }

  /// Updates indices, chains and free nodes after the events of a window.
  SIMT_DEVICE void update_entities(const window_state& current) {
    const u32 parity = current.window % 2;
    const u32 count = count_due(current);
    for (u32 i = thread(); i < count; i += threads) {
      const u32 executed_count = simt::load(executed(parity) + i);
      const u32 node = simt::load(due_nodes(parity) + i);
      if (executed_count != ~0u) {
        // The last event of its entity.
        const u32 owner = simt::load(due_owners(parity) + i);
        simt::store(indices() + owner, executed_count);
        simt::store(chains(parity) + owner, nothing);
      }
      if (node != nothing) {
        const u32 place = add_to(words() + free_count, 1);
        if (place < arguments_.pool_capacity) simt::store(free_nodes() + place, static_cast<unsigned short>(node));
      }
    }
    if (thread() < blocks) simt::store(words() + sent + thread(), 0u);
  }

  /// Tells all blocks to stop two windows from now if the run must end early.
  SIMT_DEVICE void check_end(u32 window, u64 deadline) {
    if (block_ != 0 || thread() != 0 || window + 2 >= arguments_.windows) return;
    if (simt::load_atomic<simt::order::relaxed, simt::scope::system>(&arguments_.control->host_abort) != 0) {
      stop(arguments_.control, run_status::aborted);
    } else if (simt::clock_ns() > deadline) {
      stop(arguments_.control, run_status::timed_out);
    }
    if (simt::load_atomic<simt::order::relaxed, simt::scope::device>(&arguments_.control->status) ==
        static_cast<u32>(run_status::running)) {
      return;
    }
    for (u32 block = 0; block < blocks; ++block) {
      simt::store(reinterpret_cast<u32*>(simt::shared_memory_of(block) + places_.words) + last_window, window + 2);
    }
  }

  const cluster_arguments& arguments_;
  cluster_layout places_;
  u32 block_;
  thread_sums sums_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_cluster, mlmq::phold::cluster_arguments) { mlmq::phold::cluster(arguments).run(); }
