// SPDX-License-Identifier: Apache-2.0
// Error messages for a full disk, missing permissions and damaged files.
#include <signal.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "db/connection.hpp"
#include "db/query.hpp"
#include "db/store.hpp"
#include "db/tuning_record.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Runs `work` in another process, without the privileges of root. Returns the error that it throws, as "input: …" or
/// "work: …", or "" if there is none.
std::string error_as_user(const temporary_folder& folder, const std::function<void()>& work) {
  static int number = 0;
  const auto report = folder / fmt::format("report-{}", ++number);
  std::ofstream(report).flush();
  ::chmod(report.c_str(), 0666);
  const int status = wait_for(start_child([&] {
    std::ofstream output(report);
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
    try {
      work();
    } catch (const input_error& error) {
      output << "input: " << error.what() << std::flush;
    } catch (const work_error& error) {
      output << "work: " << error.what() << std::flush;
    }
  }));
  REQUIRE(status == 0);
  return read_file(report);
}

}  // namespace

TEST_CASE("a full disk is reported and loses nothing") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  std::size_t done = 0;
  {
    auto opened = std::make_unique<connection>(file, open_mode::read_write_create, 1s);
    SQLite::Database& raw = opened->database();
    store into(std::move(opened));
    const sweep planned = make_sweep(into, 200);
    const int pages = raw.execAndGet("PRAGMA page_count").getInt();
    raw.execAndGet(fmt::format("PRAGMA max_page_count = {}", pages + 3));
    try {
      while (const auto trial = into.claim(planned.experiment, planned.device, "w")) {
        into.finish(trial->id, ok_result(std::vector<double>(500, 1.5)));
        ++done;
      }
      FAIL("the database never became full");
    } catch (const work_error& error) {
      CHECK_THAT(error.what(), Contains("sweep.db: the disk is full; everything recorded so far is kept"));
    }
    CHECK(into.experiment_progress(planned.experiment).done == done);
  }
  store again = store::open(file, open_mode::read_write_create);
  const auto experiment = again.find_experiment("sweep").id;
  again.release_worker("w");
  while (const auto trial = again.claim(experiment, 1, "w")) again.finish(trial->id, ok_result());
  CHECK(again.experiment_progress(experiment).done == 200);
}

TEST_CASE("a limit on the size of files is reported like a full disk") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  { store into = store::open(file, open_mode::read_write_create); }
  ::chmod(file.c_str(), 0666);
  ::chmod((folder / ".").c_str(), 0777);
  CHECK_THAT(error_as_user(folder,
                           [&] {
                             store into = store::open(file, open_mode::read_write_create);
                             ::signal(SIGXFSZ, SIG_IGN);
                             const rlimit limit{200'000, 200'000};
                             ::setrlimit(RLIMIT_FSIZE, &limit);
                             for (int i = 0; i < 100; ++i) make_sweep(into, 1000, std::to_string(i));
                           }),
             StartsWith("work: ") && Contains("the disk is full"));
}

TEST_CASE("a database that cannot be written is reported, and can still be read") {
  const temporary_folder folder;
  const auto shared = folder / "shared";
  const auto file = shared / "sweep #1.db";
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, 3);
  }
  std::string count;
  SECTION("read-only file") {
    ::chmod(file.c_str(), 0444);
    ::chmod(shared.c_str(), 0777);
    CHECK_THAT(error_as_user(folder, [&] { (void)store::open(file, open_mode::read_write_create); }),
               StartsWith("work: ") && Contains("sweep #1.db: the database is read-only"));
  }
  SECTION("read-only folder") {
    ::chmod(file.c_str(), 0666);
    ::chmod(shared.c_str(), 0555);
    CHECK_THAT(error_as_user(folder,
                             [&] {
                               store into = store::open(file, open_mode::read_write_create);
                               into.put_experiment("x", "", "{}");
                             }),
               StartsWith("work: ") && Contains("sweep #1.db") && Contains("permissions"));
    CHECK_THAT(error_as_user(folder, [&] { (void)store::open(shared / "new.db", open_mode::read_write_create); }),
               StartsWith("work: ") && Contains("new.db") && Contains("Permission denied; check the permissions"));
    CHECK_THAT(error_as_user(folder, [&] { (void)store::open(shared / "a/new.db", open_mode::read_write_create); }),
               StartsWith("work: ") && Contains("cannot create the folder"));
  }
  SECTION("read-only file in a read-only folder") {
    ::chmod(file.c_str(), 0444);
    ::chmod(shared.c_str(), 0555);
  }
  CHECK(error_as_user(folder, [&] {
          const store existing = store::open(file, open_mode::read_only);
          if (existing.experiment_progress(1).total != 3) throw input_error("wrong count");
        }) == "");
}

TEST_CASE("a file that may not even be read is reported") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  { store into = store::open(file, open_mode::read_write_create); }
  ::chmod(file.c_str(), 0);
  CHECK_THAT(error_as_user(folder, [&] { (void)store::open(file, open_mode::read_only); }),
             StartsWith("work: ") && Contains("cannot be opened"));
}

TEST_CASE("writing through a read-only store is an error") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  { store into = store::open(file, open_mode::read_write_create); }
  store existing = store::open(file, open_mode::read_only);
  CHECK_THROWS_AS(existing.put_device(sample_device()), work_error);
  CHECK_THROWS_WITH(existing.put_device(sample_device()), Contains("cannot be written"));
}

TEST_CASE("a lock held for too long is reported") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  { store into = store::open(file, open_mode::read_write_create); }
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  store into = store::open(file, open_mode::read_write_create, 60ms);
  CHECK_THROWS_AS(into.put_device(sample_device()), work_error);
  CHECK_THROWS_WITH(into.put_device(sample_device()), Contains("locked for 0.06 s"));
  other.exec("ROLLBACK");
  CHECK_NOTHROW(into.put_device(sample_device()));
}

TEST_CASE("a damaged database is reported") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, 2000);
  }
  const auto size = std::filesystem::file_size(file);
  const auto use = [&] {
    store into = store::open(file, open_mode::read_write_create);
    const auto experiment = into.find_experiment("sweep").id;
    while (const auto trial = into.claim(experiment, 1, "w")) into.finish(trial->id, ok_result());
    (void)into.training();
  };
  SECTION("cut short") { std::filesystem::resize_file(file, size / 2); }
  SECTION("overwritten in the middle") {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(20 * 4096);
    bytes << std::string(size / 2, '\x7f');
  }
  SECTION("cut inside the first page") { std::filesystem::resize_file(file, 1000); }
  CHECK_THROWS_AS(use(), input_error);
  CHECK_THROWS_WITH(use(), Contains("sweep.db") && (Contains("damaged") || Contains("not an SQLite database")));
}

TEST_CASE("values that only SQLite understands are reported with the name of the file") {
  // Valid JSON, but numbers beyond float64.
  for (const char* const damage : {"UPDATE configuration SET parameters = '{\"b\": 1e999}'",
                                   "UPDATE device SET description = '{\"b\": [-1e400]}'"}) {
    CAPTURE(damage);
    const temporary_folder folder;
    const auto file = folder / "sweep.db";
    {
      store into = store::open(file, open_mode::read_write_create);
      const sweep planned = make_sweep(into, 2);
      while (const auto trial = into.claim(planned.experiment, 1, "w")) into.finish(trial->id, ok_result());
    }
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(damage);
    const store damaged = store::open(file, open_mode::read_only);
    const auto visit = [&] { visit_tuning_records(damaged, {}, [](tuning_record&&) {}); };
    CHECK_THROWS_AS(visit(), input_error);
    CHECK_THROWS_WITH(visit(), Contains("sweep.db") && Contains("number overflow") && !Contains("json.exception"));
  }
}

TEST_CASE("a database that is deleted, moved or replaced while it is open is saved in another file") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  store into = store::open(file, open_mode::read_write_create);
  const sweep planned = make_sweep(into, 3);
  CHECK(into.is_in_place());
  CHECK_NOTHROW(into.require_in_place());
  SECTION("deleted") { std::filesystem::remove(file); }
  SECTION("moved") { std::filesystem::rename(file, folder / "elsewhere.db"); }
  SECTION("replaced") {
    {
      store other = store::open(folder / "other.db", open_mode::read_write_create);
      make_sweep(other, 3);
    }
    std::filesystem::rename(folder / "other.db", file);
  }
  CHECK_FALSE(into.is_in_place());
  // The copy includes later writes.
  const auto trial = into.claim(planned.experiment, planned.device, "w");
  into.finish(trial.value().id, ok_result());
  for (const char* const name : {"sweep.rescued.db", "sweep.rescued-2.db"}) {
    CHECK_THROWS_WITH(into.require_in_place(), Contains("was deleted or replaced while in use") && Contains(name));
    const store saved = store::open(folder / name, open_mode::read_only);
    CHECK(saved.experiment_progress(planned.experiment).done == 1);
    CHECK(saved.samples(trial->id) == std::vector<double>{1, 2, 3});
  }
  // The log of the former database must not change another database.
  if (std::filesystem::exists(file)) {
    CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
    const store replacement = store::open(file, open_mode::read_only);
    CHECK(replacement.experiment_progress(planned.experiment).done == 0);
  }
}

TEST_CASE("results lost with a deleted database are reported") {
  const temporary_folder folder;
  const auto file = folder / "gone" / "sweep.db";
  store into = store::open(file, open_mode::read_write_create);
  make_sweep(into, 3);
  std::filesystem::remove_all(folder / "gone");
  const char* const before = std::getenv("TMPDIR");
  const std::string former_value = before == nullptr ? "" : before;
  SECTION("the temporary folder has it when the database's folder is gone, too") {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    CHECK_THROWS_WITH(into.require_in_place(), Contains((folder / "sweep.rescued.db").string()));
    CHECK_NOTHROW(store::open(folder / "sweep.rescued.db", open_mode::read_only));
  }
  SECTION("nothing has it") {
    ::setenv("TMPDIR", (folder / "gone").c_str(), 1);
    CHECK_THROWS_WITH(into.require_in_place(), Contains("cannot be saved in"));
  }
  if (before == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", former_value.c_str(), 1);
  }
}
