// SPDX-License-Identifier: Apache-2.0
// Edge lists as tables: one edge per line, fields separated by commas or semicolons, vertices with numbers or names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.hpp"
#include "graph/formats.hpp"
#include "graph/id_numbering.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

constexpr std::array source_words{"source", "from", "src", "start", "tail", "u", "node1", "source_id", "from_id"};
constexpr std::array target_words{"target", "to", "dst",   "dest",      "destination", "end",
                                  "head",   "v",  "node2", "target_id", "to_id"};
constexpr std::array weight_words{"weight", "w", "cost", "length", "distance", "value"};

constexpr std::string_view expected_header =
    "expected a header that names the columns, such as 'source,target,weight' (also from,to; cost, length, distance), "
    "or "
    "two or three columns of numbers";

/// Splits one line into fields, as in RFC 4180; a quoted field must end on the same line.
/// @throws input_error
void split_fields(std::string_view line, char separator, std::vector<std::string>& fields, const text_reader& reader) {
  fields.clear();
  std::size_t position = 0;
  while (true) {
    std::string& field = fields.emplace_back();
    if (position < line.size() && line[position] == '"') {
      for (++position;; ++position) {
        if (position == line.size()) reader.fail("a quoted field is not closed on its line");
        if (line[position] != '"') {
          field += line[position];
        } else if (position + 1 < line.size() && line[position + 1] == '"') {
          field += line[++position];
        } else {
          ++position;
          break;
        }
      }
      if (position < line.size() && line[position] != separator)
        reader.fail("text between a quoted field and the separator");
    } else {
      const std::size_t end = std::min(line.find(separator, position), line.size());
      std::string_view text = line.substr(position, end - position);
      while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
      if (text.find('"') != std::string_view::npos) reader.fail("a quote inside a field that is not quoted");
      field = text;
      position = end;
    }
    if (position == line.size()) return;
    ++position;
  }
}

struct columns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::size_t count = 0;  ///< number of fields per line
};

template <std::size_t N>
std::optional<std::size_t> find_word(const std::vector<std::string>& fields, const std::array<const char*, N>& words,
                                     const text_reader& reader) {
  std::optional<std::size_t> column;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::string lower = fields[i];
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    if (std::find(words.begin(), words.end(), lower) == words.end()) continue;
    if (column) {
      reader.fail(fmt::format("columns {} and {} have the same meaning (columns {} and {})", in_quotes(fields[*column]),
                              in_quotes(fields[i]), *column + 1, i + 1));
    }
    column = i;
  }
  return column;
}

/// Parses a header line. Returns empty if the line is an edge. @throws input_error if the line is neither
std::optional<columns> parse_header(const std::vector<std::string>& fields, const text_reader& reader) {
  const auto source = find_word(fields, source_words, reader);
  const auto target = find_word(fields, target_words, reader);
  if (source && target) {
    return columns{.source = *source,
                   .target = *target,
                   .weight = find_word(fields, weight_words, reader),
                   .count = fields.size()};
  }
  const bool numbers = (fields.size() == 2 || fields.size() == 3) && parse_count(fields[0]) && parse_count(fields[1]) &&
                       (fields.size() == 2 || fields[2].find_first_of("0123456789") != std::string::npos);
  // A first line of names could be an edge or an unknown header, so the reader does not guess.
  if (!numbers) reader.fail(expected_header);
  return std::nullopt;
}

/// Numbers the names of vertices in the order in which they first occur.
class name_table {
 public:
  std::uint64_t number(const std::string& name) { return numbers_.try_emplace(name, numbers_.size()).first->second; }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names(numbers_.size());
    for (const auto& [name, number] : numbers_) names[number] = name;
    return names;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
};

/// Content of the lines of a file.
struct edge_table {
  std::vector<std::string> names;   ///< names of vertices, in the order in which they first occur
  std::vector<std::uint64_t> ends;  ///< indices into `names`: alternately the source and the target of each edge
  bool weighted = false;

  /// Returns whether all names are whole numbers, which then are the ids. Names with leading zeros are not ids, because
  /// "007" and "7" are two names.
  [[nodiscard]] bool has_ids() const {
    return std::all_of(names.begin(), names.end(), [](const std::string& name) {
      const auto id = parse_count(name);
      return id && *id <= file_ids::largest && (name.size() == 1 || name.front() != '0');
    });
  }
};

/// @param weights null: ignore the weights of the file
edge_table read_table(text_reader& reader, weight_column* weights) {
  std::vector<std::string> fields;
  std::optional<columns> layout;
  char separator = ',';
  name_table names;
  edge_table table;
  for (std::string_view line; reader.next_line(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    bool is_header = false;
    if (!layout) {
      if (line.find(';') != std::string_view::npos && line.find(',') == std::string_view::npos) separator = ';';
      split_fields(line, separator, fields, reader);
      layout = parse_header(fields, reader);
      is_header = layout.has_value();
      if (!layout) {
        layout = columns{.source = 0, .target = 1, .weight = {}, .count = fields.size()};
        if (fields.size() == 3) layout->weight = 2;
      }
      table.weighted = layout->weight.has_value();
    } else {
      split_fields(line, separator, fields, reader);
    }
    if (is_header) continue;
    if (fields.size() != layout->count) {
      reader.fail(fmt::format("{} fields, expected {} as in the first line", fields.size(), layout->count));
    }
    for (const std::size_t end : {layout->source, layout->target}) {
      if (fields[end].empty()) reader.fail("the name of a vertex is missing");
      table.ends.push_back(names.number(fields[end]));
    }
    if (layout->weight && weights != nullptr) {
      if (fields[*layout->weight].empty()) reader.fail("the weight is missing");
      weights->add(fields[*layout->weight], reader);
    }
  }
  if (table.ends.empty()) reader.fail_file("the graph has no vertices: no line has an edge");
  if (names.size() > 0xFFFFFFFEu) {
    reader.fail_file(fmt::format("{} vertices, expected at most {}", names.size(), 0xFFFFFFFEu));
  }
  table.names = names.names();
  return table;
}

}  // namespace

csr_graph read_csv(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  text_reader reader(file);
  weight_column weights(options.absolute_weights, options.weight_type);
  const edge_table table = read_table(reader, options.ignore_weights ? nullptr : &weights);
  remarks.lacks_weights = !table.weighted;
  remarks.lacks_direction = true;
  edge_list edges;
  file_ids ids = file_ids::counted_from(0, static_cast<vertex_id>(table.names.size()));
  if (table.has_ids()) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(table.ends.size());
    for (const std::uint64_t end : table.ends) numbers.push_back(*parse_count(table.names[end]));
    ids = number_ids(numbers, edges, reader);
  } else {
    for (std::size_t i = 0; i < table.ends.size(); i += 2) {
      edges.sources.push_back(static_cast<vertex_id>(table.ends[i]));
      edges.targets.push_back(static_cast<vertex_id>(table.ends[i + 1]));
    }
    remarks.notes.push_back(
        fmt::format("the {} vertices have names, such as {}; 'mlmq graph names' lists the id of each",
                    table.names.size(), in_quotes(table.names.front())));
  }
  if (table.weighted && !options.ignore_weights) {
    weights.finish(edges, reader);
  } else {
    fill_seeded_weights(edges, options.weight_seed);
  }
  const std::size_t count = ids.count();
  return build_csr(count, edges, {.symmetric = options.undirected.value_or(false)})
      .with_ids(std::move(ids))
      .with_negated_weights(weights.negated());
}

std::vector<std::string> read_csv_names(const std::filesystem::path& file) {
  text_reader reader(file);
  edge_table table = read_table(reader, nullptr);
  return table.has_ids() ? std::vector<std::string>() : std::move(table.names);
}

}  // namespace mlmq::graph
