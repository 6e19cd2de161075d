// SPDX-License-Identifier: Apache-2.0
// Messages between a sweep and its workers read back unchanged, and other lines are not taken for messages.
#include <catch2/catch.hpp>
#include <string>

#include "tuner/worker_link.hpp"

using namespace mlmq::tuner;

namespace {

worker_task example() {
  worker_task task;
  task.database = "r\xff.sqlite";  // a path need not be UTF-8
  task.device = "simt";
  task.file = "s.yaml";
  task.plan.devices = {3};
  planned_workload& graph = task.plan.workloads.emplace_back();
  graph.row = 7;
  graph.hash = "00ff";
  graph.input.name = graph.input.generated = "road6";
  return task;
}

std::string replaced(std::string text, const std::string& old_part, const std::string& new_part) {
  const auto position = text.find(old_part);
  REQUIRE(position != std::string::npos);
  return text.replace(position, old_part.size(), new_part);
}

}  // namespace

TEST_CASE("a task reads back as it was") {
  const worker_task read = worker_task::from_json(example().to_json());
  CHECK(read.database == example().database);
  CHECK(read.plan.workloads.at(0).row == 7);
  CHECK(read.to_json() == example().to_json());
}

TEST_CASE("a task with a number that does not fit is refused, not converted") {
  const std::string good = example().to_json();
  for (const std::string number : {"1e300", "-1e300", "0.5", "9999999999999999999999", "\"1\"", "null"}) {
    CAPTURE(number);
    CHECK_THROWS(worker_task::from_json(replaced(good, "\"row\":7", "\"row\":" + number)));
    CHECK_THROWS(worker_task::from_json(replaced(good, "\"device_row\":3", "\"device_row\":" + number)));
    CHECK_THROWS(worker_task::from_json(replaced(good, "\"database\":[", "\"database\":[" + number + ",")));
  }
  CHECK_THROWS(worker_task::from_json(replaced(good, "\"database\":[", "\"database\":[256,")));
}

TEST_CASE("an announced workload reads back as it was, and other messages are none") {
  planned_workload planned = example().plan.workloads.front();
  planned.input.options["weights"] = "unit";
  planned.shared_file = "/proc/1/fd/3";
  const auto read = workload_from_message(workload_message(planned));
  REQUIRE(read.has_value());
  CHECK(read->row == 7);
  CHECK(read->hash == "00ff");
  CHECK(read->input == planned.input);
  CHECK(read->shared_file == "/proc/1/fd/3");
  for (const char* const message : {"more", "planned", "stop", ""}) CHECK_FALSE(workload_from_message(message));
}

TEST_CASE("an event with a number that does not fit is no event") {
  const std::string line = worker_event{.type = worker_event::kind::step, .text = "running", .trial = 5}.to_line();
  REQUIRE(worker_event::from_line(line)->trial == 5);
  for (const std::string number : {"1e300", "0.5", "9999999999999999999999"}) {
    CHECK_FALSE(worker_event::from_line(replaced(line, "\"trial\":5", "\"trial\":" + number)).has_value());
    CHECK_FALSE(worker_event::from_line("{\"what\":" + number + "}").has_value());
  }
}
