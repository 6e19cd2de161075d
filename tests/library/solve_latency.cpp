// SPDX-License-Identifier: Apache-2.0
// Measures the overhead of a call of solve() on a small graph. This is a tool for developers, not a test.
//
//   solve_latency [DEVICE [CALLS [GRAPH…]]]
//
// For each graph and kind of call, prints three times in microseconds: of the whole call, of the search on the device's
// clock (solve_times::solve), and of the rest. Each is the median of CALLS calls, followed in parentheses by the first
// and the last decile. CALLS / 10 warm-up calls are not counted. DOWNLOAD is solve_times::download. The first call,
// which compiles, has a line of its own.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds_since(clock_type::time_point start) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

struct quantiles {
  double low, median, high;
};

quantiles quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double part) { return values[static_cast<std::size_t>(part * double(values.size() - 1))]; };
  return {quantile(0.1), quantile(0.5), quantile(0.9)};
}

/// @param call searches from a vertex
void time_calls(const std::string& name, unsigned calls, mlmq::vertex vertices,
                const std::function<mlmq::solve_times(mlmq::vertex)>& call) {
  const auto begin = clock_type::now();
  const mlmq::solve_times first = call(0);
  std::printf("%-28s first %9.2f ms, %s %.2f ms\n", name.c_str(), microseconds_since(begin) / 1000,
              first.compiled ? "compiled" : "loaded", first.compile);
  std::vector<double> whole;
  std::vector<double> search;
  std::vector<double> rest;
  std::vector<double> download;
  for (unsigned i = 0; i < calls + calls / 10; ++i) {
    const auto start = clock_type::now();
    const mlmq::solve_times times = call(static_cast<mlmq::vertex>((i * 977ULL) % vertices));
    const double call_us = microseconds_since(start);
    if (i < calls / 10) continue;
    whole.push_back(call_us);
    search.push_back(times.solve * 1000);
    rest.push_back(call_us - times.solve * 1000);
    download.push_back(times.download * 1000);
  }
  const quantiles a = quantiles_of(whole);
  const quantiles s = quantiles_of(search);
  const quantiles r = quantiles_of(rest);
  std::printf("%-28s call %6.1f (%.1f, %.1f)  search %6.1f (%.1f, %.1f)  rest %6.1f (%.1f, %.1f)  download %.1f\n",
              name.c_str(), a.median, a.low, a.high, s.median, s.low, s.high, r.median, r.low, r.high,
              quantiles_of(download).median);
  std::fflush(stdout);
}

void time_graph(const mlmq::device& target, const std::string& name, unsigned calls) {
  const mlmq::digraph graph = mlmq::digraph::open(name);
  const mlmq::vertex n = graph.vertex_count();
  for (const mlmq::problem kind : {mlmq::problem::sssp, mlmq::problem::bfs}) {
    const std::string label = name + (kind == mlmq::problem::sssp ? " sssp" : " bfs");
    mlmq::solver solver(target, graph, kind);
    mlmq::solve_options on_device;
    on_device.place = mlmq::placement::device;
    time_calls(label + " solve", calls, n,
               [&](mlmq::vertex source) { return solver.solve(source, on_device).times(); });
    mlmq::solve_options with_configuration = on_device;
    with_configuration.configurations = {solver.choose(on_device).configuration};
    time_calls(label + " configuration", calls, n,
               [&](mlmq::vertex source) { return solver.solve(source, with_configuration).times(); });
    mlmq::solve_options resident = on_device;
    resident.keep_on_device = true;
    time_calls(label + " keep_on_device", calls, n,
               [&](mlmq::vertex source) { return solver.solve(source, resident).times(); });
    std::vector<std::uint32_t> whole(n);
    std::vector<float> floats(n);
    const bool is_float = kind == mlmq::problem::sssp && graph.weight_type() == mlmq::number_type::float32;
    time_calls(label + " solve_into", calls, n, [&](mlmq::vertex source) {
      return is_float ? solver.solve_into(source, std::span(floats), on_device).times
                      : solver.solve_into(source, std::span(whole), on_device).times;
    });
    time_calls(label + " place=best", calls, n, [&](mlmq::vertex source) { return solver.solve(source).times(); });
    std::printf("%-28s %s\n", label.c_str(), solver.choose(on_device).configuration.c_str());
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const mlmq::device target(count > 1 ? words[1] : "cuda");
    const unsigned calls = count > 2 ? static_cast<unsigned>(std::max(10, std::atoi(words[2]))) : 300;
    std::vector<std::string> graphs(words + std::min(count, 3), words + count);
    if (graphs.empty()) graphs = {"rmat12", "road12"};
    for (const std::string& graph : graphs) time_graph(target, graph, calls);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "solve_latency: %s\n", error.what());
    return 1;
  }
}
