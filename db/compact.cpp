// SPDX-License-Identifier: Apache-2.0
#include "db/compact.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "db/connection.hpp"
#include "db/merge.hpp"
#include "db/text_record.hpp"

namespace mlmq::db {
namespace {

namespace fs = std::filesystem;

/// Drops details of trials, and rows that nothing else refers to. Foreign keys cascade from trials to their details.
constexpr const char* reduce = R"sql(
DELETE FROM trial WHERE state <> 'done';
UPDATE trial SET worker = NULL, claimed_at = NULL,
  environment = json_object('samples', coalesce(json_extract(environment, '$.samples'),
                                                (SELECT count(*) FROM sample s WHERE s.trial = trial.id)))
WHERE NOT EXISTS (SELECT 1 FROM json_each(environment) WHERE key = 'samples')
   OR EXISTS (SELECT 1 FROM sample s WHERE s.trial = trial.id);
-- Whole numbers take one or two bytes, others eight; the fraction of a second takes four in every trial.
UPDATE trial SET finished_at = substr(finished_at, 1, 19) || 'Z', compile_ms = round(compile_ms),
  upload_ms = round(upload_ms), measure_ms = round(measure_ms), check_ms = round(check_ms);
DELETE FROM sample;
DELETE FROM configuration WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.configuration = configuration.id);
DELETE FROM kernel_variant WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.kernel_variant = kernel_variant.id);
DELETE FROM machine_code WHERE variant NOT IN (SELECT hash FROM kernel_variant);
DELETE FROM workload WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.workload = workload.id);
DELETE FROM device WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.device = device.id);
DELETE FROM host WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.host = host.id);
-- The folders of another machine mean nothing: only the file's name stays.
UPDATE workload SET origin = replace(origin, rtrim(origin, replace(origin, '/', '')), '');
DELETE FROM experiment WHERE NOT EXISTS (SELECT 1 FROM experiment_trial x WHERE x.experiment = experiment.id);
)sql";

/// A database under a temporary name. The destructor removes it with SQLite's accompanying files, unless complete()
/// renamed it.
class draft {
 public:
  explicit draft(const fs::path& target)
      : target_(target), path_(fmt::format("{}.compacting.{}", target.string(), ::getpid())) {
    remove_all();
  }
  ~draft() { remove_all(); }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  void complete() {
    std::error_code error;
    if (is_text_record(target_)) {
      SQLite::Database finished(path_.string(), SQLite::OPEN_READONLY);
      write_text_record(finished, target_);
      return;
    }
    if (target_.extension() == ".gz") {
      const loaded_bytes uncompressed = load_bytes(path_);
      file_writer compressed(target_, 9);
      compressed.write({reinterpret_cast<const char*>(uncompressed.bytes.data()), uncompressed.bytes.size()});
      compressed.commit();
      return;
    }
    fs::rename(path_, target_, error);
    if (error)
      throw work_error(
          fmt::format("{}: cannot rename the new database to this name: {}", target_.string(), error.message()));
  }

 private:
  void remove_all() noexcept {
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + ending, ignored);
  }

  fs::path target_;
  fs::path path_;
};

}  // namespace

compact_report compact_databases(const fs::path& output, std::span<const fs::path> inputs, kept_timelines timelines) {
  std::error_code ignored;
  if (fs::exists(output, ignored))
    throw input_error(output.string() + ": already exists; name a new file, or delete it first");
  if (is_text_record(output) && timelines == kept_timelines::all)
    throw input_error(output.string() + ": a record as text has no timelines; name a database");
  draft new_database(output);
  (void)merge_databases(new_database.path(), inputs);
  compact_report report;
  {
    connection file(new_database.path(), open_mode::read_write_create, std::chrono::seconds(30));
    file.write([&] {
      SQLite::Database& database = file.database();
      report.samples = static_cast<std::size_t>(database.execAndGet("SELECT count(*) FROM sample").getInt64());
      database.exec(reduce);
      if (timelines == kept_timelines::none) database.exec("DELETE FROM timeline");
      report.trials = static_cast<std::size_t>(database.execAndGet("SELECT count(*) FROM trial").getInt64());
    });
    if (report.trials == 0) throw input_error(inputs.front().string() + ": has no finished trials to keep");
    file.guarded([&] {
      // A write-ahead log would be a second file, which must be writable even for reading.
      file.database().exec("PRAGMA journal_mode = DELETE");
      file.database().exec("VACUUM");
    });
  }
  new_database.complete();
  report.bytes = fs::file_size(output);
  return report;
}

}  // namespace mlmq::db
