// SPDX-License-Identifier: Apache-2.0
// The peers of a file as participants of a comparison.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "problems/compare/peer.hpp"
#include "problems/peers/peer.hpp"
#include "problems/peers/peer_task.hpp"

namespace mlmq::peers {
namespace {

using clock = std::chrono::steady_clock;

/// Returns the end of an output, on one line.
std::string end_of_output(std::string_view output) {
  constexpr std::size_t longest = 300;
  std::string text(output.substr(output.size() - std::min(output.size(), longest)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "it printed nothing";
  return "its last output: " + text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Returns N of "cuda:N"; 0 for processors, whose selector names a number of threads.
unsigned device_number(const backends::device_info& device) {
  const std::size_t colon = device.selector.find(':');
  if (!device.grid || colon == std::string::npos) return 0;
  return static_cast<unsigned>(std::stoul(device.selector.substr(colon + 1)));
}

compare::peer as_contestant(const peer& program) {
  compare::peer described{.name = program.name,
                          .hash = hash_of(program),
                          .device_kind = program.device,
                          .parameter_sets = {},
                          .turns = program.turns};
  for (const double delta : program.deltas) described.parameter_sets.push_back(parameters_with(delta));
  if (described.parameter_sets.empty()) described.parameter_sets.emplace_back();
  return described;
}

class session final : public compare::peer_session {
 public:
  session(std::span<const peer> programs, std::unique_ptr<peer_task> task, const backends::device_info& device)
      : programs_(programs),
        task_(std::move(task)),
        settings_{.samples = 1, .threads = device.multiprocessors, .device = device_number(device)} {}

  [[nodiscard]] db::trial_result run(const std::string& name, const tuner::configuration& parameters,
                                     std::uint64_t samples) override {
    const auto program = std::ranges::find(programs_, name, &peer::name);
    if (program == programs_.end()) throw work_error("no peer '" + name + "'");
    settings_.samples = samples;
    return run_peer(*program, *task_, settings_, parameters);
  }

 private:
  std::span<const peer> programs_;
  std::unique_ptr<peer_task> task_;
  process_settings settings_;
};

class peers_of_file final : public compare::peer_list {
 public:
  peers_of_file(const std::filesystem::path& file, const std::string& problem) : problem_(problem) {
    for (peer& program : load_peers(file)) {
      if (program.problem != problem) continue;
      if (const std::string missing = locate(program); !missing.empty()) {
        notes_.push_back(fmt::format("{}: skipped: {}", program.name, missing));
        continue;
      }
      if (!program.note.empty()) notes_.push_back(fmt::format("{}: {}", program.name, program.note));
      contestants_.push_back(as_contestant(program));
      programs_.push_back(std::move(program));
    }
  }

  [[nodiscard]] std::span<const compare::peer> peers() const override { return contestants_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return notes_; }

  [[nodiscard]] std::unique_ptr<compare::peer_session> open(const tuner::workload& workload, const tuner::query& query,
                                                            const backends::device_info& device) const override {
    auto task = problem_ == "phold"        ? phold_task(workload, query)
                : problem_ == "astar"      ? astar_task(workload, query)
                : problem_ == "sssp_batch" ? multi_source_task(workload, query)
                                           : search_task(workload, query, problem_ == "bfs");
    return std::make_unique<session>(programs_, std::move(task), device);
  }

 private:
  std::string problem_;
  std::vector<peer> programs_;
  std::vector<compare::peer> contestants_;  // one per program
  std::vector<std::string> notes_;
};

std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file, const std::string& problem) {
  return std::make_unique<peers_of_file>(file, problem);
}

}  // namespace

db::trial_result run_peer(const peer& program, peer_task& task, const process_settings& settings,
                          const tuner::configuration& parameters) {
  db::trial_result result;
  result.program_version = program_version();
  const auto fail = [&result](db::outcome outcome, std::string message) {
    result.result = outcome;
    result.message = std::move(message);
    return result;
  };
  placeholder_values values;
  try {
    task.require_fit(program);
    const auto upload_start = clock::now();
    values = task.write_input(program, parameters);
    result.upload_ms = milliseconds_since(upload_start);
  } catch (const input_error& error) {
    return fail(db::outcome::constraint, error.what());
  } catch (const uncheckable_answer& error) {
    return fail(db::outcome::overflow, fmt::format("its answer cannot be checked: {}", error.what()));
  }
  values["repeat"] = std::to_string(program.warmup + settings.samples);
  values["threads"] = std::to_string(settings.threads);
  values["device"] = std::to_string(settings.device);

  process_result process;
  const auto start = clock::now();
  try {
    process = run_process(command_line(program, values), {.time = program.time_limit});
  } catch (const work_error& error) {
    return fail(db::outcome::launch_error, error.what());
  }
  result.measure_ms = milliseconds_since(start);
  const std::string end = end_of_output(process.output);
  if (process.timed_out) {
    return fail(db::outcome::timeout,
                fmt::format("killed after {} s; {}", static_cast<double>(program.time_limit.count()) / 1000, end));
  }
  if (process.exit_code != 0) return fail(db::outcome::crashed, fmt::format("{}; {}", process.describe_end(), end));

  const peer_output printed = read_output(program, process.output);
  const std::vector<double>& times = printed.numbers("time_ms");
  if (times.size() <= program.warmup) {
    const output_pattern* const pattern = program.pattern("time_ms");
    return fail(db::outcome::launch_error,
                fmt::format("it printed {} times that match '{}', expected more than {}; {}", times.size(),
                            pattern != nullptr ? pattern->text : "time_ms NUMBER", program.warmup, end));
  }
  const auto check_start = clock::now();
  std::string wrong = task.find_error(program, printed);
  result.check_ms = milliseconds_since(check_start);
  if (!wrong.empty()) return fail(db::outcome::wrong_answer, std::move(wrong));
  result.samples_ms.assign(times.begin() + static_cast<std::ptrdiff_t>(program.warmup), times.end());
  task.add_counters(printed, result);
  if (const auto prepared = printed.last("prepare_ms"))
    result.counters.emplace_back(compare::preparation_counter, *prepared);
  return result;
}

extern "C" {
extern const compare::peer_registration mlmq_registers_peers_of_programs;
const compare::peer_registration mlmq_registers_peers_of_programs({{"sssp", "peers.yaml", load_peer_list},
                                                                   {"bfs", "peers.yaml", load_peer_list},
                                                                   {"phold", "queue_peers.yaml", load_peer_list},
                                                                   {"astar", "queue_peers.yaml", load_peer_list},
                                                                   {"sssp_batch", "multi_source_peers.yaml",
                                                                    load_peer_list}});
}

}  // namespace mlmq::peers
