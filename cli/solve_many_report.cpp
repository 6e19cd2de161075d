// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_many_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/json_output.hpp"

namespace mlmq::cli {
namespace {

double searches_per_second(std::size_t searches, double milliseconds) {
  return static_cast<double>(searches) / milliseconds * 1e3;
}

void tell_work(const teller& tell, const device_work& one, const many_request& asked, std::size_t targets) {
  const device_facts& facts = one.where.facts();
  tell("device         {} ({})\n", facts.name, facts.selector);
  tell("searches       {}{}\n", one.done.searches, targets > 0 ? fmt::format(", {} targets each", targets) : "");
  if (one.done.searches == 0) return;
  for (const tried_batch& tried : one.done.tried) {
    tell("tried          {:.4g}/s  {}\n", searches_per_second(tried.searches, tried.milliseconds),
         asked.results.shown(tried.configuration));
  }
  const solve_times& times = one.done.times;
  tell("configuration  {}  ({})\n", asked.results.shown(one.done.choice.configuration), one.done.choice.reason);
  tell("time           {:.4f} ms{}, {:.4g} searches/s\n", times.solve, facts.modelled ? " modelled, not measured" : "",
       searches_per_second(one.done.searches, times.solve));
  tell("elapsed        {:.0f} ms: upload {:.0f}, compilation {:.0f}, preparation {:.0f}, {}\n", one.elapsed,
       times.upload, times.compile, times.prepare,
       asked.output.empty() ? "searches" : "searches beside writing distances");
}

json_document work_document(const device_work& one) {
  const device_facts& facts = one.where.facts();
  json_document result{{"name", facts.name},
                       {"selector", facts.selector},
                       {"modelled", facts.modelled},
                       {"searches", one.done.searches}};
  if (one.done.searches == 0) return result;
  const solve_times& times = one.done.times;
  result["configuration"] = one.done.choice.configuration;
  result["time_ms"] = times.solve;
  result["searches_per_s"] = searches_per_second(one.done.searches, times.solve);
  result["elapsed_ms"] = one.elapsed;
  result["upload_ms"] = times.upload;
  result["compile_ms"] = times.compile;
  result["prepare_ms"] = times.prepare;
  result["tried"] = json_document::array();
  for (const tried_batch& tried : one.done.tried) {
    result["tried"].push_back({{"configuration", tried.configuration},
                               {"searches_per_s", searches_per_second(tried.searches, tried.milliseconds)}});
  }
  return result;
}

}  // namespace

void report_searches(const digraph& graph, const many_request& asked, std::span<const device_work> devices,
                     std::size_t targets, std::size_t already) {
  const teller tell = asked.results.tell(asked.output);
  tell("graph          {}, {} vertices, {} edges\n", graph.name(), graph.vertex_count(), graph.edge_count());
  for (const device_work& one : devices) tell_work(tell, one, asked, targets);
  if (!asked.output.empty()) tell("distances      {}\n", asked.output);
  if (asked.check) tell("check          every distance is right\n");
  if (!asked.results.as_json()) return;
  json_document document = begin_document("solve-many");
  document["problem"] = asked.kind == problem::bfs ? "bfs" : "sssp";
  document["graph"] = graph_document(graph);
  document["targets"] = targets;
  if (asked.cutoff) document["cutoff"] = *asked.cutoff;
  document["shard"] = {{"index", asked.shard}, {"count", asked.shards}};
  document["already_written"] = already;
  document["devices"] = json_document::array();
  for (const device_work& one : devices) document["devices"].push_back(work_document(one));
  if (!asked.output.empty()) document["output"] = asked.output;
  document["checked"] = asked.check;
  print_document(document);
}

}  // namespace mlmq::cli
