// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/plain_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "backends/kernel_sources.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

struct unsupported {
  const char* pattern;
  const char* feature;
};
constexpr std::array features = {
    unsupported{R"(\basm\b|\b__asm__\b)", "inline assembly"},
    unsupported{R"(\bwmma\b|<mma\.h>)", "tensor cores (wmma)"},
    unsupported{R"(\btexture\s*<|\bcudaTextureObject_t\b|\btex[123]D\w*\s*[<(])", "textures"},
    unsupported{R"(\bcudaSurfaceObject_t\b|\bsurf[123]D\w*\s*[<(])", "surfaces"},
    unsupported{R"(<<<)", "launches with <<<…>>>: host code, or dynamic parallelism"},
    unsupported{R"(\bthis_cluster\b|\bcluster_group\b|\b__cluster_dims__\b|\bmap_shared_rank\b)",
                "clusters and distributed shared memory"},
    unsupported{R"(\b__managed__\b)", "__managed__ variables"},
    unsupported{R"(\bmemcpy_async\b|<cuda/pipeline>|<cuda/barrier>|\b__pipeline_\w+)", "asynchronous copies"},
    unsupported{R"(\b__nv_bfloat16\w*|<cuda_bf16\.h>|<cuda_fp8\.h>)", "bfloat16 and fp8"},
    unsupported{R"(\bbinary_partition\b|\blabeled_partition\b)", "partitions of cooperative groups by value"},
};

/// Replaces words in the declarations of a kernel file, in one pass over its tokens.
class declaration_translator {
 public:
  explicit declaration_translator(std::string_view text) : text_(text) {}

  translated_source translate() {
    bool starts_line = true;
    while (position_ < text_.size()) {
      const std::size_t begin = position_;
      const char c = text_[begin];
      if (c == '#' && starts_line) {
        skip_directive();
        words_.clear();
        continue;
      }
      starts_line = c == '\n' || (starts_line && (c == ' ' || c == '\t'));
      if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
        while (position_ < text_.size() && is_word_character(text_[position_])) ++position_;
        words_.push_back({begin, text_.substr(begin, position_ - begin)});
        continue;
      }
      position_ += token_length(text_.substr(begin), begin > 0 && is_word_character(text_[begin - 1]));
      if (c == ';' || c == '{' || c == '}') {
        end_declaration(begin);
        words_.clear();
      }
    }
    result_.text.append(text_.substr(copied_));
    return std::move(result_);
  }

 private:
  struct word {
    std::size_t position;
    std::string_view text;
  };

  static bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  /// Continued lines belong to the directive, too.
  void skip_directive() {
    std::size_t end = text_.find('\n', position_);
    while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    position_ = std::min(end, text_.size());
  }

  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(words_, name, &word::text) != words_.end();
  }

  /// Replaces text; calls are in the order of positions.
  void replace(std::size_t position, std::size_t length, std::string_view replacement) {
    result_.text.append(text_.substr(copied_, position - copied_)).append(replacement);
    copied_ = position + length;
  }

  /// Returns the position behind "[]", blanks included, if these follow the last word up to `end`. Otherwise 0.
  [[nodiscard]] std::size_t end_of_brackets(std::size_t end) const {
    const word& last = words_.back();
    std::string brackets;
    std::size_t close = 0;
    for (std::size_t i = last.position + last.text.size(); i < end; ++i) {
      if (std::isspace(static_cast<unsigned char>(text_[i])) != 0) continue;
      brackets += text_[i];
      close = i + 1;
      if (brackets.size() > 2) break;
    }
    return brackets == "[]" ? close : 0;
  }

  /// Returns whether the declaration is "template void f<int>(int);".
  [[nodiscard]] bool is_instantiation() const {
    const word& first = words_.front().text == "extern" && words_.size() > 1 ? words_[1] : words_.front();
    const std::size_t next = text_.find_first_not_of(" \t\r\n", first.position + first.text.size());
    return first.text == "template" && next != std::string_view::npos && text_[next] != '<';
  }

  // The macros of simt/plain/cuda.hpp contain "static" and "inline", which must not occur twice. An attribute of GNU
  // may stand between the words of a declaration, "alignas" may not.
  void end_declaration(std::size_t end) {
    const bool is_shared = has("__shared__");
    if (!is_shared && !has("__global__")) return;
    // The label counts where the declaration is no template; launcher_text() gives the plain name for templates.
    const std::size_t close = is_shared && has("extern") ? end_of_brackets(end) : 0;
    const bool instantiates = is_instantiation();
    for (const word& declared : words_) {
      const auto replace_word = [&](std::string_view replacement) {
        replace(declared.position, declared.text.size(), replacement);
      };
      if (is_shared) {
        if (declared.text == "extern" && close != 0) replace_word("extern __thread");
        if (declared.text == "__shared__" && close != 0) replace_word("");
        if (declared.text == "static") replace_word("");
        if (declared.text == "alignas") replace_word("__align__");
      } else {
        if (declared.text == "inline") replace_word("");
        if (declared.text == "__global__" && instantiates) replace_word("");
      }
    }
    if (close == 0) return;
    replace(close, 0, " __asm__(\"mlmq_dynamic_shared\")");
    result_.dynamic_arrays.emplace_back(words_.back().text);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t copied_ = 0;   // end of the text that is in the result
  std::vector<word> words_;  // of the declaration so far
  translated_source result_;
};

}  // namespace

translated_source translate_declarations(std::string_view text) { return declaration_translator(text).translate(); }

std::string launcher_text(const std::string& file, const std::string& code,
                          const std::map<std::string, std::string>& defines, const std::vector<std::string>& functions,
                          const std::vector<std::string>& dynamic_arrays) {
  std::string text = "#include \"simt/plain/cuda.hpp\"\n" + macros_after_headers(code, defines);
  text += fmt::format("#include \"{}\"\n", file);
  for (const std::string& name : dynamic_arrays) {
    text += fmt::format("asm(\".set {}, mlmq_dynamic_shared\");\n", name);
  }
  text += "#define MLMQ_EXPORTED extern \"C\" __attribute__((__used__, __visibility__(\"default\")))\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += fmt::format("#line 1 \"{}\"\n", generated_name);
    text += fmt::format(
        "MLMQ_EXPORTED __attribute__((__no_sanitize__(\"thread\"))) void mlmq_function_{0}(void* const* "
        "mlmq_arguments) {{ "
        "mlmq_call(&{1}, mlmq_arguments); }}\n"
        "MLMQ_EXPORTED const auto mlmq_parameter_sizes_{0} = mlmq_parameter_sizes(&{1});\n"
        "MLMQ_EXPORTED const mlmq_type_info* const mlmq_type_{0} = &typeid(&{1});\n"
        "MLMQ_EXPORTED const auto mlmq_address_{0} = &{1};\n",
        i, functions[i]);
  }
  return text;
}

std::string unsupported_feature(const std::string& errors,
                                const std::vector<std::pair<std::string, std::string>>& files) {
  constexpr std::size_t longest_line = 1000;  // regular expressions need stack
  static const std::regex missing_name("'(\\w+)' (was not declared|does not name a type|has not been declared)");
  static const std::regex missing_header("fatal error: ([^ ]+): No such file");
  static const std::regex cuda_name(
      R"(__\w+|cuda[A-Z]\w*|cu[A-Z]\w*|(erfc?inv|normcdfinv|erfcx|cyl_bessel_i[01]|r?norm[34]?d?)f?)");
  for (const std::string& error : split(errors, '\n')) {
    const std::size_t name_end = error.find(':');
    const std::size_t number_end = error.find(':', name_end + 1);
    if (number_end == std::string::npos || error.size() > longest_line) continue;
    const auto file = std::ranges::find(files, error.substr(0, name_end), &std::pair<std::string, std::string>::first);
    const std::size_t number = std::strtoul(error.c_str() + name_end + 1, nullptr, 10);
    if (file == files.end() || number == 0) continue;
    const auto refuse = [&](const std::string& feature) {
      return fmt::format("{}:{}: the simulator does not support {}", file->first, number, feature);
    };
    const std::vector<std::string> lines = split(file->second, '\n');
    const std::string line = number <= lines.size() ? lines[number - 1].substr(0, longest_line) : "";
    std::smatch match;
    if (error.find("frame-larger-than") != std::string::npos) {
      return refuse("functions with more than 48 KB of local variables");
    }
    for (const unsupported& candidate : features) {
      if (std::regex_search(line, std::regex(candidate.pattern))) return refuse(candidate.feature);
    }
    if (std::regex_search(error, match, missing_name) && std::regex_match(match[1].str(), cuda_name)) {
      return refuse(match[1].str());
    }
    if (std::regex_search(error, match, missing_header) && line.find('<') != std::string::npos) {
      return refuse(fmt::format("the header <{}>", match[1].str()));
    }
  }
  return {};
}

std::string errors_of_log(const std::string& log, const std::string& folder) {
  constexpr std::size_t most_lines = 10;
  std::vector<std::string> errors;
  std::vector<std::string> others;
  for (std::string line : split(log, '\n')) {
    for (std::size_t path = 0; (path = line.find(folder + "/", path)) != std::string::npos;) {
      line.erase(path, folder.size() + 1);
    }
    if (line.empty()) continue;
    (line.find("error:") != std::string::npos || line.find("Error:") != std::string::npos ? errors : others)
        .push_back(std::move(line));
  }
  std::vector<std::string>& lines = errors.empty() ? others : errors;
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace mlmq::backends::simulator
