// SPDX-License-Identifier: Apache-2.0
// What a call of solve() takes on a small graph, beside the search: no test, a program for who works on it.
//
//   solve_latency [DEVICE [CALLS [GRAPH…]]]
//
// For each graph and way to call, microseconds of the whole call, of the search on the device's clock (solve_times::solve), and
// of the rest: medians of CALLS calls after a tenth as many that are not counted, and in parentheses a tenth of the calls took
// less and a tenth more. DOWNLOAD is solve_times::download. The first call is told apart, with what it compiled.
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

quantiles of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) { return values[static_cast<std::size_t>(part * double(values.size() - 1))]; };
  return {at(0.1), at(0.5), at(0.9)};
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
    const double all = microseconds_since(start);
    if (i < calls / 10) continue;
    whole.push_back(all);
    search.push_back(times.solve * 1000);
    rest.push_back(all - times.solve * 1000);
    download.push_back(times.download * 1000);
  }
  const quantiles a = of(whole);
  const quantiles s = of(search);
  const quantiles r = of(rest);
  std::printf("%-28s call %6.1f (%.1f, %.1f)  search %6.1f (%.1f, %.1f)  rest %6.1f (%.1f, %.1f)  download %.1f\n",
              name.c_str(), a.median, a.low, a.high, s.median, s.low, s.high, r.median, r.low, r.high,
              of(download).median);
  std::fflush(stdout);
}

void time_graph(const mlmq::device& where, const std::string& name, unsigned calls) {
  const mlmq::digraph graph = mlmq::digraph::open(name);
  const mlmq::vertex n = graph.vertex_count();
  for (const mlmq::problem kind : {mlmq::problem::sssp, mlmq::problem::bfs}) {
    const std::string of = name + (kind == mlmq::problem::sssp ? " sssp" : " bfs");
    mlmq::solver solver(where, graph, kind);
    mlmq::solve_options there;
    there.place = mlmq::placement::device;
    time_calls(of + " solve", calls, n, [&](mlmq::vertex from) { return solver.solve(from, there).times(); });
    mlmq::solve_options given = there;
    given.configurations = {solver.choose(there).configuration};
    time_calls(of + " configuration", calls, n, [&](mlmq::vertex from) { return solver.solve(from, given).times(); });
    mlmq::solve_options stays = there;
    stays.keep_on_device = true;
    time_calls(of + " keep_on_device", calls, n, [&](mlmq::vertex from) { return solver.solve(from, stays).times(); });
    std::vector<std::uint32_t> whole(n);
    std::vector<float> floats(n);
    const bool is_float = kind == mlmq::problem::sssp && graph.weight_type() == mlmq::number_type::float32;
    time_calls(of + " solve_into", calls, n, [&](mlmq::vertex from) {
      return is_float ? solver.solve_into(from, std::span(floats), there).times
                      : solver.solve_into(from, std::span(whole), there).times;
    });
    time_calls(of + " place=best", calls, n, [&](mlmq::vertex from) { return solver.solve(from).times(); });
    std::printf("%-28s %s\n", of.c_str(), solver.choose(there).configuration.c_str());
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const mlmq::device where(count > 1 ? words[1] : "cuda");
    const unsigned calls = count > 2 ? static_cast<unsigned>(std::max(10, std::atoi(words[2]))) : 300;
    std::vector<std::string> graphs(words + std::min(count, 3), words + count);
    if (graphs.empty()) graphs = {"rmat12", "road12"};
    for (const std::string& graph : graphs) time_graph(where, graph, calls);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "solve_latency: %s\n", error.what());
    return 1;
  }
}
