// SPDX-License-Identifier: Apache-2.0
#include "graph/table_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"

namespace mlmq::graph {
namespace {

using words = std::span<const std::string_view>;

// Names of columns as plain_name() returns them.
constexpr auto source_words = std::to_array<std::string_view>(
    {"source", "from", "src", "start", "origin", "tail", "u", "node1", "node_1", "source_id", "from_id", "start_id",
     "source_node", "from_node", "start_node", "init_node", "from_node_id", "fromnodeid"});
constexpr auto target_words = std::to_array<std::string_view>(
    {"target", "to", "dst", "dest", "destination", "end", "head", "v", "node2", "node_2", "target_id", "to_id",
     "end_id", "target_node", "to_node", "end_node", "term_node", "to_node_id", "tonodeid"});
/// Quantities that can be a weight. If a table has several, the first of this list is taken.
constexpr auto weight_words =
    std::to_array<std::string_view>({"weight",         "weights",       "wgt",        "wt",          "w",
                                     "edge_weight",    "cost",          "costs",      "edge_cost",   "travel_cost",
                                     "impedance",      "length",        "len",        "edge_length", "shape_length",
                                     "shape_leng",     "shape__length", "distance",   "dist",        "km",
                                     "kilometers",     "kilometres",    "meters",     "metres",      "miles",
                                     "time",           "travel_time",   "traveltime", "drive_time",  "walk_time",
                                     "free_flow_time", "duration",      "seconds",    "secs",        "sec",
                                     "minutes",        "mins",          "hours",      "value"});
constexpr auto units = std::to_array<std::string_view>(
    {"s",      "sec", "secs",       "second",     "seconds", "min",  "mins",  "minute", "minutes",
     "h",      "hr",  "hour",       "hours",      "ms",      "m",    "meter", "meters", "metre",
     "metres", "km",  "kilometers", "kilometres", "mi",      "mile", "miles", "ft",     "feet"});
constexpr auto one_way_words = std::to_array<std::string_view>({"oneway", "one_way", "directed", "is_directed"});
constexpr auto two_way_words =
    std::to_array<std::string_view>({"undirected", "is_undirected", "bidirectional", "twoway", "two_way"});
/// Columns that tell directions in some tables, and something else in others: the first value shows which.
constexpr auto uncertain_direction_words = std::to_array<std::string_view>({"type", "direction", "dir"});

bool contains(words list, std::string_view word) { return std::ranges::find(list, word) != list.end(); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

/// Returns a name in lower case with underscores, without a unit or type behind it: "Length (m)", "cost:float".
std::string plain_name(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);  // Neo4j: ":START_ID(Place)"
  std::string plain = lower(name.substr(0, name.find_first_of(":([")));
  std::ranges::replace_if(
      plain, [](char c) { return c == ' ' || c == '-' || c == '.'; }, '_');
  while (plain.ends_with('_')) plain.pop_back();
  return plain;
}

/// Returns whether the column numbers the rows, as pandas and R write it.
bool is_index(std::string_view name) {
  return name.empty() || lower(name).starts_with("unnamed: ") || lower(name) == "index";
}

/// Chooses columns of a header.
class column_choice {
 public:
  column_choice(const table_header& header, const std::vector<std::string>& first_edge, const read_options& options,
                const text_reader& reader)
      : header_(header), first_edge_(first_edge), options_(options), reader_(reader) {
    for (const std::string& name : header.names) plain_.push_back(plain_name(name));
  }

  table_columns choose() {
    const named_columns& named = options_.columns;
    columns_.source = end_column(named.source, "--source-column", source_words, 0);
    columns_.target = end_column(named.target, "--target-column", target_words, 1);
    if (!options_.ignore_weights || !named.weight.empty()) choose_weight();
    choose_direction();
    std::vector<std::size_t> used = {columns_.source, columns_.target};
    for (const auto& column : {columns_.weight, columns_.reverse_weight, columns_.direction}) {
      if (column) used.push_back(*column);
    }
    std::vector<std::size_t> different = used;
    std::ranges::sort(different);
    if (const auto twice = std::ranges::adjacent_find(different); twice != different.end())
      fail(fmt::format("{} is named for two purposes", header_.text_of(*twice)));
    describe(used);
    return columns_;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { reader_.fail_at(header_.line, message); }

  /// Returns the column that the caller names. @throws input_error if there is none
  [[nodiscard]] std::size_t named_column(const std::string& name, const char* option) const {
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      if (header_.names[i] == name) return i;
    }
    for (std::size_t i = 0; i < header_.names.size(); ++i) {
      if (lower(header_.names[i]) == lower(name)) return i;
    }
    const auto number = parse_count(name);
    if (header_.names.empty()) {
      if (number && *number >= 1 && *number <= header_.count) return *number - 1;
      fail(fmt::format("{} {}: the table has no header; expected the number of a column, 1 to {}", option, name,
                       header_.count));
    }
    fail(fmt::format("{} {}: there is no such column{}; the columns are {}", option, name,
                     did_you_mean(name, header_.names), quoted_names(all_columns())));
  }

  [[nodiscard]] std::size_t end_column(const std::string& name, const char* option, words names,
                                       std::size_t without_header) const {
    if (!name.empty()) return named_column(name, option);
    if (header_.names.empty()) return without_header;
    std::optional<std::size_t> match;
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      if (!contains(names, plain_[i])) continue;
      if (match) {
        fail(fmt::format("columns {} and {} have the same meaning (columns {} and {}); choose one with {}",
                         header_.text_of(*match), header_.text_of(i), *match + 1, i + 1, option));
      }
      match = i;
    }
    if (!match) fail(fmt::format("no column is known to have the ends of edges; name it with {}", option));
    return *match;
  }

  /// Returns the position in weight_words, twice; odd if the name has a unit: "length_m".
  [[nodiscard]] static std::optional<std::size_t> weight_rank(std::string_view plain) {
    if (const auto match = std::ranges::find(weight_words, plain); match != weight_words.end())
      return 2 * static_cast<std::size_t>(match - weight_words.begin());
    const std::size_t blank = plain.rfind('_');
    if (blank == std::string_view::npos || !contains(units, plain.substr(blank + 1))) return std::nullopt;
    const auto match = std::ranges::find(weight_words, plain.substr(0, blank));
    if (match == weight_words.end()) return std::nullopt;
    return 2 * static_cast<std::size_t>(match - weight_words.begin()) + 1;
  }

  void choose_weight() {
    if (const std::string& name = options_.columns.weight; !name.empty()) {
      columns_.weight = named_column(name, "--weight-column");
    } else if (header_.names.empty()) {
      if (header_.count == 3) columns_.weight = 2;
    } else {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < plain_.size(); ++i) {
        const auto rank = weight_rank(plain_[i]);
        if (!rank || i == columns_.source || i == columns_.target) continue;
        if (best && *rank == *best) {
          fail(fmt::format(
              "columns {} and {} have the same meaning (columns {} and {}); choose one with --weight-column",
              header_.text_of(*columns_.weight), header_.text_of(i), *columns_.weight + 1, i + 1));
        }
        weights_.push_back(i);
        if (best && *rank > *best) continue;
        best = rank;
        columns_.weight = i;
      }
    }
    if (!columns_.weight || header_.names.empty()) return;
    const std::string& weight = plain_[*columns_.weight];
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      const bool is_reverse = plain_[i] == "reverse_" + weight || plain_[i] == "rev_" + weight ||
                              plain_[i] == "backward_" + weight || plain_[i] == weight + "_reverse" ||
                              plain_[i] == weight + "_backward";
      if (is_reverse) columns_.reverse_weight = i;
    }
  }

  void choose_direction() {
    if (const std::string& name = options_.columns.direction; !name.empty()) {
      if (options_.undirected) fail("a column for the direction and one direction for all edges exclude each other");
      set_direction(named_column(name, "--direction-column"));
      columns_.reverse_weight.reset();
      return;
    }
    if (columns_.reverse_weight || options_.undirected) return;
    // osmnx and NetworkX write each direction of a two-way street as a line of its own, with the key of the edge.
    const bool is_multigraph = contains_name("key") || contains_name("reversed");
    if (is_multigraph && plain_[columns_.source] != "from") {
      columns_.lines_are_edges = contains_name("oneway");
      return;
    }
    for (const words list : {words(one_way_words), words(two_way_words), words(uncertain_direction_words)}) {
      for (const std::string_view word : list) {
        const auto match = std::ranges::find(plain_, word);
        if (match == plain_.end()) continue;
        const auto column = static_cast<std::size_t>(match - plain_.begin());
        if (column == columns_.source || column == columns_.target || column == columns_.weight) continue;
        const std::optional<std::size_t> before = columns_.direction;
        set_direction(column);
        if (!contains(uncertain_direction_words, word) || direction_in(first_edge_[column], columns_)) return;
        columns_.direction = before;
      }
    }
  }

  void set_direction(std::size_t column) {
    columns_.direction = column;
    columns_.true_is_both = !plain_.empty() && contains(two_way_words, plain_[column]);
    // OpenStreetMap: a street without the tag leads in both directions.
    columns_.empty_is_both = !plain_.empty() && (plain_[column] == "oneway" || plain_[column] == "one_way");
  }

  [[nodiscard]] bool contains_name(std::string_view plain) const {
    return std::ranges::find(plain_, plain) != plain_.end();
  }

  [[nodiscard]] std::vector<std::size_t> all_columns() const {
    std::vector<std::size_t> columns(header_.names.size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
    return columns;
  }

  /// Returns the names in quotes, at most some of them.
  [[nodiscard]] std::string quoted_names(const std::vector<std::size_t>& columns) const {
    constexpr std::size_t most_named = 12;
    std::vector<std::string> texts;
    for (const std::size_t i : columns) {
      if (texts.size() == most_named) {
        texts.push_back(fmt::format("and {} more", columns.size() - most_named));
        break;
      }
      texts.push_back(header_.text_of(i));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void describe(const std::vector<std::size_t>& used) {
    std::vector<std::size_t> unused;
    std::vector<std::size_t> other_weights;
    for (const std::size_t i : all_columns()) {
      if (std::ranges::find(used, i) != used.end() || is_index(header_.names[i])) continue;
      const bool is_weight = std::ranges::find(weights_, i) != weights_.end();
      (is_weight ? other_weights : unused).push_back(i);
    }
    const bool has_weight_option = !options_.columns.weight.empty();
    if (!columns_.weight) {
      if (unused.empty() || options_.ignore_weights) return describe_direction();
      fail(fmt::format(
          "no column is known to have the weight; the others are {}. Name it with --weight-column (weight_column in "
          "Python and experiment files), or have weights drawn with --ignore-weights",
          quoted_names(unused)));
    }
    if (!has_weight_option) {
      add(fmt::format("the weight is {}", header_.text_of(*columns_.weight)));
      if (columns_.reverse_weight) {
        columns_.notes += fmt::format(", against the direction {}; a negative or missing number means no edge",
                                      header_.text_of(*columns_.reverse_weight));
      }
      if (!other_weights.empty())
        add(fmt::format("other possible weights: {}, to choose with --weight-column", quoted_names(other_weights)));
      if (!unused.empty()) add(fmt::format("not used: {}", quoted_names(unused)));
    }
    describe_direction();
  }

  void describe_direction() {
    if (columns_.lines_are_edges) add("each line is one directed edge, whatever 'oneway' says, as osmnx writes them");
    if (columns_.direction && options_.columns.direction.empty())
      add(fmt::format("{} tells whether an edge leads in both directions", header_.text_of(*columns_.direction)));
  }

  void add(const std::string& note) { columns_.notes += (columns_.notes.empty() ? "" : "; ") + note; }

  const table_header& header_;
  const std::vector<std::string>& first_edge_;
  const read_options& options_;
  const text_reader& reader_;
  std::vector<std::string> plain_;    // names for comparisons
  std::vector<std::size_t> weights_;  // columns that may be weights
  table_columns columns_;
};

}  // namespace

std::string table_header::text_of(std::size_t column) const {
  return names.empty() ? fmt::format("column {}", column + 1) : in_quotes(names[column]);
}

bool names_edges(const std::vector<std::string>& fields) {
  const auto has = [&](words list) {
    return std::ranges::any_of(fields, [&](const std::string& name) { return contains(list, plain_name(name)); });
  };
  return has(source_words) && has(target_words);
}

table_columns choose_columns(const table_header& header, const std::vector<std::string>& first_edge,
                             const read_options& options, const text_reader& reader) {
  return column_choice(header, first_edge, options, reader).choose();
}

std::optional<edge_direction> direction_in(std::string_view field, const table_columns& columns) {
  constexpr auto truths = std::to_array<std::string_view>({"yes", "true", "1", "1.0", "t", "y"});
  constexpr auto falsehoods = std::to_array<std::string_view>({"no", "false", "0", "0.0", "f", "n"});
  constexpr auto one_way = std::to_array<std::string_view>({"directed", "forward", "one-way", "oneway", "ft"});
  constexpr auto reversed = std::to_array<std::string_view>({"-1", "-1.0", "reverse", "reversed", "backward", "tf"});
  constexpr auto both_ways = std::to_array<std::string_view>(
      {"undirected", "both", "mutual", "two-way", "twoway", "bidirectional", "reversible", "unknown", "b", "2", "2.0"});
  const std::string value = lower(field);
  const bool is_true = contains(truths, value);
  if (is_true || contains(falsehoods, value))
    return is_true == columns.true_is_both ? edge_direction::both : edge_direction::forward;
  if (contains(one_way, value)) return edge_direction::forward;
  if (contains(reversed, value)) return edge_direction::backward;
  if (contains(both_ways, value) || (value.empty() && columns.empty_is_both)) return edge_direction::both;
  return std::nullopt;
}

}  // namespace mlmq::graph
