// SPDX-License-Identifier: Apache-2.0
#include "backends/kernel_sources.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"

namespace mlmq::backends {
namespace {

namespace fs = std::filesystem;

/// Returns false also for a name that no file can have, for which std::filesystem throws an exception.
bool is_existing_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

constexpr std::size_t most_candidates = 2000;  // headers that a name put together by the preprocessor may mean

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Removes blanks and comments, which a directive may contain, from the start of `text`.
void skip_blanks(std::string_view& text) {
  while (!text.empty()) {
    if (text.starts_with("\\\n")) {
      text.remove_prefix(2);
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else if (text.front() == ' ' || text.front() == '\t') {
      text.remove_prefix(1);
    } else {
      return;
    }
  }
}

/// Returns the word at the start of `text`, which may be empty, and removes it.
std::string_view take_word(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_word_character(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// The operand of an include: a name with its delimiters, or what the preprocessor expands to one.
struct include_operand {
  std::string_view text;

  [[nodiscard]] bool is_quoted() const { return text.starts_with('"'); }
  [[nodiscard]] bool is_name() const { return is_quoted() || text.starts_with('<'); }
  [[nodiscard]] std::string name() const { return std::string(text.substr(1, text.size() - 2)); }
};

/// Returns the operand at the start of `text`, which ends with the line.
include_operand operand_of(std::string_view text) {
  std::string_view rest = text.substr(0, text.find('\n'));
  skip_blanks(rest);
  const std::size_t end = rest.starts_with('"')   ? rest.find('"', 1)
                          : rest.starts_with('<') ? rest.find('>', 1)
                                                  : std::string_view::npos;
  if (end != std::string_view::npos) return {rest.substr(0, end + 1)};
  rest = rest.substr(0, std::min(rest.find("//"), rest.find("/*")));
  const std::size_t last = rest.find_last_not_of(" \t\r");
  return {rest.substr(0, last == std::string_view::npos ? 0 : last + 1)};
}

/// What a text's directives say: operands of its includes, and the definitions of macros.
struct scanned_directives {
  std::vector<include_operand> includes;
  std::multimap<std::string, std::string> macros;  ///< name and replacement
};

scanned_directives scan_directives(std::string_view text) {
  constexpr std::string_view has_include = "__has_include";
  scanned_directives result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::string_view rest = text.substr(begin);
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    begin += end + 1;
    std::string_view tests = rest.substr(0, end);
    skip_blanks(rest);
    if (!rest.starts_with('#')) continue;
    rest.remove_prefix(1);
    skip_blanks(rest);
    const std::string_view directive = take_word(rest);
    skip_blanks(rest);
    if (directive == "include" || directive == "import") result.includes.push_back(operand_of(rest));
    if (directive == "define") {
      const std::string_view name = take_word(rest);
      result.macros.emplace(name, operand_of(rest).text);
    }
    for (std::size_t position = tests.find(has_include); position != std::string_view::npos;
         position = tests.find(has_include)) {
      tests.remove_prefix(position + has_include.size());
      const std::size_t open = tests.find('(');
      if (open == std::string_view::npos) break;
      if (const include_operand tested = operand_of(tests.substr(open + 1)); tested.is_name()) {
        result.includes.push_back(tested);
      }
    }
  }
  return result;
}

bool is_header(const fs::path& file) {
  static const std::set<std::string> endings = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".cu", ".inc", ".inl", ".def"};
  return endings.contains(file.extension().string());
}

/// Loads a kernel file with its headers.
class source_loader {
 public:
  source_loader(const std::vector<std::string>& folders, const kernel_source& variant) {
    const auto add_folder = [this](const fs::path& folder) {
      folders_.push_back(fs::absolute(folder).lexically_normal());
    };
    for (const std::string& folder : folders) {
      if (const fs::path main = fs::path(folder) / variant.file; is_existing_file(main)) {
        main_ = fs::absolute(main).lexically_normal();
        break;
      }
    }
    if (main_.empty()) {
      throw input_error("kernel source '" + variant.file + "' is not in " + folders.front() +
                        "; set MLMQ_KERNELS to the folder that holds the kernels");
    }
    add_folder(folders.front());
    std::vector<std::string> first_includes;
    for (const std::string& option : variant.options) {
      const std::string folder = value_of(option, {"-I", "--include-path", "-isystem"});
      // The toolkit's headers belong to the compiler.
      if (!folder.empty() && !is_existing_file(fs::path(folder) / "cuda_runtime_api.h")) {
        add_folder(folder);
      } else if (std::string header = value_of(option, {"-include", "--pre-include"}); !header.empty()) {
        first_includes.push_back(std::move(header));
      } else {
        result_.compiler_options.push_back(option);
        const std::size_t equals = option.find('=');
        if (option.starts_with("-D") && equals != std::string::npos) {
          macros_.emplace(option.substr(2, equals - 2), option.substr(equals + 1));
        }
      }
    }
    own_folders_ = folders_.size();
    for (std::size_t i = 1; i < folders.size(); ++i) add_folder(folders[i]);
    for (const auto& [name, value] : variant.defines) macros_.emplace(name, value);
    std::string before;
    for (const std::string& header : first_includes) before += "#include \"" + header + "\"\n";
    add_text(main_, "", before + read_file(main_), result_.text);
  }

  kernel_sources load() {
    std::set<std::pair<fs::path, std::string>> done;  // folder and operand
    for (bool is_complete = false; !is_complete;) {
      read_open_files();
      is_complete = true;
      // Files that these includes reach may define further macros.
      const auto computed = computed_;
      for (const auto& [folder, operand] : computed) {
        std::set<std::string> names;
        if (!expand(operand, names)) names = all_headers(folder);
        for (const std::string& name : names) {
          if (!done.emplace(folder, name).second) continue;
          const std::optional<fs::path> file = find({name}, folder);
          if (!file) continue;
          is_complete = false;
          add_alias(include_operand{name}.name(), *file);
        }
      }
    }
    result_.has_computed_names = !computed_.empty();
    result_.headers.assign(texts_.begin(), texts_.end());
    return std::move(result_);
  }

 private:
  /// Returns the value of one of these options, written -Ivalue, -I value or -I=value; "" for another option.
  static std::string value_of(const std::string& option, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (!option.starts_with(name)) continue;
      const std::string_view rest = std::string_view(option).substr(name.size());
      // "--include-path" is also the start of other options; "-I" and "-include" may be followed by anything.
      if (name.starts_with("--") && !rest.starts_with('=') && !rest.starts_with(' ')) continue;
      return std::string(rest.substr(std::min(rest.find_first_not_of(" ="), rest.size())));
    }
    return "";
  }

  [[nodiscard]] std::optional<fs::path> find(include_operand operand, const fs::path& folder) const {
    const auto existing = [](const fs::path& file) -> std::optional<fs::path> {
      if (!is_existing_file(file)) return std::nullopt;
      return fs::absolute(file).lexically_normal();
    };
    if (operand.is_quoted()) {
      if (auto file = existing(folder / operand.name())) return file;
    }
    // Only the options name folders for angle brackets.
    const std::size_t first = operand.is_quoted() ? 0 : 1;
    const std::size_t end = operand.is_quoted() ? folders_.size() : own_folders_;
    for (std::size_t i = first; i < end; ++i) {
      if (auto file = existing(folders_[i] / operand.name())) return file;
    }
    return std::nullopt;
  }

  /// Returns the name of a file in directives, and adds the file if it is new.
  const std::string& name_of(const fs::path& file) {
    if (const auto entry = names_.find(file); entry != names_.end()) return entry->second;
    std::string name;
    for (const fs::path& folder : folders_) {
      name = file.lexically_relative(folder).generic_string();
      if (!name.starts_with("..") && !texts_.contains(name)) break;
      name.clear();
    }
    if (name.empty()) name = file.lexically_relative(main_.parent_path()).generic_string();
    texts_.emplace(name, "");
    open_.push_back(file);
    return names_.emplace(file, std::move(name)).first->second;
  }

  void read_open_files() {
    while (!open_.empty()) {
      const fs::path file = open_.back();
      open_.pop_back();
      add_text(file, names_.at(file), read_file(file), texts_[names_.at(file)]);
    }
  }

  /// Stores a text whose includes name headers as the result does.
  /// @param name  of the text; "" for the kernel file
  void add_text(const fs::path& file, const std::string& name, const std::string& text, std::string& stored) {
    scanned_directives directives = scan_directives(text);
    macros_.merge(directives.macros);
    std::size_t copied = 0;
    for (const include_operand& operand : directives.includes) {
      if (!operand.is_name()) {
        if (!operand.text.empty()) computed_.emplace_back(file.parent_path(), operand.text);
        continue;
      }
      const std::optional<fs::path> header = find(operand, file.parent_path());
      // A missing header belongs to the toolkit, or to the other implementation of simt/.
      if (!header) continue;
      const std::string& header_name = name_of(*header);
      if (operand.is_quoted() && header_name == operand.name()) continue;
      const auto begin = static_cast<std::size_t>(operand.text.data() - text.data());
      stored.append(text, copied, begin - copied).append('"' + header_name + '"');
      copied = begin + operand.text.size();
    }
    if (copied > 0) result_.unresolved.emplace(name, text);
    stored.append(text, copied);
  }

  /// Adds the names, with delimiters, that a chain of macros can give. Returns whether it gives only names.
  [[nodiscard]] bool expand(const std::string& operand, std::set<std::string>& names) const {
    std::vector<std::string> open = {operand};
    std::set<std::string> expanded;
    while (!open.empty()) {
      const std::string text = std::move(open.back());
      open.pop_back();
      if (include_operand{text}.is_name()) {
        names.insert(text);
      } else if (expanded.insert(text).second) {
        const auto [first, end] = macros_.equal_range(text);
        if (first == end) return false;
        for (auto macro = first; macro != end; ++macro) {
          open.emplace_back(operand_of(macro->second).text);
        }
      }
    }
    return true;
  }

  /// Returns the names, with quotes, of all headers in `folder`, in the kernel file's and in the options' folders.
  [[nodiscard]] std::set<std::string> all_headers(const fs::path& folder) const {
    std::set<std::string> names;
    std::vector<fs::path> searched(folders_.begin(), folders_.begin() + static_cast<std::ptrdiff_t>(own_folders_));
    searched.push_back(folder);
    for (const fs::path& place : searched) {
      // A folder that is missing or closed to the user has no headers for the compiler, either.
      std::error_code ignored;
      fs::recursive_directory_iterator entry(place, fs::directory_options::skip_permission_denied, ignored);
      for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
        if (!is_header(entry->path()) || !is_existing_file(entry->path())) continue;
        names.insert('"' + entry->path().lexically_relative(place).generic_string() + '"');
        if (names.size() > most_candidates) {
          throw input_error(
              main_.string() + ": the preprocessor puts the name of a header together, and there are over " +
              std::to_string(most_candidates) + " headers in " + place.string() + "; include headers by their names");
        }
      }
    }
    return names;
  }

  /// Makes a file available under the name that a macro gives it, too.
  void add_alias(const std::string& alias, const fs::path& file) {
    const std::string name = name_of(file);
    read_open_files();
    if (alias != name) texts_.emplace(alias, texts_.at(name));
  }

  fs::path main_;
  std::vector<fs::path> folders_;  // searched, in this order
  std::size_t own_folders_ = 0;    // how many of them are that of the kernel file and those of the options
  std::multimap<std::string, std::string> macros_;
  std::vector<std::pair<fs::path, std::string>> computed_;  // folder of the including file, and operand
  std::vector<fs::path> open_;                              // named, but not read yet
  std::map<fs::path, std::string> names_;
  std::map<std::string, std::string> texts_;
  kernel_sources result_;
};

}  // namespace

std::size_t token_length(std::string_view text, bool in_number) {
  const auto through = [text](std::size_t end, std::size_t more) {
    return end == std::string_view::npos ? text.size() : end + more;
  };
  if (text.starts_with("//")) {
    std::size_t end = text.find('\n');
    // A backslash at the end of a line continues the comment.
    while (end != std::string_view::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return through(end, 0);
  }
  if (text.starts_with("/*")) return through(text.find("*/", 2), 2);
  if (text.front() != '"' && (text.front() != '\'' || in_number)) return 1;
  std::size_t end = 1;
  while (end < text.size() && text[end] != text.front()) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::string without_comments(std::string_view text) {
  std::string code;
  bool in_number = false;
  const auto ends_with_blank = [&] { return code.empty() || code.back() == ' ' || code.back() == '\n'; };
  // The line after a backslash belongs to the same directive, even if it is empty.
  const auto line_continues = [&] { return code.ends_with('\\') || code.ends_with("\\\n"); };
  while (!text.empty()) {
    const std::string_view token = text.substr(0, token_length(text, in_number));
    text.remove_prefix(token.size());
    const auto letter = static_cast<unsigned char>(token.front());
    const bool is_blank =
        token == " " || token == "\t" || token == "\r" || token.starts_with("//") || token.starts_with("/*");
    if (token == "\n") {
      if (!code.empty() && code.back() == ' ') code.pop_back();
      if (!ends_with_blank() || line_continues()) code += '\n';
    } else if (!is_blank) {
      const bool in_word = !code.empty() && (std::isalnum(static_cast<unsigned char>(code.back())) != 0 ||
                                             code.back() == '_' || (in_number && code.back() == '\''));
      if (!in_word) in_number = std::isdigit(letter) != 0;
      code += token;
      if (std::isalnum(letter) == 0 && letter != '_' && letter != '\'') in_number = false;
    } else if (!ends_with_blank()) {
      in_number = false;
      code += ' ';
    }
  }
  return code;
}

kernel_sources kernel_sources::load(const std::string& folder, const std::string& file) {
  return load(std::vector<std::string>{folder}, file);
}

kernel_sources kernel_sources::load(const std::vector<std::string>& folders, const std::string& file) {
  kernel_source variant;
  variant.file = file;
  return load(folders, variant);
}

kernel_sources kernel_sources::load(const std::vector<std::string>& folders, const kernel_source& variant) {
  kernel_sources sources = source_loader(folders, variant).load();
  if (!variant.code_hash.empty() && sources.code_hash() != variant.code_hash) {
    throw input_error((fs::path(folders.front()) / variant.file).string() +
                      ": the code in this file or in one that it includes has changed since it was read first; run the "
                      "command again");
  }
  return sources;
}

std::string kernel_sources::hash() const {
  content_hash hash;
  hash.add(text_in_file("", text));
  for (const auto& [name, header] : headers) hash.add(name).add(text_in_file(name, header));
  return hash.hex();
}

std::string kernel_sources::code_hash() const {
  content_hash hash;
  hash.add(without_comments(text_in_file("", text)));
  for (const auto& [name, header] : headers) hash.add(name).add(without_comments(text_in_file(name, header)));
  // Every recorded trial and an index contain this hash. 64 bits are enough to distinguish a few versions.
  return hash.hex().substr(0, 16);
}

std::string macros_after_headers(std::string_view code, const std::map<std::string, std::string>& defines) {
  std::string text;
  for (const std::string header : {"cooperative_groups.h", "cuda_fp16.h"}) {
    if (code.find(header) != std::string_view::npos) text += "#include <" + header + ">\n";
  }
  for (const auto& [name, value] : defines) text += "#define " + name + ' ' + value + '\n';
  return text;
}

std::string variant_hash(const kernel_sources& sources, const kernel_source& variant, const std::string& toolchain) {
  content_hash hash;
  hash.add(sources.hash()).add(variant.entry).add(std::to_string(variant.block_threads));
  for (const auto& [name, value] : variant.defines) hash.add(name).add(value);
  for (const std::string& function : variant.functions) hash.add("function").add(function);
  for (const std::string& option : variant.options) hash.add("option").add(option);
  return hash.add(toolchain).hex();
}

}  // namespace mlmq::backends
