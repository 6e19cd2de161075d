// SPDX-License-Identifier: Apache-2.0
#include "problems/queue_peers/peer_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "problems/compare/peer_process.hpp"
#include "problems/compare/placeholders.hpp"
#include "problems/queue_peers/peer_file.hpp"
#include "problems/queue_peers/peer_task.hpp"

namespace mlmq::queue_peers {
namespace {

/// Parses the lines "NAME NUMBER" of an output; others are skipped.
printed_numbers parse_numbers(const std::string& output) {
  printed_numbers numbers;
  for (const std::string& line : split(output, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    double number = 0;
    const char* const last = line.data() + line.size();
    const auto [end, error] = std::from_chars(line.data() + blank + 1, last, number);
    if (error == std::errc() && end == last) numbers[line.substr(0, blank)].push_back(number);
  }
  return numbers;
}

class session final : public compare::peer_session {
 public:
  session(std::span<const queue_peer> programs, std::unique_ptr<peer_task> task, const backends::device_info& device)
      : programs_(programs),
        task_(std::move(task)),
        device_(compare::device_number(device)),
        threads_(device.multiprocessors) {}

  [[nodiscard]] db::trial_result run(const std::string& name, const tuner::configuration&,
                                     std::uint64_t samples) override {
    const auto program =
        std::find_if(programs_.begin(), programs_.end(), [&](const queue_peer& entry) { return entry.name == name; });
    if (program == programs_.end()) throw work_error("no peer '" + name + "'");
    db::trial_result result;
    result.program_version = program_version();
    const auto fail = [&result](db::outcome outcome, std::string message) {
      result.result = outcome;
      result.message = std::move(message);
      return result;
    };
    if (std::string reason = task_->unfit_reason(*program); !reason.empty()) {
      return fail(db::outcome::constraint, std::move(reason));
    }
    const auto output = compare::run_peer_process(command_line(*program, samples), program->time_limit, result);
    if (!output) return result;
    printed_numbers printed = parse_numbers(*output);
    if (printed["time_ms"].empty()) {
      return fail(db::outcome::launch_error, "it printed no line 'time_ms NUMBER'; " + compare::end_of_output(*output));
    }
    if (std::string wrong = task_->find_error(printed); !wrong.empty()) {
      return fail(db::outcome::wrong_answer, std::move(wrong));
    }
    result.samples_ms = printed["time_ms"];
    task_->add_counters(printed, result);
    if (!printed["prepare_ms"].empty()) {
      result.counters.emplace_back(compare::preparation_counter, printed["prepare_ms"].back());
    }
    return result;
  }

 private:
  [[nodiscard]] std::vector<std::string> command_line(const queue_peer& program, std::uint64_t samples) const {
    std::map<std::string, std::string> values = task_->values();
    values["program"] = program.located.string();
    values["folder"] = std::filesystem::absolute(program.place.file).parent_path().string();
    values["variant"] = program.variant;
    values["repeat"] = std::to_string(samples);
    values["device"] = std::to_string(device_);
    values["threads"] = std::to_string(threads_);
    std::vector<std::string> words;
    for (const std::string& word : program.command) {
      words.push_back(compare::replace_placeholders(word, [&](const std::string& key) { return values.at(key); }));
    }
    return words;
  }

  std::span<const queue_peer> programs_;
  std::unique_ptr<peer_task> task_;
  unsigned device_;
  unsigned threads_;
};

class peers_of_file final : public compare::peer_list {
 public:
  peers_of_file(const std::filesystem::path& file, const std::string& problem) : problem_(problem) {
    for (queue_peer& program : load_peers(file)) {
      if (program.problem != problem) continue;
      if (const std::string missing = locate(program); !missing.empty()) {
        notes_.push_back(fmt::format("{}: skipped: {}", program.name, missing));
        continue;
      }
      if (!program.note.empty()) notes_.push_back(fmt::format("{}: {}", program.name, program.note));
      contestants_.push_back({.name = program.name,
                              .hash = hash_of(program),
                              .device_kind = program.device,
                              .parameter_sets = {{}},
                              .turns = program.turns});
      programs_.push_back(std::move(program));
    }
  }

  [[nodiscard]] std::span<const compare::peer> peers() const override { return contestants_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return notes_; }

  [[nodiscard]] std::unique_ptr<compare::peer_session> open(const tuner::workload& workload, const tuner::query& query,
                                                            const backends::device_info& device) const override {
    const auto make_task = problem_ == "phold" ? phold_task : problem_ == "astar" ? astar_task : multi_source_task;
    return std::make_unique<session>(programs_, make_task(workload, query), device);
  }

 private:
  std::string problem_;
  std::vector<queue_peer> programs_;
  std::vector<compare::peer> contestants_;  // one per program
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file, const std::string& problem) {
  return std::make_unique<peers_of_file>(file, problem);
}

}  // namespace mlmq::queue_peers
