// SPDX-License-Identifier: Apache-2.0
// Edge lists as tables: one edge per line, fields separated by commas, semicolons or tabs, vertices with numbers or
// names.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/formats.hpp"
#include "graph/id_numbering.hpp"
#include "graph/number_lines.hpp"
#include "graph/table_columns.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

constexpr std::string_view expected_header =
    "expected a header that names the columns, such as 'source,target,weight' (also from,to; cost, length, distance, "
    "time), or two or three columns of numbers";

/// A quoted field over several lines may be at most this long, so that a lone quote is an error in its line.
constexpr std::size_t longest_record = std::size_t{1} << 16;

/// Reads the lines of a table as fields (RFC 4180). Quoted fields may have line ends.
class record_reader {
 public:
  explicit record_reader(const std::filesystem::path& file) : reader_(file) {}

  [[nodiscard]] const text_reader& lines() const { return reader_; }
  /// Returns the reader, to read whole records from it.
  [[nodiscard]] text_reader& lines() { return reader_; }
  /// Returns the character between fields; valid after next().
  [[nodiscard]] char separator() const { return separator_; }
  /// Returns the number of the record's first line.
  [[nodiscard]] std::uint64_t line() const { return line_; }

  /// Reads the next record that is not blank. The first one determines the separator: the most frequent of comma,
  /// semicolon and tab. @return false at the end of the file @throws input_error
  bool next(std::vector<std::string>& fields) {
    std::string_view line;
    do {
      if (!reader_.next_line(line)) return false;
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    line_ = reader_.line_number();
    if (separator_ == '\0') separator_ = separator_in(line);
    if (split(line, fields)) return true;
    for (std::string record(line); reader_.next_line(line);) {
      record.append("\n").append(line);
      if (record.size() > longest_record) break;
      if (split(record, fields)) return true;
    }
    reader_.fail_at(line_, "a quoted field is not closed");
  }

  [[noreturn]] void fail(const std::string& message) const { reader_.fail_at(line_, message); }

 private:
  static char separator_in(std::string_view line) {
    char best = ',';
    std::ptrdiff_t most = 0;
    for (const char separator : {',', ';', '\t'}) {
      bool quoted = false;
      const std::ptrdiff_t count = std::ranges::count_if(line, [&](char c) {
        quoted ^= c == '"';
        return c == separator && !quoted;
      });
      if (count > most) best = separator;
      most = std::max(most, count);
    }
    return best;
  }

  /// Splits a record into fields. @return false if a quoted field is not closed @throws input_error
  bool split(std::string_view record, std::vector<std::string>& fields) const {
    fields.clear();
    std::size_t position = 0;
    while (true) {
      std::string& field = fields.emplace_back();
      if (position < record.size() && record[position] == '"') {
        for (++position;; ++position) {
          if (position == record.size()) return false;
          if (record[position] != '"') {
            field += record[position];
          } else if (position + 1 < record.size() && record[position + 1] == '"') {
            field += record[++position];
          } else {
            ++position;
            break;
          }
        }
        if (position < record.size() && record[position] != separator_)
          fail("text between a quoted field and the separator");
      } else {
        const std::size_t end = std::min(record.find(separator_, position), record.size());
        std::string_view text = record.substr(position, end - position);
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
        if (text.find('"') != std::string_view::npos) fail("a quote inside a field that is not quoted");
        field = text;
        position = end;
      }
      if (position == record.size()) return true;
      ++position;
    }
  }

  text_reader reader_;
  char separator_ = '\0';
  std::uint64_t line_ = 0;
};

/// Returns the header if the first line is one. @param has_named_columns the caller names columns
/// @throws input_error if the line is neither a header nor an edge
table_header header_in(const std::vector<std::string>& fields, bool has_named_columns, const record_reader& reader) {
  table_header header{.names = {}, .count = fields.size(), .line = reader.line()};
  const bool is_number = std::ranges::all_of(fields, [](const std::string& field) {
    return !field.empty() && field.find_first_not_of("0123456789+-.eE") == std::string::npos &&
           field.find_first_of("0123456789") != std::string::npos;
  });
  if (names_edges(fields) || (has_named_columns && !is_number)) {
    header.names = fields;
    return header;
  }
  const bool is_edge = is_number && (has_named_columns ? fields.size() >= 2 : fields.size() == 2 || fields.size() == 3);
  // A first line of names could be an edge or an unknown header, so the reader does not guess.
  if (!is_edge) reader.fail(std::string(expected_header));
  return header;
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

/// Whether the vertices of a table have numbers or names.
enum class vertex_texts { ids, names };

/// Content of the lines of a file.
struct edge_table {
  std::vector<std::string> names;  ///< names of vertices, in the order in which they first occur
  /// Ids of vertices, or indices into `names`: alternately the source and the target of each edge.
  uninitialized_vector<std::uint64_t> ends;
  table_columns columns;
};

/// Returns the id that a text is. Texts with leading zeros are names, because "007" and "7" are two names.
std::optional<std::uint64_t> id_of(const std::string& text) {
  const bool has_leading_zero = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  return has_leading_zero ? std::nullopt : parse_id(text);
}

/// Returns whether a weight in a table with weights for both directions means that the edge does not exist.
bool is_absent(std::string_view weight) {
  return weight.empty() || (weight.front() == '-' && weight.find_first_of("123456789") != std::string_view::npos);
}

/// Reads the edges of a table.
class table_reader {
 public:
  /// @param weights receives the weights, unless they are ignored; must be empty
  table_reader(const std::filesystem::path& file, const read_options& options, vertex_texts texts,
               weight_column& weights)
      : records_(file), options_(options), texts_(texts), weights_(weights), parts_(weights) {}

  /// @return nothing if a vertex has a name, although ids are expected
  std::optional<edge_table> read() {
    std::optional<table_header> header;
    std::vector<std::string> fields;
    bool has_columns = false;
    while (records_.next(fields)) {
      if (!header) {
        header = header_in(fields, !options_.columns.empty(), records_);
        if (!header->names.empty()) continue;
      }
      if (fields.size() != header->count)
        records_.fail(fmt::format("{} fields, expected {} as in the first line", fields.size(), header->count));
      if (!has_columns) table_.columns = choose_columns(*header, fields, options_, records_.lines());
      has_columns = true;
      add_line(fields);
      if (has_unexpected_name_) return std::nullopt;
      if (texts_ == vertex_texts::ids) read_plain_lines(fields.size());
    }
    if (table_.ends.empty()) records_.lines().fail_file("the graph has no vertices: no line has an edge");
    if (names_.size() > 0xFFFFFFFEu)
      records_.lines().fail_file(fmt::format("{} vertices, expected at most {}", names_.size(), 0xFFFFFFFEu));
    table_.names = names_.names();
    return std::move(table_);
  }

  [[nodiscard]] bool has_weights() const { return table_.columns.weight && !options_.ignore_weights; }

  [[nodiscard]] const text_reader& lines() const { return records_.lines(); }

 private:
  /// Reads as many lines as possible that have only numbers in the columns of the edge.
  void read_plain_lines(std::size_t fields) {
    const table_columns& columns = table_.columns;
    if (columns.reverse_weight || (columns.direction && !options_.undirected)) return;
    const line_form form{.separator = records_.separator(),
                         .fields = fields,
                         .source = columns.source,
                         .target = columns.target,
                         .weight = has_weights() ? columns.weight : std::nullopt};
    while (parts_.read(records_.lines(), form, unlimited_edges, table_.ends, weights_)) {
    }
  }

  void add_line(const std::vector<std::string>& fields) {
    const table_columns& columns = table_.columns;
    const std::string& source = fields[columns.source];
    const std::string& target = fields[columns.target];
    if (source.empty() || target.empty()) records_.fail("the name of a vertex is missing");
    if (columns.reverse_weight) {
      if (!is_absent(fields[*columns.weight])) add_edge(source, target, fields[*columns.weight]);
      if (!is_absent(fields[*columns.reverse_weight])) add_edge(target, source, fields[*columns.reverse_weight]);
      return;
    }
    const std::string weight = columns.weight ? fields[*columns.weight] : "";
    if (columns.weight && !options_.ignore_weights && weight.empty()) records_.fail("the weight is missing");
    edge_direction direction = edge_direction::forward;
    if (columns.direction && !options_.undirected) {
      const std::string& field = fields[*columns.direction];
      const auto stated = direction_in(field, columns);
      if (!stated) {
        records_.fail(fmt::format(
            "{} does not say whether the edge leads in one direction or in both; --directed or --undirected does",
            in_quotes(field)));
      }
      direction = *stated;
    }
    if (direction != edge_direction::backward) add_edge(source, target, weight);
    const bool is_loop = source == target;
    if (direction == edge_direction::backward || (direction == edge_direction::both && !is_loop))
      add_edge(target, source, weight);
  }

  void add_edge(const std::string& source, const std::string& target, const std::string& weight) {
    table_.ends.push_back(end_of(source));
    table_.ends.push_back(end_of(target));
    if (has_weights()) weights_.add(weight, records_.lines());
  }

  std::uint64_t end_of(const std::string& text) {
    if (texts_ == vertex_texts::names) return names_.number(text);
    const std::optional<std::uint64_t> id = id_of(text);
    if (!id) has_unexpected_name_ = true;
    return id.value_or(0);
  }

  record_reader records_;
  const read_options& options_;
  vertex_texts texts_;
  weight_column& weights_;
  number_lines parts_;
  bool has_unexpected_name_ = false;
  name_table names_;
  edge_table table_;
};

}  // namespace

csr_graph read_csv(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  const weight_column no_weights(options.absolute_weights, options.weight_type);
  weight_column weights = no_weights;
  std::optional<table_reader> reader(std::in_place, file, options, vertex_texts::ids, weights);
  std::optional<edge_table> of_ids = reader->read();
  const bool has_names = !of_ids;
  if (has_names) {
    weights = no_weights;
    reader.emplace(file, options, vertex_texts::names, weights);
  }
  edge_table table = has_names ? reader->read().value() : *std::move(of_ids);
  const table_columns& columns = table.columns;
  remarks.lacks_weights = !columns.weight;
  remarks.lacks_direction = !columns.direction && !columns.reverse_weight && !columns.lines_are_edges;
  if (!columns.notes.empty()) remarks.notes.push_back(columns.notes);
  edge_list edges;
  file_ids ids;
  if (!has_names) {
    ids = number_ids(table.ends, edges, reader->lines());
  } else {
    for (std::size_t i = 0; i < table.ends.size(); i += 2) {
      edges.sources.push_back(static_cast<vertex_id>(table.ends[i]));
      edges.targets.push_back(static_cast<vertex_id>(table.ends[i + 1]));
    }
    ids = file_ids::named(std::move(table.names));
  }
  if (columns.weight && !options.ignore_weights) {
    weights.finish(edges, reader->lines());
    remarks.rounds_weights = weights.rounds();
  } else {
    fill_seeded_weights(edges, options.weight_seed);
  }
  const std::size_t count = ids.count();
  return remarks.build(count, edges, {.symmetric = options.undirected.value_or(false)})
      .with_ids(std::move(ids))
      .with_negated_weights(weights.negated());
}

bool starts_with_header(const std::filesystem::path& file) {
  text_reader reader(file);
  for (std::string_view line; reader.next_line(line);) {
    std::string_view rest = line;
    const std::string_view first = next_token(rest);
    if (first.empty()) continue;
    if (first.front() == '#' || first.front() == '%') return false;
    return line.find_first_of(",;\t") != std::string_view::npos && (first.front() < '0' || first.front() > '9');
  }
  return false;
}

}  // namespace mlmq::graph
