// SPDX-License-Identifier: Apache-2.0
// Compiles kernel files in plain CUDA C++: part of kernel_compiler.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backends/simt/kernel_compiler.hpp"
#include "backends/simt/plain_source.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/stopwatch.hpp"
#include "base/temporary_folder.hpp"

namespace mlmq::backends::simulator {

namespace fs = std::filesystem;

namespace {

/// Returns whether an option of the CUDA compiler has a meaning for the host's compiler. The others affect only the
/// code of a GPU.
bool is_host_option(const std::string& option) {
  return option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-std=");
}

/// Returns a folder in `place` so deep that the names of all headers, which may begin with "..", stay in `place`.
fs::path folder_for(const kernel_sources& sources, const fs::path& place) {
  fs::path folder = place / "source";
  std::ptrdiff_t depth = 0;
  for (const auto& [name, text] : sources.headers) {
    const fs::path path(name);
    depth = std::max(depth, std::count(path.begin(), path.end(), ".."));
  }
  for (; depth > 0; --depth) folder /= "source";
  return folder;
}

}  // namespace

std::vector<std::string> kernel_compiler::plain_command(const kernel_sources& sources) const {
  std::vector<std::string> words = compiler_->command;
  // The instrumentation of ThreadSanitizer calls the simulator, whose functions the object contains under its names.
  // Points-to analysis would leave out variables of the file; scalar replacement of aggregates would split a float4. No
  // exceptions, because the simulator ends a lane by one, which must not run cleanups. DWARF 4, because addr2line of
  // binutils 2.40 names wrong files with version 5.
  for (const char* const option : {"-x",
                                   "c++",
                                   "-std=c++20",
                                   "-O1",
                                   "-g1",
                                   "-gdwarf-4",
                                   "-fPIC",
                                   "-fvisibility=hidden",
                                   "-fno-exceptions",
                                   "-fasynchronous-unwind-tables",
                                   "-fno-strict-aliasing",
                                   "-fno-math-errno",
                                   "-ffp-contract=off",
                                   "-fno-threadsafe-statics",
                                   "-fno-tree-pta",
                                   "-fno-tree-sra",
                                   "-fno-ipa-reference-addressable",
                                   "-fno-gnu-unique",
                                   "--param",
                                   "tsan-distinguish-volatile=1",
                                   "-fno-builtin-printf",
                                   "-fsanitize=thread",
                                   "-fsanitize-coverage=trace-pc",
                                   "-Werror=frame-larger-than=49152"}) {
    words.emplace_back(option);
  }
  for (const std::string& option : sources.compiler_options) {
    if (is_host_option(option)) words.push_back(option);
  }
  return words;
}

std::shared_ptr<const loaded_plain_kernel> kernel_compiler::compile_plain(const kernel_source& source) const {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> folders = folders_for(source);
  if (!fs::is_regular_file(fs::path(folders.front()) / source.file)) {
    throw input_error(fmt::format("{}: there is no such kernel file in {}", source.file, folders.front()));
  }
  require_compiler();
  if (compiler_->name().find("clang") != std::string::npos) {
    throw work_error("simt: plain CUDA C++ needs g++, since only it can instrument all accesses; set CXX=g++");
  }
  const kernel_sources sources = kernel_sources::load(folders, source);
  const std::string source_hash = variant_hash(sources, source, "");
  content_hash key;
  key.add(source_hash).add(compiler_->version);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(includes_ / "simt/plain")) {
    if (entry.is_regular_file()) {
      key.add(kernel_sources::load(includes_.string(), entry.path().lexically_relative(includes_).string()).hash());
    }
  }
  for (const std::string& word : plain_command(sources)) key.add(word);
  cached_code code = cache_.find_or_make(key.hex(), [&] { return make_plain(source, sources); });
  std::string binary_hash = content_hash().add(code.bytes).hex();
  auto kernel = std::make_shared<loaded_plain_kernel>(loaded_plain_kernel{
      .object = plain_object(std::move(code.bytes), source.file, source.functions.size()), .properties = {}});
  kernel->properties.compile_ms = milliseconds_since(start);
  kernel->properties.from_cache = code.from_cache;
  kernel->properties.source_hash = source_hash;
  kernel->properties.binary_hash = std::move(binary_hash);
  return kernel;
}

std::string kernel_compiler::make_plain(const kernel_source& source, const kernel_sources& sources) const {
  const temporary_folder place("compile");
  const fs::path copies = folder_for(sources, place.path());
  std::vector<std::pair<std::string, std::string>> files = sources.headers;
  files.emplace_back(source.file, sources.text);
  std::string all_text;
  std::vector<std::string> dynamic_arrays;
  for (const auto& [name, text] : files) {
    fs::create_directories((copies / name).parent_path());
    const translated_source translated = translate_declarations(text);
    write_file_atomically(copies / name, translated.text);
    dynamic_arrays.insert(dynamic_arrays.end(), translated.dynamic_arrays.begin(), translated.dynamic_arrays.end());
    all_text += text + "\n";
  }
  std::ranges::sort(dynamic_arrays);
  dynamic_arrays.erase(std::unique(dynamic_arrays.begin(), dynamic_arrays.end()), dynamic_arrays.end());
  const fs::path launcher = place.path() / "launcher.cpp";
  write_file_atomically(launcher,
                        launcher_text(source.file, all_text, source.defines, source.functions, dynamic_arrays));
  const auto run = [&](const std::vector<std::string>& words) {
    const std::optional<std::string> errors = run_compiler(words, source.file);
    if (!errors) return;
    const std::string lines = errors_of_log(*errors, copies.string());
    if (const std::string feature = unsupported_feature(lines, files); !feature.empty()) throw launch_error(feature);
    throw compile_error(lines);
  };
  const fs::path object = place.path() / "kernel.o";
  std::vector<std::string> words = plain_command(sources);
  // Equal code has equal bytes, wherever it was compiled.
  for (const std::string& folder : {place.path().string(), fs::current_path().string()}) {
    words.push_back(fmt::format("-fdebug-prefix-map={}=/mlmq-generated", folder));
  }
  for (const std::string& folder : {copies.string(), (includes_ / "simt/plain/include").string(), includes_.string()}) {
    // Names in angle brackets are those of other headers, unless macros give them.
    const bool is_quoted_only = folder == copies.string() && !sources.has_computed_names;
    words.push_back((is_quoted_only ? "-iquote" : "-I") + folder);
    words.push_back(fmt::format("-fmacro-prefix-map={}/=", folder));
    words.push_back(fmt::format("-fdebug-prefix-map={}={}", folder, plain_object::source_folder));
  }
  words.insert(words.end(), {"-c", "-o", object.string(), launcher.string()});
  run(words);
  const fs::path library = place.path() / "kernel.so";
  words = compiler_->command;
  words.insert(words.end(), {"-shared", "-Wl,-Bsymbolic", "-o", library.string(), object.string()});
  run(words);
  return read_file(library);
}

}  // namespace mlmq::backends::simulator
