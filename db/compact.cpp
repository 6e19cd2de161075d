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

namespace mlmq::db {
namespace {

namespace fs = std::filesystem;

/// What is dropped, with everything that only it referred to. Foreign keys cascade from trials to their details.
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
DELETE FROM timeline;
DELETE FROM configuration WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.configuration = configuration.id);
DELETE FROM kernel_variant WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.kernel_variant = kernel_variant.id);
DELETE FROM workload WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.workload = workload.id);
DELETE FROM device WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.device = device.id);
DELETE FROM host WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.host = host.id);
-- The folders of another machine mean nothing: only the file's name stays.
UPDATE workload SET origin = replace(origin, rtrim(origin, replace(origin, '/', '')), '');
DELETE FROM experiment WHERE NOT EXISTS (SELECT 1 FROM experiment_trial x WHERE x.experiment = experiment.id);
)sql";

/// Gone with what SQLite keeps beside it, unless it was given its name.
class draft {
 public:
  explicit draft(const fs::path& wanted)
      : wanted_(wanted), path_(fmt::format("{}.compacting.{}", wanted.string(), ::getpid())) {
    remove_all();
  }
  ~draft() { remove_all(); }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  void complete() {
    std::error_code error;
    if (wanted_.extension() == ".gz") {
      const loaded_bytes made = load_bytes(path_);
      file_writer compressed(wanted_, 9);
      compressed.write({reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size()});
      compressed.commit();
      return;
    }
    fs::rename(path_, wanted_, error);
    if (error) throw work_error(fmt::format("{}: cannot be given its name: {}", wanted_.string(), error.message()));
  }

 private:
  void remove_all() noexcept {
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + ending, ignored);
  }

  fs::path wanted_;
  fs::path path_;
};

}  // namespace

compact_report compact_databases(const fs::path& output, std::span<const fs::path> inputs) {
  std::error_code ignored;
  if (fs::exists(output, ignored)) throw input_error(output.string() + ": exists; name a new file, or delete it first");
  draft made(output);
  (void)merge_databases(made.path(), inputs);
  compact_report report;
  {
    connection file(made.path(), open_mode::read_write_create, std::chrono::seconds(30));
    file.write([&] {
      SQLite::Database& database = file.database();
      report.samples = static_cast<std::size_t>(database.execAndGet("SELECT count(*) FROM sample").getInt64());
      database.exec(reduce);
      report.trials = static_cast<std::size_t>(database.execAndGet("SELECT count(*) FROM trial").getInt64());
    });
    if (report.trials == 0) throw input_error(inputs.front().string() + ": has no finished trials to keep");
    file.guarded([&] {
      // A write-ahead log would be a second file, and must be writable even to read.
      file.database().exec("PRAGMA journal_mode = DELETE");
      file.database().exec("VACUUM");
    });
  }
  made.complete();
  report.bytes = fs::file_size(output);
  return report;
}

}  // namespace mlmq::db
