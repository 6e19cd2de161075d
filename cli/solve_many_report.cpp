// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_many_report.hpp"
#include "cli/graph_problem.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/json_output.hpp"

namespace mlmq::cli {
namespace {

double searches_per_second(std::size_t searches, double milliseconds) {
  return static_cast<double>(searches) / milliseconds * 1e3;
}

void print_share(const printer& print, const device_facts& facts, const device_share& share,
                 const multi_source_request& request, std::size_t targets) {
  print("device         {} ({})\n", facts.name, facts.selector);
  print("searches       {}{}\n", share.searches, targets > 0 ? fmt::format(", {} targets each", targets) : "");
  if (share.searches == 0) return;
  for (const tried_batch& tried : share.tried) {
    print("tried          {:.4g}/s  {}\n", searches_per_second(tried.searches, tried.milliseconds),
          request.results.shown(tried.configuration));
  }
  const solve_times& times = share.times;
  print("configuration  {}  ({})\n", request.results.shown(share.choice.configuration), share.choice.reason);
  print("time           {:.4f} ms{}, {:.4g} searches/s\n", times.solve, facts.modelled ? " modelled, not measured" : "",
        searches_per_second(share.searches, times.solve));
  print("elapsed        {:.0f} ms: upload {:.0f}, compilation {:.0f}, preparation {:.0f}, {}\n", share.elapsed_ms,
        times.upload, times.compile, times.prepare,
        request.output.empty() ? "searches" : "searching and writing overlapped");
}

json_document share_document(const device_facts& facts, const device_share& share) {
  json_document result{
      {"name", facts.name}, {"selector", facts.selector}, {"modelled", facts.modelled}, {"searches", share.searches}};
  if (share.searches == 0) return result;
  const solve_times& times = share.times;
  result["configuration"] = share.choice.configuration;
  result["time_ms"] = times.solve;
  result["searches_per_s"] = searches_per_second(share.searches, times.solve);
  result["elapsed_ms"] = share.elapsed_ms;
  result["upload_ms"] = times.upload;
  result["compile_ms"] = times.compile;
  result["prepare_ms"] = times.prepare;
  result["tried"] = json_document::array();
  for (const tried_batch& tried : share.tried) {
    result["tried"].push_back({{"configuration", tried.configuration},
                               {"searches_per_s", searches_per_second(tried.searches, tried.milliseconds)}});
  }
  return result;
}

}  // namespace

void report_searches(const digraph& graph, const multi_source_request& request, const device& devices,
                     const batch_summary& summary, std::size_t targets, std::size_t already) {
  const printer print = request.results.make_printer(request.output);
  print("graph          {}, {} vertices, {} edges\n", graph.name(), graph.vertex_count(), graph.edge_count());
  const std::vector<device> members = devices.members();
  std::vector<device_share> shares = summary.devices;
  shares.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) print_share(print, members[i].facts(), shares[i], request, targets);
  for (const std::string& reduced : request.reductions) print("reduced        {}\n", reduced);
  if (!request.path_sums.empty()) print("path sums      {}\n", request.path_sums);
  const bool computes = request.computes();
  if (!request.output.empty()) print("{}{}\n", computes ? "results        " : "distances      ", request.output);
  if (request.check) print("check          every {} is right\n", computes ? "result" : "distance");
  if (!request.results.as_json()) return;
  json_document document = begin_document("solve-many");
  document["problem"] = problem_name(request.kind);
  document["graph"] = graph_document(graph);
  document["targets"] = targets;
  if (request.cutoff) document["cutoff"] = *request.cutoff;
  if (!request.reductions.empty()) document["reductions"] = request.reductions;
  if (!request.pairs.empty()) document["pairs"] = request.pairs;
  if (!request.path_sums.empty()) document["path_sums"] = request.path_sums;
  document["shard"] = {{"index", request.shard}, {"count", request.shards}};
  document["already_written"] = already;
  document["devices"] = json_document::array();
  for (std::size_t i = 0; i < members.size(); ++i)
    document["devices"].push_back(share_document(members[i].facts(), shares[i]));
  if (targets == 0 && already == 0 && !computes) document["digest"] = fmt::format("{:016x}", summary.digest);
  if (!request.output.empty()) document["output"] = request.output;
  document["checked"] = request.check;
  print_document(document);
}

}  // namespace mlmq::cli
