// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> format_names{"galois", "dimacs", "mtx", "wel", "metis", "csv", "npz"};
constexpr std::string_view formats_text = "galois, dimacs, mtx, wel (an edge list), metis, csv or npz";

graph::file_format format_of(const std::string& name) {
  if (name == "galois") return graph::file_format::galois;
  if (name == "dimacs") return graph::file_format::dimacs;
  return graph::written_format("graph." + name).value();  // the others are file extensions
}

std::string written(const graph::csr_graph& graph, const fs::path& file, graph::file_format as,
                    const std::string& shown) {
  if (as == graph::file_format::galois && graph.weights() != graph::weight_type::uint32) {
    throw input_error(
        fmt::format("{}: the Galois binary format has integer weights only; add --format dimacs to write text", shown));
  }
  return graph::write_graph(graph, file, as);
}

void copy_to_standard_output(std::istream& in) {
  std::array<char, 1 << 16> buffer;
  while (in) {
    in.read(buffer.data(), buffer.size());
    const auto count = static_cast<std::size_t>(in.gcount());
    if (std::fwrite(buffer.data(), 1, count, stdout) == count) continue;
    throw work_error("standard output cannot be written: " + output_failure(errno));
  }
  if (!in.eof()) throw work_error("the graph cannot be read back from the system's temporary folder");
}

/// Writes a graph completely or, after an error, not at all.
std::string write_to_standard_output(const graph::csr_graph& graph, graph::file_format as) {
  std::string changed;
  std::ifstream content;
  {
    // Remove the folder before printing: if the reader ends early, this program ends at once.
    const temporary_folder folder("graph");
    const fs::path file = folder.path() / "graph";
    try {
      changed = written(graph, file, as, "standard output");
    } catch (const input_error& error) {
      // The message names the temporary file.
      std::string message = error.what();
      if (message.starts_with(file.string())) message.replace(0, file.string().size(), "standard output");
      throw input_error(message);
    }
    content.open(file, std::ios::binary);
  }
  copy_to_standard_output(content);
  return changed;
}

}  // namespace

void graph_output::add_to(CLI::App& command) {
  command
      .add_option("output", file,
                  "file to write; the extension selects the format: .gr, .mtx, .txt, .el, .wel, .snap, .tsv, .graph, "
                  ".metis, .csv, .npz; add .gz to compress; -: standard output, with --format")
      ->required();
  command
      .add_option(
          "--format", format,
          fmt::format("format on standard output: {}; for a .gr file: galois (binary, the default) or dimacs (text)",
                      formats_text))
      ->check([](const std::string& name) -> std::string {
        const bool is_known = std::find(format_names.begin(), format_names.end(), name) != format_names.end();
        return is_known ? "" : fmt::format("'{}' is not one of {}", name, formats_text);
      });
  writes_files(command, {"output"});
  takes_no_files(command, {"--format"});
}

graph::file_format graph_output::check() const {
  if (is_standard_output(file)) {
    if (format.empty()) throw input_error(fmt::format("-: specify --format: {}", formats_text));
    return format_of(format);
  }
  check_output(file);
  if (is_written_in_place(file)) return format.empty() ? graph::file_format::galois : format_of(format);
  const std::optional<graph::file_format> by_name = graph::written_format(file);
  if (!by_name) {
    throw input_error(fmt::format(
        "{}: unknown file extension; graphs are written as .gr (Galois binary, or DIMACS text with --format dimacs), "
        ".mtx, .txt, .el, .wel, .snap, .tsv, .graph, .metis or .csv, each also with .gz, or .npz",
        file));
  }
  const bool is_gr = *by_name == graph::file_format::dimacs;
  if (format.empty()) return is_gr ? graph::file_format::galois : *by_name;
  const graph::file_format requested = format_of(format);
  if (requested != *by_name && !(is_gr && requested == graph::file_format::galois)) {
    // A file with this name could not be read again.
    throw input_error(fmt::format("{}: the file extension contradicts --format {}; omit --format", file, format));
  }
  return requested;
}

void graph_output::write(const graph::csr_graph& graph, graph::file_format as) const {
  if (is_standard_output(file)) {
    const std::string changed = write_to_standard_output(graph, as);
    if (!changed.empty()) print_note("standard output: {}", changed);
    return;
  }
  const std::string changed = written(graph, file, as, file);
  print_text("{}: {} vertices, {} edges{}{}\n", file, graph.vertex_count(), graph.edge_count(),
             changed.empty() ? "" : "; ", changed);
}

}  // namespace mlmq::cli
