// SPDX-License-Identifier: Apache-2.0
// Shortest paths as a task of peers: a graph in a file, in the format and with the weights that a peer reads. The right
// answer is computed, and each file written, for the first peer that needs it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "graph/check.hpp"
#include "graph/io.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/peers/answer.hpp"
#include "problems/peers/peer_task.hpp"
#include "problems/peers/whole_weights.hpp"

namespace mlmq::peers {
namespace {

namespace fs = std::filesystem;

constexpr const char* delta_parameter = "delta";

/// A graph in the form that some peers read, with its files and the right answer.
struct peer_input {
  /// Vertices are counted from 0 (or from 1 where the format does) instead of using their ids, because peers derive the
  /// size of the graph from the largest number.
  peer_input(const graph::csr_graph& searched, double average)
      : graph(searched),
        counted(searched.with_ids(graph::file_ids::counted_from(0, searched.vertex_count()))),
        average_weight(average) {}

  graph::csr_graph graph;
  graph::csr_graph counted;
  double average_weight;
  std::map<graph::file_format, std::string> files = {};
  std::optional<right_answer> right = {};
};

class search final : public peer_task {
 public:
  search(const graph::csr_graph& graph, graph::vertex_id source, bool unit_weights, double average_weight)
      // A breadth-first search that reads weights must not fail on unsupported weights.
      : as_given_(unit_weights ? graph::with_unit_weights(graph) : graph, average_weight),
        source_(source),
        unit_weights_(unit_weights) {}

  void require_fit(const peer& program) override {
    if (program.only_source && *program.only_source != source_)
      throw input_error(fmt::format("it can only search from vertex {}", *program.only_source));
    input_ = &input_of(program);
    if (!input_->right) input_->right = solve_reference(input_->graph, source_, unit_weights_);
    if (input_->right->saturated) throw uncheckable_answer(graph::saturated_message(input_->graph.weights()));
  }

  [[nodiscard]] placeholder_values write_input(const peer& program, const tuner::configuration& parameters) override {
    placeholder_values values = {{"graph", graph_file(program)},
                                 {"source", std::to_string(source_)},
                                 {"output", output_file().string()},
                                 {"directory", folder().string()}};
    if (const tuner::value* const delta = parameters.find(delta_parameter)) {
      const auto scaled = std::llround(std::get<double>(*delta) * input_->average_weight);
      values["delta"] = std::to_string(std::max(1LL, scaled));
    }
    std::error_code ignored;
    fs::remove(output_file(), ignored);  // so that an old answer is not taken for a new one
    return values;
  }

  [[nodiscard]] std::string find_error(const peer& program, const peer_output& printed) override {
    for (const auto& [name, meaning] : {std::pair("reached", "number of reached vertices"),
                                        {"sum", "sum of the distances"},
                                        {"largest", "largest distance"}}) {
      if (program.pattern(name) != nullptr && !printed.last(name))

        return fmt::format("it did not print the {}", meaning);
    }
    const std::size_t times = printed.numbers("time_ms").size();
    if (const std::size_t right = printed.numbers("right").size(); program.pattern("right") != nullptr && right < times)
      return fmt::format("it reported its answer as right {} times of {}", right, times);
    const claimed_answer claim{
        .reached = printed.last("reached"), .sum = printed.last("sum"), .largest = printed.last("largest")};
    if (std::string wrong = check_claim(claim, *input_->right); !wrong.empty()) return wrong;
    if (!program.writes_distances) return "";
    std::error_code ignored;
    if (!fs::exists(output_file(), ignored)) return "it did not write its distances";
    return check_distance_lines(read_file(output_file()), *input_->right, program.infinity);
  }

  void add_counters(const peer_output& printed, db::trial_result& result) const override {
    if (const auto pops = printed.last("pops")) result.counters.emplace_back("pops", *pops);
  }

 private:
  /// Returns the graph that the peer can read. @throws input_error if it can read none
  peer_input& input_of(const peer& program) {
    const graph::weight_type weights = as_given_.graph.weights();
    if (weights == graph::weight_type::uint32) return as_given_;
    if (program.whole_weights || program.format == graph::file_format::galois) {
      if (!std::exchange(was_scaling_tried_, true)) {
        if (const std::optional<scaled_graph> scaled = with_whole_weights(as_given_.graph))
          whole_.emplace(scaled->graph, as_given_.average_weight * scaled->factor);
      }
      if (!whole_) throw input_error("it reads only whole weights, and no factor turns these into whole numbers");
      return *whole_;
    }
    if (weights == graph::weight_type::float64)
      throw input_error("peers are only compared with distances of 4 bytes, not with float64");
    return as_given_;
  }

  /// @throws input_error if the format cannot represent the graph, work_error if the file cannot be written
  const std::string& graph_file(const peer& reader) {
    std::string& file = input_->files[reader.format];
    if (file.empty()) {
      const fs::path target = folder() / fmt::format("graph{}{}{}", static_cast<int>(reader.format),
                                                     input_ == &as_given_ ? "" : "-whole", reader.ending);
      graph::write_graph(input_->counted, target, reader.format);
      file = target.string();
    }
    return file;
  }

  const fs::path& folder() {
    if (!folder_) folder_.emplace("compare");
    return folder_->path();
  }
  fs::path output_file() { return folder() / "distances.txt"; }

  peer_input as_given_;
  std::optional<peer_input> whole_ = {};  // the same graph with integer weights
  bool was_scaling_tried_ = false;
  peer_input* input_ = nullptr;  // of the last process
  graph::vertex_id source_;
  bool unit_weights_;
  std::optional<temporary_folder> folder_ = {};
};

}  // namespace

tuner::configuration parameters_with(double delta) {
  tuner::configuration parameters;
  parameters.set(delta_parameter, delta);
  return parameters;
}

std::unique_ptr<peer_task> search_task(const graph::csr_graph& graph, graph::vertex_id source, bool unit_weights,
                                       double average_weight) {
  return std::make_unique<search>(graph, source, unit_weights, average_weight);
}

std::unique_ptr<peer_task> search_task(const tuner::workload& workload, const tuner::query& query, bool unit_weights) {
  const graph::csr_graph& graph = problems::graph_of(workload);
  const double average = unit_weights ? 1 : workload.record.feature("avg_weight").value_or(1);
  return search_task(graph, problems::source_of(graph, query, workload.record.name), unit_weights,
                     average > 0 ? average : 1);
}

}  // namespace mlmq::peers
