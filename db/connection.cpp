// SPDX-License-Identifier: Apache-2.0
#include "db/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/files.hpp"
#include "base/json_reason.hpp"
#include "base/temporary_folder.hpp"
#include "db/schema.hpp"
#include "db/text_record.hpp"

namespace mlmq::db {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

void require_file(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (const auto file_type = irregular_kind(status.type()); !file_type.empty()) {
    throw input_error(fmt::format("{}: {}, not a database file", file.string(), file_type));
  }
  if (!fs::exists(status)) {
    throw input_error(
        fmt::format("{}: no such database; check the name, or create it by running a sweep", file.string()));
  }
}

void prepare_folder(const fs::path& file) {
  std::error_code error;
  if (const auto file_type = irregular_kind(fs::status(file, error).type()); !file_type.empty()) {
    throw input_error(fmt::format("{}: {}, not a database file", file.string(), file_type));
  }
  const fs::path folder = file.parent_path();
  if (folder.empty() || fs::is_directory(folder, error)) return;
  fs::create_directories(folder, error);
  if (error) {
    throw work_error(fmt::format("{}: cannot create the folder {} for the database: {}; choose another place",
                                 file.string(), folder.string(), error.message()));
  }
}

/// Returns the errno for creating a file in the folder of `file`; 0 if it is possible.
int folder_write_error(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/// A database in WAL mode needs accompanying files even for reading. If the folder is read-only and no process has the
/// database open (there is no log), SQLite may treat the file as immutable.
bool is_immutable(const fs::path& file) {
  if (folder_write_error(file) == 0) return false;
  std::error_code error;
  const auto log_size = fs::file_size(file.string() + "-wal", error);
  return error || log_size == 0;
}

std::string immutable_address(const fs::path& file) {
  std::string address = "file:";
  for (const char character : fs::absolute(file).string()) {
    if (character == '%' || character == '?' || character == '#') {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    } else {
      address += character;
    }
  }
  return address + "?immutable=1";
}

/// Returns whether the error means: out of space, over the user's quota, or over the limit on the size of a file.
bool means_full(int code, int system_error) {
  return (code & 0xff) == SQLITE_FULL ||
         ((code & 0xff) == SQLITE_IOERR && (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG));
}

[[noreturn]] void throw_translated(const fs::path& path, const SQLite::Exception& error, int system_error,
                                   std::chrono::milliseconds busy_timeout) {
  const std::string file = path.string();
  // Errors raised by SQLiteCpp itself carry no extended code.
  const int code = error.getExtendedErrorCode() > 0 ? error.getExtendedErrorCode() : error.getErrorCode();
  if (means_full(code, system_error)) {
    throw work_error(fmt::format(
        "{}: the disk is full{}; everything recorded so far is kept. Free some space and "
        "rerun the command to continue",
        file, system_error == EDQUOT || system_error == EFBIG ? " for this user (" + reason(system_error) + ")" : ""));
  }
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw input_error(fmt::format("{}: not an SQLite database; check the file name", file));
    case SQLITE_CORRUPT:
      throw input_error(
          fmt::format("{}: the database is damaged or truncated ({}); restore it from a copy, or "
                      "save what is readable with "
                      "'sqlite3 {} .recover'",
                      file, error.what(), file));
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_DBMOVED) {
        throw work_error(
            fmt::format("{}: the database was moved or deleted while in use; put it back and rerun the command", file));
      }
      throw work_error(fmt::format(
          "{}: the database cannot be written, because the file or its folder is read-only, or it was opened "
          "for reading only; change the permissions or work on a copy",
          file));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw work_error(
          fmt::format("{}: another process has kept the database locked for {:.3g} s; wait for it "
                      "to end or stop it, then rerun the command",
                      file, std::chrono::duration<double>(busy_timeout).count()));
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw work_error(
          fmt::format("{}: the database or its accompanying files cannot be opened{}; check the "
                      "permissions of the file and its folder",
                      file, system_error == 0 ? "" : ": " + reason(system_error)));
    case SQLITE_IOERR:
      throw work_error(
          fmt::format("{}: reading or writing failed{}; check the disk (a network file system does not work: "
                      "keep the database on a local disk), then rerun the command",
                      file, system_error == 0 ? fmt::format(": {}", error.what()) : ": " + reason(system_error)));
    case SQLITE_NOMEM:
      throw work_error(fmt::format("{}: out of memory while using the database", file));
    default:
      throw work_error(fmt::format("{}: SQLite reports: {}", file, error.what()));
  }
}

/// Switches to WAL mode. SQLite does not wait for other processes when it changes the journal mode, so this function
/// does.
bool use_write_ahead_log(SQLite::Database& database, std::chrono::milliseconds busy_timeout) {
  const auto give_up = std::chrono::steady_clock::now() + busy_timeout;
  for (;;) {
    try {
      return database.execAndGet("PRAGMA journal_mode = WAL").getString() == "wal";
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > give_up) throw;
      std::this_thread::sleep_for(5ms);
    }
  }
}

/// Returns a text as an SQL literal.
std::string literal(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += 2) text.insert(i, 1, '\'');
  return "'" + text + "'";
}

/// Disables triggers: this program has none, but those of a foreign database would run on every write.
void disable_triggers(SQLite::Database& database) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

/// Returns a free name in `folder` for a copy of `file`, such as "results.rescued.sqlite".
fs::path rescue_path(const fs::path& folder, const fs::path& file) {
  for (int number = 1;; ++number) {
    fs::path name = file.stem().string() + ".rescued" + (number == 1 ? "" : fmt::format("-{}", number));
    name += file.extension();
    std::error_code ignored;
    if (!fs::exists(folder / name, ignored)) return folder / name;
  }
}

}  // namespace

connection::connection(const fs::path& file, open_mode mode, std::chrono::milliseconds busy_timeout)
    : file_(file), busy_timeout_(busy_timeout) {
  // SQLite would open a temporary database for an empty name.
  if (file.empty()) throw input_error("the name of the database file is empty");
  const bool writing = mode == open_mode::read_write_create;
  const bool compressed = file.extension() == ".gz";
  const bool is_text = is_text_record(file);
  if (writing && compressed) {
    throw input_error(fmt::format("{}: a compressed database can only be read; uncompress it with 'gunzip -k {}'",
                                  file.string(), file.string()));
  }
  if (writing && is_text) {
    throw input_error(
        fmt::format("{}: a record as text can only be read; 'mlmq db compact NEW.sqlite {}' makes a database of it",
                    file.string(), file.string()));
  }
  if (writing) {
    prepare_folder(file);
  } else {
    require_file(file);
  }
  const auto milliseconds = static_cast<int>(busy_timeout.count());
  // An absolute path is the name of a file. SQLite reads "file:…" and ":memory:" as addresses.
  const std::string path = fs::absolute(file).string();
  errno = 0;
  try {
    if (writing) {
      database_.emplace(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, milliseconds);
    } else if (compressed) {
      open_compressed();
    } else if (is_text) {
      open_text();
    } else if (is_immutable(file)) {
      database_.emplace(immutable_address(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI, milliseconds);
    } else {
      database_.emplace(path, SQLite::OPEN_READONLY, milliseconds);
    }
  } catch (const SQLite::Exception& error) {
    // If SQLite may not create a file, it retries read-only, and then only reports that the file is missing.
    const int noted = errno;
    std::error_code ignored;
    const int folder_error = writing && !fs::exists(file, ignored) ? folder_write_error(file) : 0;
    throw_translated(file, error, folder_error != 0 ? folder_error : noted, busy_timeout);
  }
  if (!compressed && !is_text) note_identity();
  guarded([&] {
    SQLite::Database& database = *database_;
    disable_triggers(database);
    if (writing && sqlite3_db_readonly(database.getHandle(), "main") == 1) {
      throw work_error(
          fmt::format("{}: the database is read-only; change its permissions or work on a copy", file.string()));
    }
    database.exec("PRAGMA foreign_keys = ON");
    // One snapshot: another process may be creating the same database at this moment.
    const auto [owner, version, empty] = read([&] {
      const int file_owner = database.execAndGet("PRAGMA application_id").getInt();
      const int file_version = database.execAndGet("PRAGMA user_version").getInt();
      if (file_owner == application_id && file_version == schema_version) require_own_schema(database, file);
      return std::tuple(file_owner, file_version,
                        database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0);
    });
    const bool fresh = owner == 0 && version == 0 && empty;
    if (fresh && !writing) {
      throw input_error(fmt::format("{}: the file is empty; create a database by running a sweep", file.string()));
    }
    if (!fresh && owner != application_id) {
      throw input_error(
          fmt::format("{}: is an SQLite database of another program; choose another file name", file.string()));
    }
    if (!fresh) require_schema_version(version, file);
    if (!writing) {
      add_tables(database, table_place::session);
      note_log_identities();
      create_session_views(database, {});
      return;
    }
    // In WAL mode, NORMAL keeps every commit when the process is killed and never damages the file; only a power
    // failure can undo the last few commits. Their trials are then pending and measured again, which costs less than
    // two disk flushes per trial.
    const bool log = use_write_ahead_log(database, busy_timeout);
    database.exec(log ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
    if (fresh) create_schema(database);
    add_tables(database, table_place::file);
    note_log_identities();
    create_session_views(database, {});
  });
}

void connection::show_code(const std::string& code) {
  guarded([&] {
    std::string trials;
    shows_single_code_ = false;
    if (code == "all") {
      trials = "SELECT * FROM main.trial";
    } else if (code == "newest") {
      // An index answers this question, so that records of one program are read at once.
      auto several = prepare(*database_,
                             "SELECT 1 FROM trial GROUP BY configuration "
                             "HAVING min(kernel_source_hash) <> max(kernel_source_hash) LIMIT 1");
      shows_single_code_ = !several.executeStep();
      // Determined once, because each use of the view would read all trials.
      auto row = prepare(*database_, "SELECT device, kernel_source_hash FROM superseded_code");
      std::vector<std::string> superseded;
      while (!shows_single_code_ && row.executeStep()) {
        superseded.push_back(
            fmt::format("({}, {})", row.getColumn(0).getInt64(), literal(row.getColumn(1).getString())));
      }
      trials = "SELECT * FROM main.trial";
      if (!superseded.empty()) {
        trials += fmt::format(" WHERE state <> 'done' OR (device, kernel_source_hash) NOT IN (VALUES {})",
                              fmt::join(superseded, ", "));
      }
    } else {
      auto row =
          prepare(*database_,
                  "SELECT DISTINCT kernel_source_hash, substr(kernel_source_hash, 1, length(?1)) = ?1 FROM trial "
                  "ORDER BY 1",
                  code);
      std::vector<std::string> matches;
      std::vector<std::string> hashes;
      while (row.executeStep()) {
        hashes.push_back(row.getColumn(0).getString());
        if (row.getColumn(1).getInt() != 0) matches.push_back(hashes.back());
      }
      if (matches.size() != 1) {
        throw input_error(fmt::format("{}: {} the kernel code '{}', expected newest, all, or one of {}", file_.string(),
                                      matches.empty() ? "no trial has" : "several versions match", code,
                                      fmt::join(hashes, ", ")));
      }
      trials = "SELECT * FROM main.trial WHERE kernel_source_hash = " + literal(matches.front());
    }
    create_session_views(*database_, trials);
  });
}

connection::file_identity connection::identity_of_path(const std::string& ending) const {
  struct stat status {};
  if (::stat((file_.string() + ending).c_str(), &status) != 0) return {};
  return {.device = status.st_dev, .inode = status.st_ino};
}

void connection::note_identity() {
  identity_ = identity_of_path();
  // The path may name another file by now than the one that SQLite opened.
  int has_moved = 0;
  if (sqlite3_file_control(database_->getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) == SQLITE_OK &&
      has_moved != 0) {
    identity_ = file_identity{};
  }
}

void connection::note_log_identities() {
  for (const char* const ending : {"-wal", "-shm"}) log_identities_[ending] = identity_of_path(ending);
}

bool connection::is_in_place() const {
  return !identity_ || (identity_->inode != 0 && identity_of_path() == *identity_);
}

fs::path connection::rescue() {
  std::error_code failure;
  const fs::path file_folder = fs::absolute(file_).parent_path();
  const fs::path temporary = fs::temp_directory_path(failure);
  std::string reason_text;
  for (const fs::path& folder : {file_folder, failure ? file_folder : temporary}) {
    const fs::path copy = rescue_path(folder, file_);
    try {
      prepare(*database_, "VACUUM INTO ?1", copy.string()).exec();
      for (const auto& [ending, identity] : log_identities_) {
        if (identity_of_path(ending) == identity) fs::remove(file_.string() + ending, failure);
      }
      return copy;
    } catch (const SQLite::Exception& error) {
      reason_text = error.what();
      fs::remove(copy, failure);  // incomplete
    }
  }
  throw work_error(fmt::format(
      "{}: the database was deleted or replaced while in use, and its contents cannot be saved in {}: {}",
      file_.string(), fmt::join(std::array{file_folder.string(), temporary.string()}, " or "), reason_text));
}

void connection::on_busy(std::function<void()> hook, std::chrono::milliseconds timeout) {
  busy_hook_ = std::move(hook);
  busy_timeout_ = timeout;
  if (busy_hook_) {
    sqlite3_busy_handler(database_->getHandle(), &connection::wait_busy, this);
  } else {
    database_->setBusyTimeout(static_cast<int>(timeout.count()));
  }
}

/// SQLite's busy handler. @return 0: no more waiting
int connection::wait_busy(void* self, int waits) noexcept {
  auto& opened = *static_cast<connection*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (waits == 0) opened.busy_since_ = now;
  if (now - opened.busy_since_ > opened.busy_timeout_) return 0;
  opened.busy_hook_();
  std::this_thread::sleep_for(5ms);
  return 1;
}

void connection::open_compressed() {
  constexpr std::size_t header_bytes = 100;
  constexpr std::string_view magic("SQLite format 3\0", 16);
  byte_source source(file_);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t count = source.read(std::span(buffer).first(header_bytes));
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(buffer[i])}; };
  if (count == 0 && source.failure().empty()) {
    throw input_error(fmt::format("{}: the file is empty; create a database by running a sweep", file_.string()));
  }
  if (count == header_bytes && !std::string_view(buffer.data(), count).starts_with(magic)) {
    throw input_error(fmt::format("{}: not an SQLite database; check the file name", file_.string()));
  }
  // The header has the size, so that gzip data cannot unpack to more than a database.
  const std::uint64_t page_bytes = byte(16) * 256 + byte(17) == 1 ? 65536 : byte(16) * 256 + byte(17);
  const std::uint64_t pages = ((byte(28) * 256 + byte(29)) * 256 + byte(30)) * 256 + byte(31);
  std::uint64_t remaining = pages == 0 ? std::numeric_limits<std::uint64_t>::max() : page_bytes * pages;
  // A database in WAL mode would need a log; a file that was closed properly needs none.
  constexpr std::size_t write_version = 18;
  constexpr std::size_t read_version = 19;
  buffer[write_version] = buffer[read_version] = 1;
  const auto folder = std::make_shared<const temporary_folder>("database");
  unpacked_ = folder;
  const fs::path unpacked = folder->path() / "unpacked.sqlite";
  {
    file_writer writer(unpacked);
    for (; count > 0; count = source.read(buffer)) {
      if (count > remaining) break;
      writer.write({buffer.data(), count});
      remaining -= count;
    }
    writer.commit();
  }
  if (!source.failure().empty()) {
    throw input_error(fmt::format("{}: {}", file_.string(), source.failure()));
  }
  if (count > 0) {
    throw input_error(fmt::format("{}: the database is damaged: it is larger than its header says", file_.string()));
  }
  database_.emplace(unpacked.string(), SQLite::OPEN_READONLY);
}

void connection::open_text() {
  const auto folder = std::make_shared<const temporary_folder>("database");
  unpacked_ = folder;
  const fs::path unpacked = folder->path() / "unpacked.sqlite";
  {
    SQLite::Database created(unpacked.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    // All pages stay in memory until they are written once.
    created.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000");
    create_schema(created);
    read_text_record(file_, created);
  }
  database_.emplace(unpacked.string(), SQLite::OPEN_READONLY);
}

void connection::fail(const SQLite::Exception& error) const {
  const int noted = errno;
  int system_error = database_ ? sqlite3_system_errno(database_->getHandle()) : 0;
  // errno may be left over from a harmless call: only these values can explain a failed read or write.
  if (system_error == 0 && (noted == ENOSPC || noted == EDQUOT || noted == EFBIG || noted == EIO || noted == EROFS)) {
    system_error = noted;
  }
  throw_translated(file_, error, system_error, busy_timeout_);
}

void connection::rethrow_with_file() const {
  try {
    throw;
  } catch (const nlohmann::json::exception& error) {
    throw input_error(fmt::format("{}: the database is damaged: a value is not the JSON that it should be: {}",
                                  file_.string(), json_reason(error)));
  }
}

void bind_value(SQLite::Statement& statement, int index, std::int64_t value) { statement.bind(index, value); }
void bind_value(SQLite::Statement& statement, int index, int value) { statement.bind(index, value); }
void bind_value(SQLite::Statement& statement, int index, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw input_error(fmt::format("the number {} is too large for the database (at most 2^63 - 1)", value));
  }
  statement.bind(index, static_cast<std::int64_t>(value));
}
void bind_value(SQLite::Statement& statement, int index, double value) { statement.bind(index, value); }
void bind_value(SQLite::Statement& statement, int index, bool value) { statement.bind(index, value ? 1 : 0); }
void bind_value(SQLite::Statement& statement, int index, const std::string& value) { statement.bind(index, value); }
void bind_value(SQLite::Statement& statement, int index, std::string_view value) {
  statement.bind(index, std::string(value));
}
void bind_value(SQLite::Statement& statement, int index, const char* value) { statement.bind(index, value); }

}  // namespace mlmq::db
