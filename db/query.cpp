// SPDX-License-Identifier: Apache-2.0
#include "db/query.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"

namespace mlmq::db {
namespace {

struct finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using raw_statement = std::unique_ptr<sqlite3_stmt, finalize>;

/// SQLite calls this authorizer for every action while it compiles a statement. sqlite3_stmt_readonly alone would allow
/// ATTACH, transactions and settings of the connection.
int allow_reading(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: {
      constexpr std::array<std::string_view, 6> harmless{"table_info", "table_xinfo",      "table_list",
                                                         "index_list", "foreign_key_list", "index_info"};
      const std::string_view name = first == nullptr ? "" : first;
      return std::find(harmless.begin(), harmless.end(), name) != harmless.end() ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

class reading_only {
 public:
  explicit reading_only(sqlite3* database) : database_(database) {
    sqlite3_set_authorizer(database_, allow_reading, nullptr);
  }
  ~reading_only() { sqlite3_set_authorizer(database_, nullptr, nullptr); }
  reading_only(const reading_only&) = delete;
  reading_only& operator=(const reading_only&) = delete;

 private:
  sqlite3* database_;
};

std::string suggest_table(SQLite::Database& database, const std::string& message) {
  constexpr std::string_view start = "no such table: ";
  if (!message.starts_with(start)) return "";
  std::vector<std::string> names;
  SQLite::Statement row(database,
                        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type DESC, name");
  while (row.executeStep()) names.push_back(row.getColumn(0).getString());
  const std::string suggestion = did_you_mean(message.substr(start.size()), names);
  return suggestion.empty() ? fmt::format(" (known: {})", fmt::join(names, ", ")) : suggestion;
}

/// Compiles the first statement in `sql`. @param rest set to the text after it
raw_statement compile(sqlite3* database, const char* sql, const char*& rest) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql, -1, &statement, &rest);
  if (code != SQLITE_OK) throw SQLite::Exception(database, code);
  return raw_statement(statement);
}

void require_one_select(SQLite::Database& database, const std::string& sql) {
  const char* rest = nullptr;
  const raw_statement statement = compile(database.getHandle(), sql.c_str(), rest);
  if (!statement) throw input_error("the query is empty; give one SELECT statement");
  if (sqlite3_stmt_readonly(statement.get()) == 0) {
    throw input_error("the query would change the database; only SELECT is allowed");
  }
  // Comments and blanks after the statement compile to nothing.
  while (*rest != '\0') {
    if (compile(database.getHandle(), rest, rest)) {
      throw input_error("the query has more than one statement; give them one at a time");
    }
  }
}

}  // namespace

std::vector<cell> fetch_row(const SQLite::Statement& statement) {
  const int columns = statement.getColumnCount();
  std::vector<cell> row;
  row.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    const SQLite::Column column = statement.getColumn(i);
    if (column.isNull()) {
      row.emplace_back();
    } else if (column.isInteger()) {
      row.push_back({cell_kind::integer, std::to_string(column.getInt64())});
    } else if (column.isFloat()) {
      row.push_back(number_cell(column.getDouble()));
    } else if (column.isBlob()) {
      std::string digits;
      for (const char byte : column.getString()) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      row.push_back(text_cell(std::move(digits)));
    } else {
      row.push_back(text_cell(column.getString()));
    }
  }
  return row;
}

table fetch_all(SQLite::Statement& statement) {
  table result;
  for (int i = 0; i < statement.getColumnCount(); ++i) result.columns.emplace_back(statement.getColumnName(i));
  while (statement.executeStep()) result.rows.push_back(fetch_row(statement));
  return result;
}

table run_query(const store& source, const std::string& sql) {
  connection& opened = source.access();
  SQLite::Database& database = opened.database();
  std::string refusal;
  try {
    const reading_only guard(database.getHandle());
    require_one_select(database, sql);
    SQLite::Statement statement(database, sql);
    return fetch_all(statement);
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    if (code == SQLITE_AUTH)
      throw input_error("the query would change the database or its settings; only SELECT is allowed");
    if (code != SQLITE_ERROR && code != SQLITE_MISMATCH && code != SQLITE_TOOBIG) opened.fail(error);
    refusal = error.what();
  }
  const std::string hint = opened.guarded([&] { return suggest_table(database, refusal); });
  throw input_error(fmt::format("SQLite does not accept the query: {}{}", refusal, hint));
}

table run_query(const std::filesystem::path& file, const std::string& sql, const std::string& code) {
  return run_query(store::open_record(file, code), sql);
}

}  // namespace mlmq::db
