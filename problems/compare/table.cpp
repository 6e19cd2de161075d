// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::compare {
namespace {

using db::cell;
using db::cell_kind;

cell optional_number(const std::optional<double>& number) { return number ? db::number_cell(*number) : cell{}; }

/// Our times for one workload and query.
struct reference_times {
  std::optional<double> selected;
  std::optional<double> best;
};

using input_key = std::tuple<std::string, std::string, bool>;  // workload, query, modelled

input_key key_of(const contestant_result& result) { return {result.workload, result.query, result.modelled}; }

/// If several devices have configurations of ours, the others are compared with the first.
std::map<input_key, reference_times> references_of(const std::vector<contestant_result>& results) {
  std::map<input_key, reference_times> references;
  for (const contestant_result& result : results) {
    if (!result.median_ms) continue;
    reference_times& times = references[key_of(result)];
    if (result.is_selected && !times.selected) times.selected = result.median_ms;
    if (result.is_best && !times.best) times.best = result.median_ms;
  }
  return references;
}

std::optional<double> ratio(const std::optional<double>& time, const std::optional<double>& ours) {
  if (!time || !ours || !(*ours > 0) || !(*time > 0)) return std::nullopt;
  return *time / *ours;
}

/// Accumulates logarithms.
struct geometric_mean {
  double logarithms = 0;
  std::size_t count = 0;

  void add(const std::optional<double>& number) {
    if (!number) return;
    logarithms += std::log(*number);
    ++count;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count == 0) return std::nullopt;
    return std::exp(logarithms / static_cast<double>(count));
  }
};

struct class_means {
  std::size_t workloads = 0;
  std::size_t solved = 0;
  geometric_mean to_selected;
  geometric_mean to_best;
};

std::string outcome_text(const contestant_result& result) {
  return std::string(db::to_string(result.outcome)) + (result.modelled && result.median_ms ? ", modelled" : "");
}

std::string three_digits(const std::string& number) {
  const double value = std::strtod(number.c_str(), nullptr);
  if (value == 0 || (value >= 100 && value < 1e6)) return fmt::format("{:.0f}", value);
  if (value >= 10 && value < 100) return fmt::format("{:.1f}", value);
  if (value >= 1 && value < 10) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

/// Rounds reals to three significant digits, for readers.
db::table rounded(db::table rows) {
  for (auto& row : rows.rows) {
    for (cell& entry : row) {
      if (entry.kind == cell_kind::real) entry.text = three_digits(entry.text);
    }
  }
  return rows;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return escaped;
}

std::string render_markdown(const db::table& rows) {
  std::string text = "|";
  std::string rule = "|";
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    const bool numbers = !rows.rows.empty() && std::all_of(rows.rows.begin(), rows.rows.end(), [i](const auto& row) {
      return row[i].kind != cell_kind::text;
    });
    text += fmt::format(" {} |", markdown_text(rows.columns[i]));
    rule += numbers ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows.rows) {
    text += "|";
    for (const cell& entry : row) text += fmt::format(" {} |", markdown_text(entry.text));
    text += "\n";
  }
  return text;
}

}  // namespace

void name_ours(std::span<contestant_result> rows, bool selector_chose) {
  contestant_result* const selected = selector_chose && !rows.empty() ? &rows.front() : nullptr;
  contestant_result* best = nullptr;
  for (contestant_result& row : rows) {
    if (row.contestant != our_name) continue;
    row.contestant = "mlmq best";
    best = &row;
  }
  if (best != nullptr) best->is_best = true;
  if (selected == nullptr) return;
  selected->is_selected = true;
  if (selected == best) {
    selected->contestant = "mlmq selected = best";
  } else if (selected->contestant == "mlmq best") {
    selected->contestant = "mlmq selected";
  } else {
    selected->contestant = "mlmq selected: " + selected->contestant;
    selected->sets = 1;
  }
}

db::table make_table(const std::vector<contestant_result>& results, const std::string& work_name) {
  db::table rows;
  rows.columns = {"workload", "class", "device",  "contestant", "outcome", "ms",
                  "spread",   "runs",  work_name, "/ selected", "/ best",  "configuration"};
  const auto references = references_of(results);
  using class_key = std::tuple<std::string, std::string, bool, std::string>;
  std::map<class_key, class_means> means;
  std::vector<class_key> order;
  for (const contestant_result& result : results) {
    const auto match = references.find(key_of(result));
    const reference_times ours = match == references.end() ? reference_times{} : match->second;
    const auto to_selected = ratio(result.median_ms, ours.selected);
    const auto to_best = ratio(result.median_ms, ours.best);
    rows.rows.push_back(
        {db::text_cell(result.workload), db::text_cell(result.workload_class), db::text_cell(result.device),
         db::text_cell(result.contestant), db::text_cell(outcome_text(result)), optional_number(result.median_ms),
         optional_number(result.spread), db::count_cell(result.samples), optional_number(result.work),
         optional_number(to_selected), optional_number(to_best),
         db::text_cell(result.configuration + (result.sets > 1 ? fmt::format(" (best of {})", result.sets) : ""))});
    // A configuration that is both selected and best counts for both.
    const auto add = [&](const std::string& contestant) {
      const class_key key{result.workload_class, result.device, result.modelled, contestant};
      const auto [entry, is_new] = means.try_emplace(key);
      if (is_new) order.push_back(key);
      ++entry->second.workloads;
      if (result.median_ms) ++entry->second.solved;
      entry->second.to_selected.add(to_selected);
      entry->second.to_best.add(to_best);
    };
    if (result.is_selected) add("mlmq selected");
    if (result.is_best) add("mlmq best");
    if (!result.is_selected && !result.is_best) add(result.contestant);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const class_key& a, const class_key& b) { return std::get<0>(a) < std::get<0>(b); });
  for (const class_key& key : order) {
    const auto& [workload_class, device, modelled, contestant] = key;
    const class_means& mean = means.at(key);
    rows.rows.push_back(
        {db::text_cell("geometric mean"), db::text_cell(workload_class), db::text_cell(device),
         db::text_cell(contestant),
         db::text_cell(fmt::format("{} of {}{}", mean.solved, mean.workloads, modelled ? ", modelled" : "")), cell{},
         cell{}, cell{}, cell{}, optional_number(mean.to_selected.value()), optional_number(mean.to_best.value()),
         db::text_cell("")});
  }
  return rows;
}

comparison_format comparison_format_from(std::string_view name) {
  if (name == "table") return comparison_format::aligned;
  if (name == "markdown") return comparison_format::markdown;
  if (name == "csv") return comparison_format::csv;
  if (name == "json") return comparison_format::json;
  const std::vector<std::string> names{"table", "markdown", "csv", "json"};
  throw input_error(
      fmt::format("unknown format '{}'{} (known: table, markdown, csv, json)", name, did_you_mean(name, names)));
}

std::string render(const db::table& rows, comparison_format format) {
  switch (format) {
    case comparison_format::markdown:
      return render_markdown(rounded(rows));
    case comparison_format::csv:
      return db::render(rows, db::table_format::csv);
    case comparison_format::json:
      return db::render(rows, db::table_format::json);
    case comparison_format::aligned:
      break;
  }
  return db::render(rounded(rows), db::table_format::aligned);
}

std::vector<std::string> table_notes(const std::vector<contestant_result>& results) {
  std::vector<std::string> notes;
  bool any_modelled = false;
  for (const contestant_result& result : results) {
    any_modelled = any_modelled || result.modelled;
    if (result.outcome == db::outcome::ok && result.preparation_ms) {
      notes.push_back(fmt::format("{} on {}, {}: its times leave out a preparation of {:.0f} ms", result.contestant,
                                  result.workload, result.device, *result.preparation_ms));
    }
    if (result.outcome == db::outcome::ok) continue;
    notes.push_back(fmt::format("{} on {}, {}: {}: {}", result.contestant, result.workload, result.device,
                                db::to_string(result.outcome), result.message));
  }
  notes.emplace_back(
      "ms: median of the runs; spread: interquartile range / median; / selected, / best: time divided by that of our "
      "selected and our best configuration; above 1, ours is faster");
  if (any_modelled)
    notes.emplace_back("modelled times come from the simulator and are not compared with measured ones");
  return notes;
}

}  // namespace mlmq::compare
