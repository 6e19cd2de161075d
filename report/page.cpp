// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "report/page_parts.hpp"

namespace mlmq::report {
namespace {

/// Escapes JSON for a script element, so that no text in it can end the script.
std::string for_script(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
    if (letter == '<') {
      safe += "\\u003c";
    } else {
      safe += letter;
    }
  }
  return safe;
}

std::string for_html(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

}  // namespace

std::string read_charts(const std::filesystem::path& named) {
  std::filesystem::path file = named;
  if (file.empty()) {
    const std::filesystem::path installed = module_folder() / ".." / "share" / "mlmq" / "charts" / "echarts.min.js";
    std::error_code ignored;
    for (const std::filesystem::path& candidate : {installed, std::filesystem::path(MLMQ_BUILT_CHARTS)}) {
      if (file.empty() && std::filesystem::exists(candidate, ignored)) file = candidate;
    }
    if (file.empty()) {
      throw input_error(
          fmt::format("the chart library is missing: it was not fetched when this program was built. Run "
                      "'scripts/fetch-charts FOLDER' where npm has network access, and pass the file with --charts "
                      "FOLDER/echarts.min.js; or fetch it into {}",
                      std::filesystem::path(MLMQ_BUILT_CHARTS).parent_path().string()));
    }
  }
  std::string text = read_file(file);
  // The first line of the library contains its name.
  if (text.find(").echarts={}") == std::string::npos) {
    throw input_error(
        fmt::format("{}: not echarts.min.js, the chart library that scripts/fetch-charts fetches", file.string()));
  }
  if (text.find("</script") != std::string::npos)
    throw input_error(fmt::format("{}: contains '</script' and cannot be embedded in a page", file.string()));
  return text;
}

std::string make_page(const nlohmann::json& data, std::string_view title, std::string_view charts, bool is_live) {
  const std::string_view page = page_template();
  const std::string shown_title = for_html(title);
  const std::string contents = for_script(data);
  const std::string_view connections = is_live ? "; connect-src 'self'" : "";
  const std::array<std::pair<std::string_view, std::string_view>, 6> parts{{{"{{title}}", shown_title},
                                                                            {"{{style}}", page_style()},
                                                                            {"{{connections}}", connections},
                                                                            {"{{charts}}", charts},
                                                                            {"{{data}}", contents},
                                                                            {"{{script}}", page_script()}}};
  std::string result;
  result.reserve(page.size() + contents.size() + charts.size() + page_style().size() + page_script().size());
  for (std::size_t position = 0; position < page.size();) {
    const std::size_t mark = page.find("{{", position);
    result += page.substr(position, mark - position);
    if (mark == std::string_view::npos) break;
    position = mark;
    for (const auto& [name, text] : parts) {
      if (!page.substr(mark).starts_with(name)) continue;
      result += text;
      position = mark + name.size();
      break;
    }
    if (position == mark) throw work_error("the page template names an unknown part");
  }
  return result;
}

}  // namespace mlmq::report
