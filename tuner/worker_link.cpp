// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_link.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

using nlohmann::json;

/// File names and compilers' messages need not be UTF-8.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::vector<unsigned char> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Queries are in the database, in its trials.
json workload_json(const planned_workload& planned) {
  const workload_input& where = planned.where;
  return {{"row", planned.row},
          {"hash", planned.hash},
          {"name", where.name},
          // A path is bytes, which JSON cannot hold unless they are UTF-8.
          {"file", bytes_of(where.file)},
          {"generated", where.generated},
          {"options", where.options},
          {"class", where.workload_class},
          {"family", where.family},
          {"place_file", where.place.file},
          {"place_line", where.place.line}};
}

/// A whole number. JSON's are of any size and may have fractions: to convert one that does not fit is undefined.
/// @throws input_error
template <class Integer>
Integer whole(const json& value) {
  if (value.is_number_unsigned() && std::in_range<Integer>(value.get<std::uint64_t>())) return value.get<Integer>();
  if (value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>())) return value.get<Integer>();
  throw input_error("a message between workers: a number is out of range");
}

/// Text as a list of its bytes, which need not be UTF-8.
std::string bytes_from(const json& list) {
  std::string bytes;
  for (const json& one : list) bytes += static_cast<char>(whole<unsigned char>(one));
  return bytes;
}

planned_workload workload_from(const json& all) {
  planned_workload planned;
  planned.row = whole<std::int64_t>(all.at("row"));
  planned.hash = all.at("hash");
  planned.where.name = all.at("name");
  planned.where.file = bytes_from(all.at("file"));
  planned.where.generated = all.at("generated");
  planned.where.options = all.at("options").get<std::map<std::string, std::string>>();
  planned.where.workload_class = all.at("class");
  planned.where.family = all.at("family");
  source_place& place = planned.where.place;
  place.file = all.at("place_file");
  place.line = whole<decltype(place.line)>(all.at("place_line"));
  return planned;
}

json times_json(const db::session_times& times) {
  return {times.wall,  times.measure, times.compile, times.load,  times.upload,
          times.check, times.idle,    times.prepare, times.record};
}

db::session_times times_from(const json& all) {
  return {.wall = all.at(0),
          .measure = all.at(1),
          .compile = all.at(2),
          .prepare = all.at(7),
          .record = all.at(8),
          .load = all.at(3),
          .upload = all.at(4),
          .check = all.at(5),
          .idle = all.at(6)};
}

}  // namespace

std::string worker_task::to_json() const {
  json all{{"database", bytes_of(database)},
           {"device", device},
           {"file", bytes_of(file)},
           {"rank", rank},
           {"workers", workers},
           {"parent", parent},
           {"grace_ms", grace_ms},
           {"experiment", plan.experiment},
           {"host", plan.host},
           {"device_row", plan.devices.at(0)}};
  all["workloads"] = json::array();
  for (const planned_workload& workload : plan.workloads) all["workloads"].push_back(workload_json(workload));
  return dump(all);
}

worker_task worker_task::from_json(std::string_view text) {
  const json all = json::parse(text);
  worker_task task;
  task.database = bytes_from(all.at("database"));
  task.device = all.at("device");
  task.file = bytes_from(all.at("file"));
  task.rank = whole<decltype(task.rank)>(all.at("rank"));
  task.workers = whole<decltype(task.workers)>(all.at("workers"));
  task.parent = whole<decltype(task.parent)>(all.at("parent"));
  task.grace_ms = all.at("grace_ms");
  task.plan.experiment = whole<std::int64_t>(all.at("experiment"));
  task.plan.host = whole<std::int64_t>(all.at("host"));
  task.plan.devices = {whole<std::int64_t>(all.at("device_row"))};
  for (const json& workload : all.at("workloads")) task.plan.workloads.push_back(workload_from(workload));
  return task;
}

std::string worker_event::to_line() const {
  if (what == kind::beat) return dump({{"what", static_cast<int>(what)}, {"progress", progress}}) + "\n";
  json all{{"what", static_cast<int>(what)}, {"text", text}, {"within_ms", within_ms}, {"trial", trial}};
  if (what != kind::step) {
    all["outcome"] = std::string(db::to_string(outcome));
    all["workload"] = workload;
    all["query"] = query;
    all["milliseconds"] = milliseconds;
    all["kernels_ms"] = kernels_ms;
    all["is_input"] = is_input;
    all["times"] = times_json(times);
    all["variants"] = {variants.variants, variants.from_disk, variants.compile_ms, variants.longest_ms,
                       variants.waited_ms};
  }
  return dump(all) + "\n";
}

std::optional<worker_event> worker_event::from_line(std::string_view line) {
  const json all = json::parse(line, nullptr, false);
  if (!all.is_object()) return std::nullopt;
  try {
    worker_event event;
    const int number = whole<int>(all.at("what"));
    if (number < 0 || number > static_cast<int>(kind::beat)) return std::nullopt;
    event.what = static_cast<kind>(number);
    if (event.what == kind::beat) {
      event.progress = whole<std::uint64_t>(all.at("progress"));
      return event;
    }
    event.text = all.at("text");
    event.within_ms = all.at("within_ms");
    event.trial = whole<std::int64_t>(all.at("trial"));
    if (event.what == kind::step) return event;
    event.outcome = db::outcome_from(all.at("outcome").get<std::string>());
    event.workload = all.at("workload");
    event.query = all.at("query");
    event.milliseconds = all.at("milliseconds");
    event.kernels_ms = all.at("kernels_ms");
    event.is_input = all.at("is_input");
    event.times = times_from(all.at("times"));
    const json& variants = all.at("variants");
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
