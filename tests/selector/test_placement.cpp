// SPDX-License-Identifier: Apache-2.0
// The choice of a place from known, expected or inferred times.
#include <catch2/catch.hpp>

#include "selector/placement.hpp"

using mlmq::selector::placement_verdict;
using mlmq::selector::weigh;

TEST_CASE("the time of a transfer follows from the size of the workload") {
  const mlmq::selector::transfer_cost cost{.array_ms = 1, .byte_ms = 0.001};
  using mlmq::selector::transfer_ms;
  // Only the distances are copied back.
  CHECK(transfer_ms(cost, 1000, 5000, true, true) == Approx(1 + 4));
  // Row starts, targets and weights are uploaded before.
  CHECK(transfer_ms(cost, 1000, 5000, true, false) == Approx(5 + 3 + 4.004 + 40));
  CHECK(transfer_ms(cost, 1000, 5000, false, false) == Approx(5 + 3 + 4.004 + 20));
  // More edges than 32 bits can count.
  CHECK(transfer_ms(cost, 0, 5e9, false, false) == Approx(1 + 3 + 0.008 + 2e7));
}

TEST_CASE("the place with the smaller sum of transfer and search wins, the device when they are equal") {
  CHECK(weigh({.transfer_ms = 2, .solve_ms = 1, .predicted = {}}, {.transfer_ms = 0, .solve_ms = 2.5, .predicted = {}})
            .on_processors);
  // Repeat the searches after the workload is on the device.
  CHECK_FALSE(
      weigh({.transfer_ms = 0, .solve_ms = 1, .predicted = {}}, {.transfer_ms = 0, .solve_ms = 2.5, .predicted = {}})
          .on_processors);
  CHECK_FALSE(
      weigh({.transfer_ms = 0, .solve_ms = 1, .predicted = {}}, {.transfer_ms = 0.5, .solve_ms = 0.5, .predicted = {}})
          .on_processors);
}

TEST_CASE("of two candidates of one model, times are inverse to predictions") {
  // The prediction is ten times as fast as the processors' 5 ms, and the upload takes 1 ms.
  const placement_verdict device =
      weigh({.transfer_ms = 1, .solve_ms = {}, .predicted = 1.0}, {.transfer_ms = 0, .solve_ms = 5, .predicted = 0.1});
  CHECK_FALSE(device.on_processors);
  CHECK_FALSE(device.device_is_bound);
  CHECK(device.device_ms == Approx(1.5));
  CHECK(device.processors_ms.value() == Approx(5));
  // The same predictions for a workload that takes the processors 0.5 ms: the transfer decides.
  CHECK(
      weigh({.transfer_ms = 1, .solve_ms = {}, .predicted = 1.0}, {.transfer_ms = 0, .solve_ms = 0.5, .predicted = 0.1})
          .on_processors);
  // The opposite case: a long thin workload, measured on the device.
  const placement_verdict processors = weigh({.transfer_ms = 0, .solve_ms = 100, .predicted = 0.1},
                                             {.transfer_ms = 0, .solve_ms = {}, .predicted = 1.0});
  CHECK(processors.on_processors);
  CHECK(processors.processors_ms.value() == Approx(10));
}

TEST_CASE("times that are known are not inferred again") {
  const placement_verdict verdict =
      weigh({.transfer_ms = 0, .solve_ms = 3, .predicted = 1.0}, {.transfer_ms = 0, .solve_ms = 2, .predicted = 0.01});
  CHECK(verdict.on_processors);
  CHECK(verdict.device_ms == 3);
}

TEST_CASE("the estimate of an unknown search on the device is at least zero") {
  const placement_verdict tiny = weigh({.transfer_ms = 0.2, .solve_ms = {}, .predicted = 0.9},
                                       {.transfer_ms = 0.01, .solve_ms = 0.05, .predicted = {}});
  CHECK(tiny.on_processors);
  CHECK(tiny.device_is_bound);
  CHECK(tiny.device_ms == 0.2);
  CHECK_FALSE(weigh({.transfer_ms = 0.2, .solve_ms = {}, .predicted = 0.9},
                    {.transfer_ms = 0.01, .solve_ms = 0.5, .predicted = {}})
                  .on_processors);
  // A time cannot be inferred from a prediction of 0.
  CHECK_FALSE(weigh({.transfer_ms = 0.2, .solve_ms = {}, .predicted = 0.0},
                    {.transfer_ms = 0, .solve_ms = 0.5, .predicted = 1.0})
                  .on_processors);
}

TEST_CASE("a slower next search counts only at its own place") {
  // By prediction the device is twice as fast: 2 ms on the device, and 4 * 3 ms on the processors.
  const placement_verdict verdict = weigh({.transfer_ms = 1, .solve_ms = {}, .predicted = 1.0},
                                          {.transfer_ms = 0.5, .solve_ms = 4, .predicted = 0.5, .slowdown = 3});
  CHECK(verdict.device_ms == 3);
  CHECK(verdict.processors_ms.value() == 12.5);
  CHECK_FALSE(verdict.on_processors);
}

TEST_CASE("processors without data are never chosen") {
  const placement_verdict verdict = weigh({.transfer_ms = 1000, .solve_ms = 1000, .predicted = {}},
                                          {.transfer_ms = 0, .solve_ms = {}, .predicted = 1.0});
  CHECK_FALSE(verdict.on_processors);
  CHECK_FALSE(verdict.processors_ms.has_value());
}
