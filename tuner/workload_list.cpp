// SPDX-License-Identifier: Apache-2.0
#include "tuner/workload_list.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <queue>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 1'000'000;

/// Number of folder entries that expand() has read. It is global since the callbacks of glob() get no other state.
thread_local std::size_t entries_read = 0;

bool read_too_many() { return entries_read > most_entries; }

// Once the limit is reached, nothing is read any more: glob() itself would look up all names that it has.
void* open_folder(const char* name) { return read_too_many() ? nullptr : ::opendir(name); }

dirent* read_entry(void* folder) {
  ++entries_read;
  return read_too_many() ? nullptr : ::readdir(static_cast<DIR*>(folder));
}

int read_status(const char* name, struct stat* status) { return read_too_many() ? -1 : ::stat(name, status); }

int read_link_status(const char* name, struct stat* status) { return read_too_many() ? -1 : ::lstat(name, status); }

/// Expands a pattern like glob(), but stops after most_entries entries: "*/../*/../*" and "/*/*/*/*" would not end.
/// @return the error of glob(), 0 for none
int expand(const std::string& pattern, glob_t& matches) {
  entries_read = 0;
  matches.gl_opendir = open_folder;
  matches.gl_readdir = read_entry;
  matches.gl_closedir = [](void* folder) { ::closedir(static_cast<DIR*>(folder)); };
  matches.gl_stat = read_status;
  matches.gl_lstat = read_link_status;
  return ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ALTDIRFUNC, nullptr, &matches);
}

/// Returns the files of a request of origin `file`, sorted. Paths are relative to the folder of the listing file; `*`,
/// `?` and `[…]` are expanded. @throws input_error if there is none
std::vector<fs::path> matching_files(const fs::path& listed_in, const workload_request& request) {
  const fs::path folder = listed_in.has_parent_path() ? listed_in.parent_path() : fs::path(".");
  const std::string& pattern = request.specifier;
  const auto fail = [&](const std::string& problem) {
    throw input_error(request.place.prefix() + problem + " '" + pattern + "'" +
                      (fs::path(pattern).is_absolute()
                           ? ""
                           : " (looked in " + fs::absolute(folder).lexically_normal().string() + ")"));
  };
  // An existing path is taken literally, even with brackets in its name.
  std::error_code ignored;
  if (fs::exists(folder / pattern, ignored)) return {folder / pattern};
  if (pattern.find_first_of("*?[") == std::string::npos) fail("there is no file");

  // Escape the folder, whose name may contain pattern characters.
  std::string full;
  if (!fs::path(pattern).is_absolute()) {
    for (const char c : (folder / "").string()) {
      if (std::string_view("*?[]\\").find(c) != std::string_view::npos) full += '\\';
      full += c;
    }
  }
  full += pattern;
  glob_t matches{};
  const std::unique_ptr<glob_t, decltype(&globfree)> cleanup(&matches, &globfree);
  const int failure = expand(full, matches);
  if (read_too_many()) {
    fail(fmt::format("more than {} files would have to be searched to match", most_entries));
  }
  if (failure != 0) fail("no file matches");
  std::vector<fs::path> files(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  std::sort(files.begin(), files.end());  // glob's own order depends on the locale
  return files;
}

/// Returns whether `mlmq tune` has written the folder. Its files are no workloads, so that the command can be rerun.
bool is_tuning_folder(const fs::path& folder) {
  return fs::exists(folder / "results.sqlite") && fs::exists(folder / "lock");
}

/// Lists the workloads of a folder and its subfolders, sorted. Hidden folders, such as .git, folders of `mlmq tune` and
/// links to folders are skipped.
std::vector<fs::path> workloads_in(const fs::path& folder, const std::function<bool(const fs::path&)>& is_workload) {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
    const fs::path& file = entry->path();
    const bool is_skipped =
        entry->is_directory() && (file.filename().string().starts_with('.') || is_tuning_folder(file));
    if (is_skipped) entry.disable_recursion_pending();
    if (entry->is_regular_file() && is_workload(file)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> files_in(const fs::path& folder, const workload_kind& kind, const source_place& place) {
  std::vector<fs::path> files = workloads_in(folder, [&kind](const fs::path& file) { return kind.is_file(file); });
  if (files.empty()) {
    throw input_error(fmt::format("{}{}: no {} files in this folder and its subfolders", place.prefix(),
                                  folder.string(), kind.name()));
  }
  return files;
}

/// Rejects options that the kind does not have.
void require_known(const workload_kind& kind, const workload_request& request) {
  std::vector<std::string> known_keys = {"generate", "file", "queries"};
  for (const named_meaning& option : kind.options()) known_keys.emplace_back(option.name);
  for (const setting& option : request.options) {
    if (std::find(known_keys.begin(), known_keys.end(), option.name) != known_keys.end()) continue;
    throw input_error(fmt::format("{}unknown key '{}' of a {}{}", option.place.prefix(), option.name, kind.name(),
                                  did_you_mean(option.name, known_keys)));
  }
}

workload_input described(const workload_kind& kind, const workload_request& request, workload_input input) {
  input.queries = request.queries.value_or(query_rules());
  input.place = request.place;
  kind.describe(input, request.options);
  // Names are recorded and printed as JSON, which has no other bytes than UTF-8.
  for (std::string* const text : {&input.name, &input.family, &input.workload_class}) *text = printable(*text);
  return input;
}

bool is_workload_file(const std::string& name) {
  const fs::path ending = fs::path(name).extension();
  return ending == ".yaml" || ending == ".yml";
}

void append(std::vector<workload_input>& inputs, std::vector<workload_input> more) {
  inputs.insert(inputs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// An entry with the file that contains it; empty for names on the command line.
struct listed_request {
  workload_request request;
  fs::path listed_in;
};

/// Returns whether a name of the command line is a file. Generators have no '/', and a '.' in their options only.
bool looks_like_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.substr(0, name.find(':')).find('.') != std::string::npos;
}

/// Returns the requests of a name on the command line: a folder, a file or pattern, a list of workloads, or a
/// generator.
std::vector<listed_request> requests_named(const std::string& name) {
  if (is_workload_file(name)) {
    const workload_file list = load_workload_file(name);
    std::vector<listed_request> requests;
    for (workload_request request : list.workloads) {
      if (!request.queries) request.queries = list.queries;
      requests.push_back({std::move(request), list.file});
    }
    return requests;
  }
  workload_request request;
  named_file named = split_file_options(name);
  request.specifier = named.file;
  request.options = std::move(named.options);
  std::error_code ignored;
  const bool is_pattern = named.file.find_first_of("*?[") != std::string::npos;
  if (is_pattern || looks_like_file(named.file) || fs::exists(named.file, ignored)) {
    request.source = workload_request::origin::file;
    request.specifier = fs::absolute(named.file).string();
  }
  return {{std::move(request), {}}};
}

std::vector<listed_request> requests_of(const experiment_file& experiment, std::span<const std::string> instead) {
  std::vector<listed_request> requests;
  for (const std::string& name : instead) {
    for (listed_request& entry : requests_named(name)) requests.push_back(std::move(entry));
  }
  if (!instead.empty()) return requests;
  for (const workload_request& request : experiment.workloads) requests.push_back({request, experiment.file});
  return requests;
}

/// Sets the options in all file entries that do not set them.
/// @throws input_error at the place of a contradicting entry, for an option that the kind does not have, and if there
///     are no file entries
void set_file_options(std::vector<listed_request>& requests, const std::map<std::string, std::string>& options,
                      const workload_kind& kind) {
  for (const auto& [name, value] : options) {
    const auto kind_options = kind.options();
    if (std::none_of(kind_options.begin(), kind_options.end(),
                     [&](const named_meaning& option) { return option.name == name; }))
      throw input_error(fmt::format("'{}' does not apply to workloads of kind '{}'", name, kind.name()));
    bool is_used = false;
    for (listed_request& entry : requests) {
      if (entry.request.source != workload_request::origin::file) continue;
      is_used = true;
      auto& entry_options = entry.request.options;
      const auto existing =
          std::find_if(entry_options.begin(), entry_options.end(), [&](const setting& s) { return s.name == name; });
      if (existing == entry_options.end()) {
        entry_options.push_back({.name = name, .values = {value}, .place = entry.request.place});
      } else if (existing->value() != value) {
        existing->fail(fmt::format("this entry says {}, but the command line says {}; remove one of them",
                                   existing->value(), value));
      }
    }
    if (!is_used) throw input_error(fmt::format("'{}' applies only to files, but no workload is a file", name));
  }
}

std::vector<workload_input> list_all(const workload_kind& kind, const std::vector<listed_request>& requests) {
  std::vector<workload_input> inputs;
  for (const listed_request& entry : requests) append(inputs, list_workloads(kind, entry.request, entry.listed_in));
  return inputs;
}

}  // namespace

named_file split_file_options(const std::string& name) {
  std::error_code ignored;
  const std::size_t colon = name.find(':', name.find_last_of('/') == std::string::npos ? 0 : name.find_last_of('/'));
  if (colon == std::string::npos || !looks_like_file(name.substr(0, colon)) || fs::exists(name, ignored))
    return {name, {}};
  named_file result{name.substr(0, colon), {}};
  for (const std::string& option : split(name.substr(colon + 1), ':')) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      throw input_error(fmt::format("{}: '{}' is not NAME=VALUE", name, option));
    result.options.push_back(
        {.name = option.substr(0, equals), .values = {option.substr(equals + 1)}, .place = {result.file}});
  }
  return result;
}

std::vector<workload_input> list_workloads(const workload_kind& kind, const workload_request& request,
                                           const fs::path& listed_in) {
  if (request.specifier.empty() && !kind.is_described_by_options()) {
    throw input_error(request.place.prefix() + "a workload needs either 'generate' or 'file'");
  }
  require_known(kind, request);
  if (request.source == workload_request::origin::generate) {
    return {described(kind, request, {.name = request.specifier, .file = "", .generated = request.specifier})};
  }
  std::vector<workload_input> inputs;
  for (const fs::path& path : matching_files(listed_in, request)) {
    const std::vector<fs::path> files =
        fs::is_directory(path) ? files_in(path, kind, request.place) : std::vector<fs::path>{path};
    const bool is_named = !fs::is_directory(path) && path.filename() == fs::path(request.specifier).filename();
    for (const fs::path& file : files) {
      const std::string absolute = fs::absolute(file).lexically_normal().string();
      inputs.push_back(described(kind, request, {.name = file.filename().string(), .file = absolute, .generated = ""}));
      inputs.back().is_found = !is_named;
    }
  }
  return inputs;
}

std::vector<fs::path> files_of(const std::string& name, const std::function<bool(const fs::path&)>& is_workload) {
  std::vector<listed_request> requests;
  std::vector<fs::path> files;
  // Errors are ignored here; the command that reads the workloads reports them.
  try {
    requests = requests_named(name);
  } catch (const input_error&) {
    return files;
  }
  for (const listed_request& listed : requests) {
    if (listed.request.source != workload_request::origin::file) continue;
    try {
      for (const fs::path& path : matching_files(listed.listed_in, listed.request)) {
        if (!fs::is_directory(path)) {
          files.push_back(path);
          continue;
        }
        const std::vector<fs::path> members = workloads_in(path, is_workload);
        files.insert(files.end(), members.begin(), members.end());
      }
    } catch (const input_error&) {
    } catch (const fs::filesystem_error&) {
    }
  }
  return files;
}

std::vector<workload_input> list_workloads(const workload_kind& kind, std::span<const std::string> named) {
  std::vector<workload_input> inputs;
  for (const std::string& name : named) append(inputs, list_all(kind, requests_named(name)));
  return inputs;
}

std::vector<workload_input> list_workloads(const experiment_file& experiment, const problem& problem,
                                           std::span<const std::string> instead,
                                           const std::map<std::string, std::string>& file_options) {
  std::vector<listed_request> requests = requests_of(experiment, instead);
  set_file_options(requests, file_options, problem.workloads());
  std::vector<workload_input> inputs = list_all(problem.workloads(), requests);
  if (inputs.empty()) {
    throw input_error(experiment.file.string() +
                      ": no workloads; list some under 'workloads' or name them with --workloads");
  }
  (void)problem.count_queries(experiment.queries);
  for (workload_input& input : inputs) {
    if (input.queries.empty()) input.queries = experiment.queries;
    (void)problem.count_queries(input.queries);
  }
  return inputs;
}

std::vector<workload_input> workloads_of(const shard& part, const problem& problem,
                                         const std::vector<workload_input>& inputs) {
  if (part.is_whole() || part.divided_by != shard::division::workloads) return inputs;
  constexpr std::uint64_t fixed_cost = 1'000'000;
  std::vector<std::uint64_t> cost;
  for (const workload_input& input : inputs) {
    const auto queries = std::max<std::uint64_t>(1, problem.count_queries(input.queries));
    cost.push_back((problem.workloads().expected_size(input) + fixed_cost) * queries);
  }
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cost[a] != cost[b] ? cost[a] > cost[b] : std::pair(inputs[a].name, a) < std::pair(inputs[b].name, b);
  });
  using load = std::pair<std::uint64_t, std::uint64_t>;  // cost so far, index of the shard
  std::priority_queue<load, std::vector<load>, std::greater<>> shards;
  for (std::uint64_t index = 1; index <= part.count; ++index) shards.emplace(0, index);
  std::vector<bool> is_mine(inputs.size(), false);
  for (const std::size_t i : order) {
    const auto [so_far, index] = shards.top();
    shards.pop();
    shards.emplace(so_far + cost[i], index);
    is_mine[i] = index == part.index;
  }
  std::vector<workload_input> mine;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_mine[i]) mine.push_back(inputs[i]);
  }
  return mine;
}

}  // namespace mlmq::tuner
