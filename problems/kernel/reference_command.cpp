// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/reference_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/temporary_folder.hpp"
#include "problems/kernel/array_file.hpp"

namespace mlmq::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes time_limit{10};
constexpr std::size_t most_output = 2000;  // bytes in messages

/// Returns the header of a .npy file of version 1.
std::string npy_header(const element_type& type, std::size_t count) {
  const std::string name = type.npy.empty() ? fmt::format("|V{}", type.numbers) : type.npy;
  const std::string shape = type.numbers == 1 || type.npy.empty() ? fmt::format("({},)", count)
                                                                  : fmt::format("({}, {})", count, type.numbers);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", name, shape);
  constexpr std::size_t before = 10;  // bytes of magic, version and length
  text.append(63 - (before + text.size()) % 64, ' ').push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() % 256);
  header += static_cast<char>(text.size() / 256);
  return header + text;
}

std::string sizes_text(const std::vector<std::pair<std::string, tuner::value>>& sizes) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const auto& [name, value] : sizes) {
    std::visit([&document, &key = name](const auto& content) { document[key] = content; }, value);
  }
  return document.dump() + '\n';
}

}  // namespace

expected_numbers run_command(const definition& kernel, const std::vector<std::pair<std::string, tuner::value>>& sizes,
                             const device_arrays& arrays) {
  const temporary_folder place("reference");
  const fs::path results = place.path() / "expected";
  fs::create_directory(results);
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const std::vector<std::byte>& contents = arrays.contents(i);
    if (contents.empty()) continue;
    write_file_atomically(place.path() / (kernel.arrays[i].name + ".npy"),
                          npy_header(arrays.type(i), arrays.count(i)) +
                              std::string(reinterpret_cast<const char*>(contents.data()), contents.size()));
  }
  write_file_atomically(place.path() / "sizes.json", sizes_text(sizes));
  std::uint64_t file_bytes = std::uint64_t{1} << 30;  // for files other than the results
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) file_bytes += 4 * arrays.contents(i).size();
  // The shell gets folder and command as arguments, which need no quoting.
  const process_result ended =
      run_process({"sh", "-c", "cd \"$1\" && MLMQ_DATA=$2 exec sh -c \"$3\"", "sh",
                   fs::absolute(kernel.folder).string(), place.path().string(), kernel.reference.command},
                  {.time = time_limit, .kept_output = most_output, .file_bytes = file_bytes});
  const auto fail = [&](const std::string& message) {
    throw input_error(fmt::format("{}the reference '{}' {}", kernel.place.prefix(), kernel.reference.command, message));
  };
  if (ended.timed_out) fail(fmt::format("took more than {} minutes", time_limit.count()));
  if (ended.exit_code != 0) fail(fmt::format("{}: {}", ended.describe_end(), ended.output));
  expected_numbers expected;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    if (!kernel.reference.compares(kernel.arrays[i])) continue;
    const fs::path file = results / (kernel.arrays[i].name + ".npy");
    if (!fs::exists(file)) fail("did not write $MLMQ_DATA/expected/" + file.filename().string());
    expected[i] = read_array(file, kernel.arrays[i].name, arrays.type(i), arrays.count(i));
  }
  return expected;
}

}  // namespace mlmq::kernel
