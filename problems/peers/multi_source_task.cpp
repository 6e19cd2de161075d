// SPDX-License-Identifier: Apache-2.0
// Searches of one graph from many sources as a task of peers. Answers are digests of all distances, as those of our
// solvers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "graph/io.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/queries.hpp"
#include "problems/peers/peer_task.hpp"

namespace mlmq::peers {
namespace {

namespace fs = std::filesystem;

/// Parses "DIGEST REACHED FARTHEST".
std::optional<multi_source_answer> parse_answer(const std::string& line) {
  multi_source_answer answer{};
  const char* next = line.data();
  const char* const last = next + line.size();
  const auto take = [&](auto& number) {
    next = std::find_if(next, last, [](char c) { return c != ' '; });
    const auto [end, error] = std::from_chars(next, last, number);
    next = end;
    return error == std::errc();
  };
  const bool is_complete = take(answer.digest) && take(answer.reached) && take(answer.farthest) && next == last;
  return is_complete ? std::optional(answer) : std::nullopt;
}

class multi_source_search_task final : public peer_task {
 public:
  multi_source_search_task(const tuner::workload& workload, const tuner::query& query)
      : graph_(problems::graph_of(workload)),
        searches_(multi_source::searches_of(graph_, workload.record.name, problems::average_weight(graph_), query)) {}

  void require_fit(const peer&) override {
    if (!searches_.targets.empty() || searches_.cutoff != graph::wide_unreached)
      throw input_error("it searches for all vertices, without targets and cutoff");
    constexpr graph::distance_bits largest_weight = 0x7fffffff;
    if (graph_.weights() != graph::weight_type::uint32 ||
        std::ranges::any_of(graph_.weight_bits(), [](graph::distance_bits weight) { return weight > largest_weight; }))
      throw input_error("it reads whole weights up to 2^31 - 1 only");
  }

  [[nodiscard]] placeholder_values write_input(const peer&, const tuner::configuration&) override {
    if (!folder_) write_graph();
    std::error_code ignored;
    fs::remove(file("answers"), ignored);  // so that an old answer is not taken for a new one
    return {{"graph", file("graph.gr")},
            {"sources", file("sources")},
            {"answers", file("answers")},
            {"directory", folder_->path().string()}};
  }

  [[nodiscard]] std::string find_error(const peer&, const peer_output&) override {
    std::error_code ignored;
    if (!fs::exists(file("answers"), ignored)) return "it did not write its answers";
    std::vector<multi_source_answer> answers;
    for (const std::string& line : split(read_file(file("answers")), '\n')) {
      if (line.empty()) continue;
      const std::optional<multi_source_answer> answer = parse_answer(line);
      if (!answer) return fmt::format("its line '{}' is no answer", line);
      answers.push_back(*answer);
    }
    if (!right_) right_ = multi_source::find_right_answers(graph_, problems::search_kind::sssp, searches_);
    return multi_source::find_error(graph_, searches_, *right_, answers, {});
  }

  void add_counters(const peer_output&, db::trial_result& result) const override {
    result.counters.emplace_back("searches", static_cast<double>(searches_.sources.size()));
  }

 private:
  [[nodiscard]] std::string file(const char* name) const { return (folder_->path() / name).string(); }

  void write_graph() {
    folder_.emplace("compare");
    graph::write_graph(graph_, file("graph.gr"), graph::file_format::galois);
    write_file_atomically(file("sources"), fmt::format("{}\n", fmt::join(searches_.sources, "\n")));
  }

  const graph::csr_graph& graph_;
  multi_source::search_set searches_;
  std::optional<multi_source::right_answers> right_ = {};  // computed for the first peer
  std::optional<temporary_folder> folder_ = {};
};

}  // namespace

std::unique_ptr<peer_task> multi_source_task(const tuner::workload& workload, const tuner::query& query) {
  return std::make_unique<multi_source_search_task>(workload, query);
}

}  // namespace mlmq::peers
