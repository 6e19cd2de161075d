// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "graph/check.hpp"
#include "graph/io.hpp"
#include "problems/compare/peer_process.hpp"

namespace mlmq::problems::search_peers {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

std::string missing_claim(const peer& program, const peer_output& printed) {
  if (program.reached && !printed.answer.reached) return "it did not print the number of reached vertices";
  if (program.sum && !printed.answer.sum) return "it did not print the sum of the distances";
  if (program.largest && !printed.answer.largest) return "it did not print the largest distance";
  if (program.right && printed.times_right < printed.milliseconds.size()) {
    return fmt::format("it reported its answer as right {} times of {}", printed.times_right,
                       printed.milliseconds.size());
  }
  return "";
}

std::string check_answer(const peer& program, const peer_output& printed, const right_answer& right,
                         const fs::path& output) {
  if (std::string missing = missing_claim(program, printed); !missing.empty()) return missing;
  if (std::string wrong = check_claim(printed.answer, right); !wrong.empty()) return wrong;
  if (!program.writes_distances) return "";
  std::error_code ignored;
  if (!fs::exists(output, ignored)) return "it did not write its distances";
  return check_distance_lines(read_file(output), right, program.infinity);
}

}  // namespace

const fs::path& peer_files::folder() {
  if (!folder_) folder_.emplace("compare");
  return folder_->path();
}

fs::path peer_files::graph_file(const peer& reader) {
  fs::path& file = files_[reader.format];
  if (file.empty()) {
    const fs::path target = folder() / fmt::format("graph{}{}", static_cast<int>(reader.format), reader.ending);
    graph::write_graph(graph_, target, reader.format);
    file = target;
  }
  return file;
}

fs::path peer_files::output_file() { return folder() / "distances.txt"; }

db::trial_result run_peer(const peer& program, peer_files& files, const right_answer& right, const peer_task& task) {
  db::trial_result result;
  result.program_version = program_version();
  const auto fail = [&result](db::outcome outcome, std::string message) {
    result.result = outcome;
    result.message = std::move(message);
    return result;
  };
  placeholder_values values{.graph = {},
                            .source = task.source,
                            .repeat = program.warmup + task.samples,
                            .threads = task.threads,
                            .device = task.device,
                            .delta = std::nullopt,
                            .output = {},
                            .directory = {}};
  if (task.delta) {
    values.delta =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(*task.delta * task.average_weight)));
  }
  if (program.only_source && *program.only_source != task.source) {
    return fail(db::outcome::constraint, fmt::format("it can only search from vertex {}", *program.only_source));
  }
  if (program.whole_weights && files.graph().weights() != graph::weight_type::uint32) {
    return fail(db::outcome::constraint, "it cannot read weights that are not whole numbers");
  }
  if (right.saturated) {
    return fail(db::outcome::overflow,
                "its answer cannot be checked: " + graph::saturated_message(files.graph().weights()));
  }
  const auto upload_start = clock::now();
  try {
    values.graph = files.graph_file(program).string();
  } catch (const input_error& error) {
    return fail(db::outcome::constraint, error.what());
  }
  result.upload_ms = milliseconds_since(upload_start);
  const fs::path output = files.output_file();
  values.output = output.string();
  values.directory = output.parent_path().string();
  std::error_code ignored;
  fs::remove(output, ignored);  // so that an old answer is not taken for a new one

  const std::optional<std::string> text =
      compare::run_peer_process(command_line(program, values), program.time_limit, result);
  if (!text) return result;
  const auto check_start = clock::now();
  peer_output printed = read_output(program, *text);
  std::string wrong = check_answer(program, printed, right, output);
  result.check_ms = milliseconds_since(check_start);
  if (printed.milliseconds.size() <= program.warmup) {
    return fail(db::outcome::launch_error, fmt::format("it printed {} times that match '{}', expected more than {}; {}",
                                                       printed.milliseconds.size(), program.time.text, program.warmup,
                                                       compare::end_of_output(*text)));
  }
  if (!wrong.empty()) return fail(db::outcome::wrong_answer, std::move(wrong));
  result.samples_ms.assign(printed.milliseconds.begin() + static_cast<std::ptrdiff_t>(program.warmup),
                           printed.milliseconds.end());
  if (printed.work) result.counters.emplace_back("pops", *printed.work);
  return result;
}

}  // namespace mlmq::problems::search_peers
