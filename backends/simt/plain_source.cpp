// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/plain_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "backends/kernel_sources.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

/// Matches "extern __shared__ type name[]", with attributes before or after the type. Text: 1: type and attributes, 2:
/// name.
const std::regex& dynamic_array() {
  static const std::regex pattern(R"(extern(?:\s+__align__\s*\([^()]*\))?\s+__shared__\s+([^;{}=]*?)(\w+)\s*\[\s*\])");
  return pattern;
}

struct unsupported {
  const char* pattern;
  const char* feature;
};
constexpr std::array features = {
    unsupported{R"(\basm\b|\b__asm__\b)", "inline assembly"},
    unsupported{R"(\bwmma\b|<mma\.h>)", "tensor cores (wmma)"},
    unsupported{R"(\btexture\s*<|\bcudaTextureObject_t\b|\btex[123]D\w*\s*[<(])", "textures"},
    unsupported{R"(\bcudaSurfaceObject_t\b|\bsurf[123]D\w*\s*[<(])", "surfaces"},
    unsupported{R"(<<<)", "launches by kernels (dynamic parallelism)"},
    unsupported{R"(\bthis_cluster\b|\bcluster_group\b|\b__cluster_dims__\b|\bmap_shared_rank\b)",
                "clusters and distributed shared memory"},
    unsupported{R"(\b__managed__\b)", "__managed__ variables"},
    unsupported{R"(\bmemcpy_async\b|<cuda/pipeline>|<cuda/barrier>|\b__pipeline_\w+)", "asynchronous copies"},
    unsupported{R"(#\s*include\s*<(cuda/|cub/|thrust/|cutlass/))", "libraries of CUDA"},
    unsupported{R"(\b__nv_bfloat16\w*|<cuda_bf16\.h>|<cuda_fp8\.h>)", "bfloat16 and fp8"},
    unsupported{R"(\bbinary_partition\b|\blabeled_partition\b)", "partitions of cooperative groups by value"},
};

}  // namespace

std::string translate_declarations(std::string_view text) {
  // The label counts where the declaration is no template; launcher_text() gives the plain name for templates.
  const std::string bound = std::regex_replace(std::string(text), dynamic_array(),
                                               "extern __thread $1 $2[] __asm__(\"mlmq_dynamic_shared\")");
  // The macros of simt/plain/cuda.hpp contain these words, which must not occur twice.
  static const std::regex repeated(R"(\bstatic(\s+)(?=__shared__\b)|\binline(\s+)(?=__global__\b))");
  static const std::regex repeated_after(R"(__shared__(\s+)static\b)");
  return std::regex_replace(std::regex_replace(bound, repeated, "$1$2"), repeated_after, "__shared__$1");
}

std::vector<std::string> dynamic_shared_names(std::string_view text) {
  std::vector<std::string> names;
  const std::string copy(text);
  for (std::sregex_iterator match(copy.begin(), copy.end(), dynamic_array()), end; match != end; ++match) {
    names.push_back((*match)[2]);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string launcher_text(const std::string& file, const std::string& code,
                          const std::map<std::string, std::string>& defines, const std::vector<std::string>& functions,
                          const std::vector<std::string>& dynamic_arrays) {
  std::string text = "#include \"simt/plain/cuda.hpp\"\n" + macros_after_headers(code, defines);
  text += fmt::format("#include \"{}\"\n", file);
  for (const std::string& name : dynamic_arrays) {
    text += fmt::format("asm(\".set {}, mlmq_dynamic_shared\");\n", name);
  }
  text += "#define MLMQ_EXPORTED extern \"C\" __attribute__((used, visibility(\"default\")))\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += fmt::format("#line 1 \"{}\"\n", generated_name);
    text += fmt::format(
        "MLMQ_EXPORTED __attribute__((no_sanitize(\"thread\"))) void mlmq_function_{0}(void* const* mlmq_arguments) {{ "
        "mlmq_cuda::call(&{1}, mlmq_arguments); }}\n"
        "MLMQ_EXPORTED const mlmq_u32 mlmq_parameters_{0} = mlmq_cuda::count_parameters(&{1});\n"
        "MLMQ_EXPORTED const auto mlmq_parameter_sizes_{0} = mlmq_cuda::parameter_sizes(&{1});\n"
        "MLMQ_EXPORTED const auto mlmq_address_{0} = &{1};\n",
        i, functions[i]);
  }
  return text;
}

std::string unsupported_feature(std::string_view text) {
  const std::string code = without_comments(text);
  for (const unsupported& candidate : features) {
    if (std::regex_search(code, std::regex(candidate.pattern))) return candidate.feature;
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
    (line.find("error:") != std::string::npos ? errors : others).push_back(std::move(line));
  }
  std::vector<std::string>& lines = errors.empty() ? others : errors;
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace mlmq::backends::simulator
