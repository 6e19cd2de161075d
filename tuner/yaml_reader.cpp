// SPDX-License-Identifier: Apache-2.0
#include "tuner/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

/// Records the first line of each document and the first alias that refers to one of its own ancestors, which would not
/// end. Lines count from 0.
class document_notes : public YAML::EventHandler {
 public:
  std::vector<int> starts;
  std::optional<int> endless_alias;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override { at_start_ = true; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { note(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    note(mark);
    if (!endless_alias && std::find(open_.begin(), open_.end(), anchor) != open_.end()) endless_alias = mark.line;
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    note(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    note(mark);
    open_.push_back(anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    note(mark);
    open_.push_back(anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  void note(const YAML::Mark& mark) {
    if (at_start_) starts.push_back(mark.line);
    at_start_ = false;
  }

  bool at_start_ = false;
  std::vector<YAML::anchor_t> open_;  ///< anchors of the enclosing lists and maps; 0: no anchor
};

/// Reads the notes of the first two documents. YAML::LoadAll() does not terminate for some texts.
document_notes read_notes(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  document_notes notes;
  if (parser.HandleNextDocument(notes)) parser.HandleNextDocument(notes);
  return notes;
}

}  // namespace

yaml_value::yaml_value(YAML::Node node, std::string key, source_place place)
    : node_(std::move(node)), key_(std::move(key)), place_(std::move(place)) {}

void yaml_value::fail(const std::string& message) const {
  throw input_error(place_.prefix() + (key_.empty() ? "" : "'" + key_ + "': ") + message);
}

std::string yaml_value::describe() const {
  if (node_.IsMap()) return "a map";
  if (node_.IsSequence()) return "a list";
  return node_.IsScalar() ? "'" + node_.Scalar() + "'" : "nothing";
}

source_place yaml_value::place_of(const YAML::Node& node) const {
  const int line = node.Mark().line;
  return {place_.file, line >= 0 ? line + 1 : place_.line};
}

std::string yaml_value::text() const {
  // A plain scalar has the tag "?", a quoted one "!".
  const std::string& tag = node_.Tag();
  if (!tag.empty() && tag != "?" && tag != "!") {
    fail("YAML reads '" + tag + "' as a tag; put the text in quotes");
  }
  if (!node_.IsScalar()) fail("expected a text, got " + describe());
  if (node_.Scalar().empty()) fail("expected a text, got an empty string");
  return node_.Scalar();
}

std::optional<value> yaml_value::unquoted(value_type type) const {
  return node_.IsScalar() && !is_quoted() ? parse_value(text(), type) : std::nullopt;
}

void yaml_value::fail_for_type(const std::string& expected) const {
  fail("expected " + expected + ", got " +
       (is_quoted() ? "the text " + describe() + "; remove the quotes" : describe()));
}

bool yaml_value::boolean() const {
  const std::optional<value> parsed = unquoted(value_type::boolean);
  if (!parsed) fail_for_type("true or false");
  return std::get<bool>(*parsed);
}

std::uint64_t yaml_value::whole_number(std::uint64_t least, std::uint64_t most) const {
  const std::optional<value> parsed = unquoted(value_type::integer);
  const std::int64_t number = parsed ? std::get<std::int64_t>(*parsed) : -1;
  if (number < 0 || static_cast<std::uint64_t>(number) < least || static_cast<std::uint64_t>(number) > most) {
    std::string expected = "a whole number from " + std::to_string(least);
    if (most < static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      expected += " to " + std::to_string(most);
    }
    fail_for_type(expected);
  }
  return static_cast<std::uint64_t>(number);
}

double yaml_value::number() const {
  const std::optional<value> parsed = unquoted(value_type::real);
  if (!parsed) fail_for_type("a number");
  return std::get<double>(*parsed);
}

double yaml_value::positive_number() const {
  const std::optional<value> parsed = unquoted(value_type::real);
  if (!parsed || std::get<double>(*parsed) <= 0) fail_for_type("a number above 0");
  return std::get<double>(*parsed);
}

value yaml_value::scalar() const {
  if (!node_.IsScalar()) fail("expected a boolean, a number or a text, got " + describe());
  const std::string content = text();
  if (is_quoted()) return content;
  try {
    return plain_value(content);
  } catch (const input_error& error) {
    fail(error.what());
  }
}

std::vector<yaml_value> yaml_value::items() const {
  if (!node_.IsSequence()) fail("expected a list, got " + describe());
  std::vector<yaml_value> result;
  for (const YAML::Node& item : node_) result.emplace_back(item, key_, place_of(item));
  return result;
}

std::vector<yaml_value> yaml_value::entries() const {
  if (!node_.IsMap()) fail("expected a map, got " + describe());
  std::vector<yaml_value> result;
  for (const auto& entry : node_) {
    const source_place place = place_of(entry.first);
    if (!entry.first.IsScalar()) throw input_error(place.prefix() + "a key must be a word, not a list or a map");
    const std::string& key = entry.first.Scalar();
    // yaml-cpp keeps both entries and finds only the first.
    for (const yaml_value& earlier : result) {
      if (earlier.key() == key) {
        throw input_error(place.prefix() + "key '" + key + "' is given twice, first on line " +
                          std::to_string(earlier.place().line));
      }
    }
    result.emplace_back(entry.second, key, place);
  }
  return result;
}

yaml_map yaml_value::map(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string> known_keys(keys.begin(), keys.end());
  std::vector<yaml_value> values = entries();
  for (const yaml_value& entry : values) {
    if (std::find(known_keys.begin(), known_keys.end(), entry.key()) == known_keys.end()) {
      throw input_error(entry.place().prefix() + "unknown key '" + entry.key() + "'" +
                        did_you_mean(entry.key(), known_keys));
    }
  }
  return {place_, std::move(values)};
}

const yaml_value* yaml_map::find(std::string_view key) const {
  const auto match =
      std::find_if(entries_.begin(), entries_.end(), [&](const yaml_value& entry) { return entry.key() == key; });
  return match == entries_.end() ? nullptr : &*match;
}

const yaml_value& yaml_map::at(std::string_view key) const {
  if (const yaml_value* match = find(key)) return *match;
  throw input_error(place_.prefix() + "missing key '" + std::string(key) + "'");
}

yaml_value parse_yaml(const std::string& text, const std::string& file) {
  YAML::Node document;
  document_notes notes;
  try {
    document = YAML::Load(text);
    notes = read_notes(text);
  } catch (const YAML::Exception& error) {
    const source_place place{file, error.mark.is_null() ? 0 : error.mark.line + 1};
    throw input_error(place.prefix() + "invalid YAML: " + error.msg);
  }
  if (!document || document.IsNull()) throw input_error(source_place{file, 0}.prefix() + "the file is empty");
  if (notes.starts.size() > 1) {
    throw input_error(source_place{file, notes.starts[1] + 1}.prefix() +
                      "a second document starts here; expected only one");
  }
  if (notes.endless_alias) {
    throw input_error(source_place{file, *notes.endless_alias + 1}.prefix() +
                      "an alias refers to a node that contains it");
  }
  return {document, "", {file, 0}};
}

}  // namespace mlmq::tuner
