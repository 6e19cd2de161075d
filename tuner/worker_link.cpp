// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_link.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

using nlohmann::json;

/// Serialises JSON, replacing invalid UTF-8, which file names and compiler messages may contain.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::vector<unsigned char> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Leaves out the queries, which are in the trials of the database.
json workload_json(const planned_workload& planned) {
  const workload_input& input = planned.input;
  return {{"row", planned.row},
          {"hash", planned.hash},
          {"name", input.name},
          // JSON strings cannot hold paths that are not UTF-8.
          {"file", bytes_of(input.file)},
          {"generated", input.generated},
          {"options", input.options},
          {"class", input.workload_class},
          {"family", input.family},
          {"place_file", input.place.file},
          {"place_line", input.place.line},
          {"shared_file", planned.shared_file}};
}

/// Converts a JSON number with a range check; converting a number that does not fit would be undefined behaviour.
/// @throws input_error
template <class Integer>
Integer whole(const json& value) {
  if (value.is_number_unsigned() && std::in_range<Integer>(value.get<std::uint64_t>())) return value.get<Integer>();
  if (value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>())) return value.get<Integer>();
  throw input_error("worker message: a number is out of range");
}

/// Reads a text from a list of its bytes, which may be invalid UTF-8.
std::string bytes_from(const json& list) {
  std::string bytes;
  for (const json& item : list) bytes += static_cast<char>(whole<unsigned char>(item));
  return bytes;
}

planned_workload workload_from(const json& document) {
  planned_workload planned;
  planned.row = whole<std::int64_t>(document.at("row"));
  planned.hash = document.at("hash");
  planned.input.name = document.at("name");
  planned.input.file = bytes_from(document.at("file"));
  planned.input.generated = document.at("generated");
  planned.input.options = document.at("options").get<std::map<std::string, std::string>>();
  planned.input.workload_class = document.at("class");
  planned.input.family = document.at("family");
  source_place& place = planned.input.place;
  place.file = document.at("place_file");
  place.line = whole<decltype(place.line)>(document.at("place_line"));
  planned.shared_file = document.at("shared_file");
  return planned;
}

constexpr std::string_view workload_word = "workload ";

json times_json(const db::session_times& times) {
  return {times.wall,  times.measure, times.compile, times.load,  times.upload,
          times.check, times.idle,    times.prepare, times.record};
}

db::session_times times_from(const json& document) {
  return {.wall = document.at(0),
          .measure = document.at(1),
          .compile = document.at(2),
          .prepare = document.at(7),
          .record = document.at(8),
          .load = document.at(3),
          .upload = document.at(4),
          .check = document.at(5),
          .idle = document.at(6)};
}

}  // namespace

std::string worker_task::to_json() const {
  json document{{"database", bytes_of(database)},
                {"device", device},
                {"file", bytes_of(file)},
                {"rank", rank},
                {"workers", workers},
                {"parent", parent},
                {"grace_ms", grace_ms},
                {"more_workloads", more_workloads},
                {"experiment", plan.experiment},
                {"host", plan.host},
                {"device_row", plan.devices.at(0)}};
  document["workloads"] = json::array();
  for (const planned_workload& workload : plan.workloads) document["workloads"].push_back(workload_json(workload));
  return dump(document);
}

worker_task worker_task::from_json(std::string_view text) {
  const json document = json::parse(text);
  worker_task task;
  task.database = bytes_from(document.at("database"));
  task.device = document.at("device");
  task.file = bytes_from(document.at("file"));
  task.rank = whole<decltype(task.rank)>(document.at("rank"));
  task.workers = whole<decltype(task.workers)>(document.at("workers"));
  task.parent = whole<decltype(task.parent)>(document.at("parent"));
  task.grace_ms = document.at("grace_ms");
  task.more_workloads = document.at("more_workloads");
  task.plan.experiment = whole<std::int64_t>(document.at("experiment"));
  task.plan.host = whole<std::int64_t>(document.at("host"));
  task.plan.devices = {whole<std::int64_t>(document.at("device_row"))};
  for (const json& workload : document.at("workloads")) task.plan.workloads.push_back(workload_from(workload));
  return task;
}

std::string workload_message(const planned_workload& planned) {
  return std::string(workload_word) + dump(workload_json(planned));
}

std::optional<planned_workload> workload_from_message(std::string_view line) {
  if (!line.starts_with(workload_word)) return std::nullopt;
  return workload_from(json::parse(line.substr(workload_word.size())));
}

std::string worker_event::to_line() const {
  if (type == kind::beat) return dump({{"what", static_cast<int>(type)}, {"progress", progress}}) + "\n";
  json document{{"what", static_cast<int>(type)}, {"text", text}, {"within_ms", within_ms}, {"trial", trial}};
  if (type != kind::step) {
    document["outcome"] = std::string(db::to_string(outcome));
    document["workload"] = workload;
    document["query"] = query;
    document["milliseconds"] = milliseconds;
    document["kernels_ms"] = kernels_ms;
    document["is_input"] = is_input;
    document["times"] = times_json(times);
    document["variants"] = {variants.variants, variants.from_disk, variants.compile_ms, variants.longest_ms,
                            variants.waited_ms};
  }
  return dump(document) + "\n";
}

std::optional<worker_event> worker_event::from_line(std::string_view line) {
  const json document = json::parse(line, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  try {
    worker_event event;
    const int number = whole<int>(document.at("what"));
    if (number < 0 || number > static_cast<int>(kind::beat)) return std::nullopt;
    event.type = static_cast<kind>(number);
    if (event.type == kind::beat) {
      event.progress = whole<std::uint64_t>(document.at("progress"));
      return event;
    }
    event.text = document.at("text");
    event.within_ms = document.at("within_ms");
    event.trial = whole<std::int64_t>(document.at("trial"));
    if (event.type == kind::step) return event;
    event.outcome = db::outcome_from(document.at("outcome").get<std::string>());
    event.workload = document.at("workload");
    event.query = document.at("query");
    event.milliseconds = document.at("milliseconds");
    event.kernels_ms = document.at("kernels_ms");
    event.is_input = document.at("is_input");
    event.times = times_from(document.at("times"));
    const json& variants = document.at("variants");
    event.variants = {.variants = whole<std::size_t>(variants.at(0)),
                      .from_disk = whole<std::size_t>(variants.at(1)),
                      .compile_ms = variants.at(2),
                      .longest_ms = variants.at(3),
                      .waited_ms = variants.at(4)};
    return event;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace mlmq::tuner
