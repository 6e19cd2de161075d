// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/reproduce_picks.hpp"
#include "cli/reproduce_record.hpp"
#include "cli/shipped_files.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "db/store.hpp"
#include "report/reproduce/catalogue.hpp"
#include "report/reproduce/plotting.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

struct reproduce_options {
  std::vector<std::string> figures;
  std::string database = "results.sqlite";
  bool database_named = false;
  std::string device;
  std::vector<std::string> workloads;
  std::string output = "out/reproduce";
  std::string width = "page";
  bool no_stamp = false;
  double budget_s = 0;  ///< 0: no limit
  unsigned workers = 0;
  bool recorded = false;
  bool quick = false;
  bool list = false;
};

/// Returns the only device with a grid whose name contains `name_part`.
recorded_device choose_recorded(const std::vector<recorded_device>& devices, const std::string& name_part,
                                const fs::path& database) {
  std::vector<recorded_device> fitting;
  std::string names;
  for (const recorded_device& device : devices) {
    if (!backends::traits_of_kind(device.kind).grid) continue;
    names += (names.empty() ? "'" : ", '") + device.name + "'";
    if (device.name.find(name_part) != std::string::npos) fitting.push_back(device);
  }
  if (fitting.size() == 1) return fitting.front();
  if (names.empty()) throw input_error(database.string() + ": has no finished trials of a real or simulated GPU");
  const std::string like = name_part.empty() ? "" : " matching '" + name_part + "'";
  throw input_error(fmt::format("{}: has trials of {} devices{}; choose one with --device: {}", database.string(),
                                fitting.empty() ? "no" : "several", like, names));
}

/// Recorded trials of a figure.
struct gathered {
  reproduce::plot_request request;
  std::string device_name;
  std::optional<db::store> record;  ///< opened after the first sweep
  bool interrupted = false;
};

/// Simulated device for figures. Their configurations have up to 1,024 threads per block, four times as many as fit on
/// a multiprocessor of the default device.
constexpr const char* simulated_device = "simt:4x32";

/// Runs the trials that the database lacks.
gathered measure(const reproduce::figure& figure, const reproduce_options& options) {
  gathered result;
  reproduce::plot_request& request = result.request;
  request.database = options.database;
  const bool simulated = backends::traits_of(options.device).modelled;
  const bool without_shape = simulated && options.device.find(':') == std::string::npos;
  // Simulating full-size workloads would take days.
  const bool small = options.workloads.empty() && (options.quick || simulated);
  for (const reproduce::figure_sweep& sweep : figure.sweeps) {
    const bool on_processors = sweep.place == reproduce::sweep_place::processors;
    if (simulated && sweep.place != reproduce::sweep_place::device) {
      print_text("{} is skipped: {}\n", sweep.file.string(),
                 on_processors ? "measured times cannot be compared with modelled ones" : "it is for GPUs");
      continue;
    }
    if (result.record) result.record->require_in_place();
    const tuner::sweep_outcome run = run_sweep({.space = sweep.file.string(),
                                                .database = options.database,
                                                .workloads = small ? figure.quick : options.workloads,
                                                .device = on_processors   ? backends::processors_selector()
                                                          : without_shape ? simulated_device
                                                                          : options.device,
                                                .workers = on_processors ? 0 : options.workers,
                                                .seconds = options.budget_s});
    if (!result.record) result.record = db::store::open(options.database, db::open_mode::read_only);
    const db::device_record& device = run.devices.front();
    if (std::any_of(run.devices.begin(), run.devices.end(),
                    [&](const db::device_record& other) { return other.hash() != device.hash(); })) {
      throw input_error("--device " + options.device +
                        ": a figure shows one kind of device; specify identical devices");
    }
    (on_processors ? request.processors : request.device) = device.hash();
    if (!on_processors) result.device_name = device.name;
    request.experiments.push_back(run.experiment);
    for (const std::string& workload : run.workloads) {
      if (std::find(request.workloads.begin(), request.workloads.end(), workload) == request.workloads.end()) {
        request.workloads.push_back(workload);
      }
    }
    request.incomplete = request.incomplete || run.out_of_time;
    result.interrupted = run.interrupted;
    if (result.interrupted) return result;
  }
  if (!result.record) throw input_error(figure.name + ": it needs a GPU; choose one with --device");
  return result;
}

using records = std::map<fs::path, figure_record>;

/// Uses the trials of a database without running anything. @throws reproduce::not_on_record
gathered look_up(const fs::path& database, const reproduce::figure& figure, const reproduce_options& options,
                 records& opened) {
  gathered result;
  reproduce::plot_request& request = result.request;
  request.origin = reproduce::data_origin::recorded;
  request.database = database;
  figure_record& record = opened.try_emplace(request.database, request.database).first->second;
  const std::vector<recorded_device> devices = record.devices_for(figure);
  const recorded_device device = choose_recorded(devices, options.device, request.database);
  request.device = device.hash;
  result.device_name = device.name;
  for (const recorded_device& other : devices) {
    const bool comparable = !backends::traits_of_kind(device.kind).modelled;
    if (comparable && !backends::traits_of_kind(other.kind).grid) request.processors = other.hash;
  }
  figure_trials trials = record.trials_of(figure, device);
  request.experiments = std::move(trials.experiments);
  request.incomplete = trials.incomplete;
  if (!options.workloads.empty()) request.workloads = record.workloads_of(request.experiments, options.workloads);
  return result;
}

/// Uses recorded trials without running anything: of the database that was named, or of the first shipped one that has
/// what the figure shows.
gathered look_up(const reproduce::figure& figure, const reproduce_options& options, records& opened) {
  const std::vector<fs::path> databases =
      options.database_named
          ? std::vector<fs::path>{options.database}
          : reproduce::recorded_databases(shipped_folder() / "experiments" / "recorded", figure.problem);
  for (auto database = databases.begin(); database + 1 != databases.end(); ++database) {
    try {
      return look_up(*database, figure, options, opened);
    } catch (const reproduce::not_on_record&) {
      // Another record may have it.
    }
  }
  return look_up(databases.back(), figure, options, opened);
}

void print_list(const std::vector<reproduce::figure>& catalogue) {
  for (const reproduce::figure& entry : catalogue) print_text("{:<14}{}\n", entry.name, entry.title);
}

/// A figure that a script draws while the next figure is prepared.
struct drawing {
  const reproduce::figure* figure = nullptr;
  std::string title;  ///< to be printed before the output; empty if it has been printed
  reproduce::figure_files files;
  std::optional<db::store> record;
  bool interrupted = false;  ///< whether the user interrupted the measurement, so that nothing is drawn
  std::future<std::string> output;
};

/// Measures or looks up the trials of a figure and starts its script. @throws reproduce::not_on_record
drawing start_drawing(const reproduce::figure& figure, const reproduce_options& options, const std::string& python,
                      records& opened) {
  // Print the title before a sweep, but after the check whether recorded data exists.
  std::string title = fmt::format("{}: {}\n", figure.name, figure.title);
  if (!options.recorded) print_text("{}", std::exchange(title, ""));
  gathered data = options.recorded ? look_up(figure, options, opened) : measure(figure, options);
  drawing started{.figure = &figure,
                  .title = std::move(title),
                  .files = reproduce::files_of(figure, options.output),
                  .record = std::move(data.record),
                  .interrupted = data.interrupted,
                  .output = {}};
  if (data.interrupted) return started;
  if (figure.needs_selector) {
    write_picks(started.files.picks, figure, data.request, data.device_name);
    data.request.picks = fs::absolute(started.files.picks);
  }
  data.request.width = options.width;
  data.request.stamp = !options.no_stamp;
  write_output(started.files.request, reproduce::to_json(figure, data.request));
  const fs::path plots = shipped_folder() / "plots";
  const fs::path own_script = fs::absolute(figure.file).parent_path() / figure.plot;
  started.output = std::async(std::launch::async, reproduce::run_script, python,
                              fs::exists(own_script) ? own_script : plots / figure.plot, started.files.request, plots);
  return started;
}

/// Waits for a script and prints its output. @throws reproduce::not_on_record
void finish_drawing(drawing& started) {
  std::string script_output;
  try {
    script_output = started.output.get();
  } catch (const reproduce::not_on_record&) {
    std::error_code ignored;
    for (const fs::path& file : {started.files.request, started.files.picks}) fs::remove(file, ignored);
    throw;
  }
  print_text("{}{}", started.title, script_output);
  if (started.record) started.record->require_in_place();
}

/// Draws figures, and reports those that cannot be drawn.
class figure_run {
 public:
  figure_run(const reproduce_options& options, std::size_t figures, std::string python)
      : options_(options), single_(figures == 1), python_(std::move(python)) {}

  /// @return whether the user interrupted it
  bool draw(const reproduce::figure& figure) {
    const bool interrupted = reporting(figure, [&] {
      pending_.push_back(start_drawing(figure, options_, python_, opened_));
      return pending_.back().interrupted;
    });
    if (interrupted) return true;
    // Recorded figures are drawn two at a time.
    finish(options_.recorded ? 1 : 0);
    return false;
  }

  /// Waits for scripts until at most `running` of them are left.
  void finish(std::size_t running = 0) {
    for (; pending_.size() > running; pending_.pop_front()) {
      reporting(*pending_.front().figure, [&] {
        finish_drawing(pending_.front());
        ++drawn_;
        return false;
      });
    }
  }

  [[nodiscard]] std::size_t drawn() const { return drawn_; }
  [[nodiscard]] bool succeeded() const { return !failed_ && drawn_ > 0; }

 private:
  /// Calls a step of a figure, and prints why it failed, since the other figures do not depend on this one.
  template <class Step>
  bool reporting(const reproduce::figure& figure, const Step& step) {
    try {
      return step();
    } catch (const reproduce::not_on_record& error) {
      const std::string reason =
          options_.recorded
              ? fmt::format("not on record: {}; {}", on_one_line(error.what()), how_to_measure(figure))
              : fmt::format("not measured yet: {}; rerun the command to continue", on_one_line(error.what()));
      failed_ = failed_ || !options_.recorded;
      if (single_) throw reproduce::not_on_record(figure.name + ": " + reason);
      finish_before(figure);
      print_text("{}: {}\n", figure.name, reason);
    } catch (const work_error& error) {
      if (single_) throw;
      finish_before(figure);
      print_text(stderr, "mlmq: {}: {}\n", figure.name, on_one_line(error.what()));
      failed_ = true;
    }
    return false;
  }

  /// Prints the output of earlier figures first.
  void finish_before(const reproduce::figure& figure) {
    if (pending_.empty() || pending_.front().figure == &figure) return;
    finish();
  }

  const reproduce_options& options_;
  bool single_;
  std::string python_;
  records opened_;
  std::deque<drawing> pending_;
  std::size_t drawn_ = 0;
  bool failed_ = false;
};

/// @throws input_error if two figures would write the same files
void require_different_files(std::span<const reproduce::figure> figures) {
  std::map<std::string, const reproduce::figure*> by_stem;
  for (const reproduce::figure& figure : figures) {
    const auto [other, is_new] = by_stem.emplace(figure.file_stem(), &figure);
    if (is_new) continue;
    throw input_error(fmt::format("{} and {} would both be drawn as {}.svg; change the name of a figure in its file",
                                  other->second->file.string(), figure.file.string(), figure.file_stem()));
  }
}

/// Returns the figures of the catalogue with these names, and those of the files among the names.
/// @throws input_error also if two of them would write the same files
std::vector<reproduce::figure> chosen_figures(std::span<const reproduce::figure> catalogue,
                                              const std::vector<std::string>& names) {
  std::vector<std::string> listed;
  std::vector<reproduce::figure> figures;
  for (const std::string& name : names) {
    if (name.ends_with(".yaml")) {
      figures.push_back(reproduce::load_figure(name));
    } else {
      listed.push_back(name);
    }
  }
  const std::vector<reproduce::figure> of_catalogue = reproduce::select_figures(catalogue, listed);
  figures.insert(figures.end(), of_catalogue.begin(), of_catalogue.end());
  require_different_files(figures);
  return figures;
}

int reproduce_all(reproduce_options options) {
  const std::vector<reproduce::figure> catalogue =
      reproduce::load_catalogue(shipped_folder() / "experiments" / "figures");
  if (options.list) {
    print_list(catalogue);
    return exit_ok;
  }
  if (options.figures.empty()) throw input_error("specify a figure, a paper or 'all'; --list lists the figures");
  const std::vector<reproduce::figure> figures = chosen_figures(catalogue, options.figures);
  if (!options.workloads.empty() && options.quick) throw input_error("--workloads and --quick cannot be combined");
  if (!options.recorded && options.device.empty()) {
    options.device = "auto";
    if (backends::traits_of("auto").modelled) {
      print_text("no GPU found: using recorded data\n");
      options.recorded = true;
      options.device.clear();
    }
  }
  const bool to_run = options.quick || options.budget_s > 0 || options.workers > 0;
  if (options.recorded && to_run) {
    throw input_error(
        "recorded data is drawn without running anything and cannot be combined with --quick, --budget or "
        "--workers; choose a device to run on with --device");
  }
  // With --recorded, --device is a part of a device name instead of a selector.
  if (!options.recorded && !backends::traits_of(options.device).grid) {
    throw input_error("--device " + options.device +
                      ": figures need a GPU or the simulator; competitors on processors are added automatically");
  }
  const std::string python = reproduce::find_python();
  std::error_code ignored;
  fs::create_directories(options.output, ignored);  // errors are reported when files are written
  figure_run run(options, figures.size(), python);
  for (const reproduce::figure& figure : figures) {
    if (run.draw(figure)) return exit_failed;
  }
  run.finish();
  if (figures.size() > 1) print_text("{} of {} figures drawn in {}\n", run.drawn(), figures.size(), options.output);
  return run.succeeded() ? exit_ok : exit_failed;
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "reproduce", "Reproduce a figure of a paper from new or recorded results, next to the paper's numbers");
  const auto options = std::make_shared<reproduce_options>();
  command
      ->add_option(
          "figures", options->figures,
          "one figure, such as mlmq/fig8; all figures of a paper, such as mlmq; all; or the file of your own figure, "
          "NAME.yaml (mlmq new figure)")
      ->type_name("FIGURE");
  command->add_flag("--list", options->list, "list the figures");
  CLI::Option* const database =
      command->add_option("--db", options->database, "database; missing trials are run and added")
          ->capture_default_str();
  command
      ->add_option("--device", options->device,
                   "auto, cuda:N, cuda:all, simt (short for simt:4x32), simt:SxW; with --recorded: part of a device "
                   "name [auto; without a GPU: --recorded]")
      ->type_name("DEVICE");
  command->add_option("--workloads", options->workloads,
                      "files, patterns, folders or generator names, instead of the figure's workloads; with "
                      "--recorded: names on record, or patterns of them");
  command->add_flag("--quick", options->quick, "use the figure's small workloads, as always on the simulator");
  add_duration_option(*command, "--budget", options->budget_s, {.stored_unit = "s"},
                      "time limit per sweep; the results so far are then drawn, and rerunning the command resumes");
  command->add_option("--workers", options->workers, "number of simulator processes [1]")->check(whole_number(1, 1024));
  command->add_flag("--recorded", options->recorded, "run nothing; draw the shipped data, or the data in --db");
  command->add_option("--output", options->output, "folder for the figures and tables")->capture_default_str();
  command->add_option("--width", options->width, "width of a figure: page, or column of a two-column paper")
      ->check(one_of({"page", "column"}))
      ->capture_default_str();
  command->add_flag("--no-stamp", options->no_stamp,
                    "leave out a figure's source and tag, for a paper whose caption names them");
  reads_files(*command, {"--workloads"});
  reads_files(*command, {"figures"}, {"all"});
  writes_files(*command, {"--db"});
  writes_files(*command, {"--output"}, {"*_*.json", "*_*.svg", "*_*.pdf", "*_*.png", "*_*.csv"});
  takes_no_files(*command, {"--device"});
  command->callback([options, database, &status] {
    options->database_named = database->count() > 0;
    status = reproduce_all(*options);
  });
}

}  // namespace mlmq::cli
