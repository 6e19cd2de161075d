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

json graph_json(const planned_graph& graph) {
  const graph_request& request = graph.where.request;
  json all{{"row", graph.row},
           {"hash", graph.hash},
           {"name", graph.where.name},
           {"generated", graph.where.generated},
           {"class", graph.where.graph_class},
           {"family", graph.where.family},
           {"absolute_weights", request.absolute_weights},
           {"float_weights", request.float_weights},
           {"place_file", request.place.file},
           {"place_line", request.place.line}};
  // A path is bytes, which JSON cannot hold unless they are UTF-8.
  all["file"] = std::vector<unsigned char>(graph.where.file.begin(), graph.where.file.end());
  if (request.weight_seed) all["weight_seed"] = *request.weight_seed;
  if (request.ignore_weights) all["ignore_weights"] = *request.ignore_weights;
  if (request.drawn_weights) {
    all["drawn_weights"] = {graph::name_of(request.drawn_weights->distribution), request.drawn_weights->seed};
  }
  return all;
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

planned_graph graph_from(const json& all) {
  planned_graph graph;
  graph.row = whole<std::int64_t>(all.at("row"));
  graph.hash = all.at("hash");
  graph.where.name = all.at("name");
  graph.where.generated = all.at("generated");
  graph.where.graph_class = all.at("class");
  graph.where.family = all.at("family");
  graph.where.file = bytes_from(all.at("file"));
  graph_request& request = graph.where.request;
  request.absolute_weights = all.at("absolute_weights");
  request.float_weights = all.at("float_weights");
  request.place.file = all.at("place_file");
  request.place.line = whole<decltype(request.place.line)>(all.at("place_line"));
  if (all.contains("weight_seed")) request.weight_seed = whole<std::uint64_t>(all["weight_seed"]);
  if (all.contains("ignore_weights")) request.ignore_weights = all["ignore_weights"].get<bool>();
  if (all.contains("drawn_weights")) {
    const json& rule = all["drawn_weights"];
    request.drawn_weights = {graph::weight_distribution_from(rule.at(0).get<std::string>()),
                             whole<std::uint64_t>(rule.at(1))};
  }
  return graph;
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
  const auto bytes = [](const std::string& text) { return std::vector<unsigned char>(text.begin(), text.end()); };
  json all{{"database", bytes(database)}, {"device", device},
           {"file", bytes(file)},         {"rank", rank},
           {"workers", workers},          {"parent", parent},
           {"grace_ms", grace_ms},        {"experiment", plan.experiment},
           {"host", plan.host},           {"device_row", plan.devices.at(0)}};
  all["graphs"] = json::array();
  for (const planned_graph& graph : plan.graphs) all["graphs"].push_back(graph_json(graph));
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
  for (const json& graph : all.at("graphs")) task.plan.graphs.push_back(graph_from(graph));
  return task;
}

std::string worker_event::to_line() const {
  if (what == kind::beat) return dump({{"what", static_cast<int>(what)}, {"progress", progress}}) + "\n";
  json all{{"what", static_cast<int>(what)}, {"text", text}, {"within_ms", within_ms}, {"trial", trial}};
  if (what != kind::step) {
    all["outcome"] = std::string(db::to_string(outcome));
    all["graph"] = graph;
    all["source"] = source;
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
    event.graph = all.at("graph");
    event.source = whole<std::uint64_t>(all.at("source"));
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
