// SPDX-License-Identifier: Apache-2.0
// Registries of entries by name: problems, checks, peers and backends. Each folder registers its own entries with
// objects of static storage, so that no list names them all.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace mlmq {

/// Registers entries for its lifetime.
///
/// @tparam Entry has key(), a unique name;
///   precedes(), the order of the entries;
///   and `duplicate`, the message about two of one name, such as "two problems are named"
template <class Entry>
class registration {
 public:
  /// @param registered_in  source file of the caller, for messages
  registration(std::initializer_list<Entry> entries, const char* registered_in = __builtin_FILE()) {
    for (const Entry& entry : entries) add(entry, registered_in);
  }
  explicit registration(Entry entry, const char* registered_in = __builtin_FILE()) {
    add(std::move(entry), registered_in);
  }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  ~registration() {
    registry& state = global();
    if (is_refused_) state.conflict.clear();
    for (const std::string& name : added_) {
      const auto place = std::ranges::find_if(state.entries, [&](const Entry& e) { return e.key() == name; });
      state.files.erase(state.files.begin() + (place - state.entries.begin()));
      state.entries.erase(place);
    }
  }

  /// Returns all registered entries in their order. @throws work_error if two have the same name, naming both files
  [[nodiscard]] static const std::vector<Entry>& entries() {
    if (!global().conflict.empty()) throw work_error(global().conflict);
    return global().entries;
  }
  /// Returns the entry of a name, or null. @throws work_error like entries()
  [[nodiscard]] static const Entry* find(std::string_view name) {
    const auto place = std::ranges::find_if(entries(), [&](const Entry& entry) { return entry.key() == name; });
    return place == entries().end() ? nullptr : &*place;
  }

 private:
  struct registry {
    std::vector<Entry> entries;
    std::vector<std::string> files;  // one per entry
    std::string conflict;            // reported on first use, because an exception before main() cannot be caught
  };

  static registry& global() {
    static registry instance;
    return instance;
  }

  void add(Entry entry, const char* registered_in) {
    auto& [existing, files, conflict] = global();
    for (std::size_t i = 0; i < existing.size(); ++i) {
      if (existing[i].key() != entry.key()) continue;
      conflict = std::string(Entry::duplicate) + " '" + entry.key() + "': " + files[i] + " and " + registered_in;
      is_refused_ = true;
      return;
    }
    const auto place = std::ranges::find_if(existing, [&](const Entry& other) { return entry.precedes(other); });
    added_.push_back(entry.key());
    files.insert(files.begin() + (place - existing.begin()), registered_in);
    existing.insert(place, std::move(entry));
  }

  std::vector<std::string> added_;
  bool is_refused_ = false;  ///< whether an entry had the name of another
};

}  // namespace mlmq
