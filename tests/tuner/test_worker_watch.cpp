// SPDX-License-Identifier: Apache-2.0
// The rule by which workers count as dead, with a clock that the test controls.
#include "tuner/worker_watch.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace {

using namespace std::chrono_literals;
using mlmq::tuner::worker_watch;

constexpr worker_watch::time_point zero;
constexpr double grace_ms = 10e3;

}  // namespace

TEST_CASE("a silent worker is dead after the grace, whatever it does") {
  worker_watch watch(grace_ms);
  watch.start(zero);
  CHECK_FALSE(watch.verdict(zero + 10s));
  CHECK(watch.verdict(zero + 10001ms).value() == "no sign of life for 10 s while starting");
  watch.begin("loading road20", 3600e3, zero + 1s);
  watch.hear(zero + 1s);
  CHECK_FALSE(watch.verdict(zero + 11s));
  CHECK(watch.verdict(zero + 11001ms).value() == "no sign of life for 10 s while loading road20");
  watch.rest(zero + 2s);
  CHECK(watch.is_silent(zero + 11001ms));
}

TEST_CASE("a worker that beats has the time of its step and the grace") {
  worker_watch watch(grace_ms);
  watch.start(zero);
  watch.begin("running a", 3000, zero);
  watch.hear(zero + 13001ms);
  CHECK_FALSE(watch.verdict(zero + 13s));
  CHECK(watch.verdict(zero + 13001ms).value() == "running a did not finish within 3 s, nor within 10 s after that");
  watch.rest(zero + 14s);
  watch.hear(zero + 24h);
  CHECK_FALSE(watch.verdict(zero + 24h));
}

TEST_CASE("a step without a limit must make progress") {
  worker_watch watch(grace_ms);
  watch.start(zero);
  watch.begin("running a", 0, zero);
  std::uint64_t progress = 1;
  for (auto now = zero; now < zero + 1h; now += 5s) {
    watch.hear(now);
    watch.progress(progress++, now);
    CHECK_FALSE(watch.verdict(now));
  }
  watch.hear(zero + 2h);
  watch.progress(progress - 1, zero + 2h);
  CHECK(watch.verdict(zero + 2h).value() == "running a made no progress for 10 s");
}

TEST_CASE("a supervisor that did not look does not blame the workers") {
  worker_watch watch(grace_ms);
  watch.start(zero);
  watch.begin("running a", 3000, zero);
  watch.forgive(1h);
  CHECK_FALSE(watch.verdict(zero + 1h));
  CHECK_FALSE(watch.verdict(zero + 1h + 10s));
  CHECK(watch.verdict(zero + 1h + 10001ms));
}

TEST_CASE("a long wait is reported with its reason") {
  worker_watch watch(grace_ms);
  watch.start(zero);
  watch.begin("loading road20", 3600e3, zero);
  CHECK(watch.waiting_for(zero + 2s) == "");
  CHECK(watch.waiting_for(zero + 4s) == "no sign of life for 4 s, loading road20");
  watch.hear(zero + 12s);
  CHECK(watch.waiting_for(zero + 12s) == "loading road20 for 12 s");
  watch.begin("running " + std::string(200, 'x') + " on road20 from 0", 0, zero + 12s);
  CHECK(watch.waiting_for(zero + 17s) ==
        "no sign of life for 5 s, running " + std::string(32, 'x') + "… on road20 from 0");
  watch.hear(zero + 18s);
  watch.rest(zero + 18s);
  CHECK(watch.waiting_for(zero + 20s) == "");
}
